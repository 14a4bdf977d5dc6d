"""What a reader gets: the notebook, and the HTML, Markdown, PDF and bundle made from it."""
