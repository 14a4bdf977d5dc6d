"""The statements with which load code opens a file of the lake that is not read by pandas itself.

One place knows how each compression is opened; what is then done with the open file is the format's matter.
"""

from __future__ import annotations

from lakebook.errors import SourceError
from lakebook.sources.load_code import data_file, literal
from lakebook.sources.peek import Peek

_MODULES = {"gz": "gzip", "bz2": "bz2"}


def opened(file: Peek, encoding: str = "", errors: str = "") -> tuple[list[str], str]:
    """Return the imports, and the `with` line that binds `file` to the unpacked content.

    Args:
        file: the file of the lake.
        encoding: of the text; "" opens it as bytes.
        errors: what to do with bytes that are not of the encoding, "" to refuse them.
    """
    path = data_file(file.relative)
    options = f"encoding={literal(encoding)}" + (f", errors={literal(errors)}" if errors else "")
    text = f", {options}" if encoding else ""
    if not file.compression:
        arguments = text or ', "rb"'
        return [], f"with open({path}{arguments}) as file:"
    if file.compression in _MODULES:
        module = _MODULES[file.compression]
        mode = ', "rt"' if encoding else ""
        return [f"import {module}"], f"with {module}.open({path}{mode}{text}) as file:"
    if file.compression != "zip":
        raise SourceError(f"{file.compression} content of this format is not read.", where=file.relative)
    archive = f"zipfile.ZipFile({path}) as archive"
    member = f"archive.open({literal(file.member)})"
    if not encoding:
        return ["import zipfile"], f"with {archive}, {member} as file:"
    return ["import io", "import zipfile"], f"with {archive}, io.TextIOWrapper({member}, {options}) as file:"
