"""An old component on its way to a function that reads the notebook's own frame `df`.

What belongs here: the noun, and how its code is written. How it is made from a component is in `adapt`, how
it is run in `run`, how it is mended in `mend`. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.script import Script, Statement
from lakebook.notebooks.component import Component


@dataclass(frozen=True, slots=True)
class Adapted:
    """A component on its way: the script, and what its function does before it.

    Attributes:
        frame: the name of the parameter that holds the table.
        renames: new column name -> the name that the old code uses.
    """

    component: Component
    function: str
    script: Script
    frame: str
    renames: Mapping[str, str]
    dates: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    columns: tuple[str, ...] = field(default=())

    def code(self) -> str:
        """Return the function's source."""
        imports, body = self.parts()
        inside = "\n".join(textwrap.indent(s.text, "    ") for s in body) or "    pass"
        parts = [*imports, *self.head(), "with plt.rc_context():"]
        text = "\n".join(parts) + "\n" + inside
        return f"def {self.function}({self.frame}=df):\n{textwrap.indent(text, '    ')}\n"

    def parts(self) -> tuple[list[str], list[Statement]]:
        """Return the import lines, each once, and the statements that follow them."""
        imports = [s.text for s in self.script.statements if isinstance(s.node, ast.Import | ast.ImportFrom)]
        body = [s for s in self.script.statements if not isinstance(s.node, ast.Import | ast.ImportFrom)]
        return list(dict.fromkeys(imports)), body

    def head(self) -> list[str]:
        """Give the frame the old names."""
        name = self.frame
        lines = []
        if self.renames:
            pairs = ", ".join(f"{new!r}: {old!r}" for new, old in self.renames.items())
            lines.append(f"{name} = {name}.rename(columns={{{pairs}}})")
        return lines

    def repaired(self, script: Script, repairs: Sequence[Repair]) -> Adapted:
        """Return it with another script, and what was changed noted."""
        return replace(self, script=script, repairs=(*self.repairs, *repairs))
