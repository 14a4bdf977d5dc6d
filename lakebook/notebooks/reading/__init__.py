"""How the text of each kind of notebook becomes cells: formats, magics, Python 2, saved outputs, secrets."""
