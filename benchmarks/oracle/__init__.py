"""The oracle of components: notebooks are run, and what their cells draw is what components must draw."""
