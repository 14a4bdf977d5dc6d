"""An old component on its way to a function that reads the notebook's own frame `df`.

What belongs here: the noun, and how its code is written. How it is made from a component is in `adapt`, how
it is run in `run`, how it is mended in `mend`. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakebook.enhancement.enhanced import ReadTable, Repair
from lakebook.enhancement.script import Script, Statement
from lakebook.notebooks.component import Component


@dataclass(frozen=True, slots=True)
class OtherFrame:
    """A frame that the function reads for itself.

    Attributes:
        name: the variable that holds it. `load_code`: statements that make it as `df`.
        renames: new column name -> the name that the code uses.
    """

    name: str
    load_code: str
    table: ReadTable
    renames: Mapping[str, str] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return the statements that read it."""
        body = textwrap.indent(self.load_code.rstrip(), "    ")
        lines = [f"def read_{self.name}():\n{body}\n    return df", f"{self.name} = read_{self.name}()"]
        return [*lines, *_renaming(self.name, self.renames)]


@dataclass(frozen=True, slots=True)
class Adapted:
    """A component on its way: the script, and what its function does before it.

    Attributes:
        frame: the name of the parameter that holds the table.
        renames: new column name -> the name that the code uses, where the frame is renamed.
        renamed: old column name -> the new one, where the code is.
        others: frames that the function reads for itself.
    """

    component: Component
    function: str
    script: Script
    frame: str
    renames: Mapping[str, str]
    dates: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    columns: tuple[str, ...] = field(default=())
    renamed: Mapping[str, str] = field(default_factory=dict)
    others: tuple[OtherFrame, ...] = ()

    def code(self) -> str:
        """Return the function's source."""
        imports, body = self.parts()
        inside = "\n".join(textwrap.indent(s.text, "    ") for s in body) or "    pass"
        parts = [*imports, *self.head(), "with plt.rc_context():"]
        text = "\n".join(parts) + "\n" + inside + "".join(f"\n    {line}" for line in self.tail())
        return f"def {self.function}({self.frame}=df):\n{textwrap.indent(text, '    ')}\n"

    def parts(self) -> tuple[list[str], list[Statement]]:
        """Return the import lines, each once, and the statements that follow them."""
        imports = [s.text for s in self.script.statements if isinstance(s.node, ast.Import | ast.ImportFrom)]
        body = [s for s in self.script.statements if not isinstance(s.node, ast.Import | ast.ImportFrom)]
        return list(dict.fromkeys(imports)), body

    def tail(self) -> list[str]:
        """Show the new names where the frames have old ones."""
        renamed = [self.renames, *(other.renames for other in self.others)]
        names = {old: new for pairs in renamed for new, old in pairs.items()}
        return [f"relabel({names!r})"] if names else []

    def head(self) -> list[str]:
        """Give the frame the old names."""
        name = self.frame
        lines = [line for other in self.others for line in other.lines()]
        lines += _renaming(name, self.renames)
        return lines

    def repaired(self, script: Script, repairs: Sequence[Repair]) -> Adapted:
        """Return it with another script, and what was changed noted."""
        return replace(self, script=script, repairs=(*self.repairs, *repairs))


def _renaming(name: str, renames: Mapping[str, str]) -> list[str]:
    pairs = ", ".join(f"{new!r}: {old!r}" for new, old in renames.items())
    return [f"{name} = {name}.rename(columns={{{pairs}}})"] if pairs else []
