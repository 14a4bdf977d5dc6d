"""Statements that keep their text, edits that leave repairs."""

from __future__ import annotations

import ast

import pytest

from lakebook.enhancement.script import Script, dotted


def test_untouched_statements_keep_their_text_and_comments() -> None:
    code = "# why\nx = [1,2]   # odd spacing\nif x :\n    y=1\n"
    script = Script.parse(code)
    assert str(script) == "# why\nx = [1,2]\nif x :\n    y=1"


def test_several_statements_on_a_line() -> None:
    assert [s.text for s in Script.parse("a = 1; b = 2").statements] == ["a = 1", "b = 2"]


def test_a_text_over_several_lines_survives_indenting() -> None:
    script = Script.parse("x = '''one\n  two'''\n")
    assert "\n" not in script.statements[0].text
    assert ast.literal_eval(script.statements[0].text.removeprefix("x = ")) == "one\n  two"


class _Rename(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("z", node.ctx) if node.id == "y" else node


def test_an_edit_leaves_a_repair_of_the_changed_line_only() -> None:
    script = Script.parse("x=1\nfor i in a:\n    p(i)\n    q(y)\n")
    edited, repairs = script.edited(_Rename().visit, "rename", changes_meaning=True)
    assert edited.statements[0].text == "x=1"
    assert [(r.kind, r.before, r.after, r.changes_meaning) for r in repairs] == [
        ("rename", "q(y)", "q(z)", True)
    ]
    assert str(script) == "x=1\nfor i in a:\n    p(i)\n    q(y)"


def test_an_edit_that_finds_nothing_changes_nothing() -> None:
    script = Script.parse("x=1\n")
    edited, repairs = script.edited(_Rename().visit, "rename")
    assert edited == script
    assert repairs == []


def test_a_dropped_statement_is_a_repair_to_nothing() -> None:
    edited, repairs = Script.parse("x = 1\ny = 2").edited(lambda node: None, "drop")
    assert str(edited) == ""
    assert [(r.before, r.after) for r in repairs] == [("x = 1", ""), ("y = 2", "")]


def test_names() -> None:
    script = Script.parse("import a.b as c\nimport d.e\ndef f(g):\n    h = g\nfor i in j: pass")
    assert script.names_bound() == {"c", "d", "f", "g", "h", "i"}
    assert script.names_read() == {"g", "j"}


def test_what_does_not_parse_raises() -> None:
    with pytest.raises(SyntaxError):
        Script.parse("print 'x'")


@pytest.mark.parametrize(
    ("code", "expected"), [("a.b.c", "a.b.c"), ("a", "a"), ("a().b", ""), ("a[0].b", "")]
)
def test_dotted(code: str, expected: str) -> None:
    assert dotted(ast.parse(code, mode="eval").body) == expected


def test_an_edit_on_given_lines_reaches_the_innermost_statements_on_them_only() -> None:
    code = "p(y)\nfor i in a:\n    # q(y) was here\n    q(y)\n    if y:\n        r(y)\n"
    edited, repairs = Script.parse(code).edited(_Rename().visit, "rename", lines=["q(y)"])
    assert str(edited) == "p(y)\nfor i in a:\n    q(z)\n    if y:\n        r(y)"
    assert [(r.before, r.after) for r in repairs] == [("q(y)", "q(z)")]


def test_the_head_of_a_block_is_edited_with_its_block() -> None:
    edited, _ = Script.parse("if y:\n    r(y)\ny = 1").edited(_Rename().visit, "rename", lines=["if y:"])
    assert str(edited) == "if z:\n    r(z)\ny = 1"


def test_a_statement_of_several_lines_is_found_by_any_of_them() -> None:
    edited, _ = Script.parse("x = f(1,\n      y)\ny").edited(_Rename().visit, "rename", lines=["y)"])
    assert str(edited) == "x = f(1, z)\ny"


def test_places_are_counted_from_the_end() -> None:
    script = Script.parse("a = 1\nfor i in a:\n    b(i)\na = 1\nc = 2")
    assert [script.place(line) for line in ("a = 1", "b(i)", "c = 2", "nowhere")] == [1, 2, 0, -1]


def test_a_statement_that_is_nested_too_deeply_stays() -> None:
    code = f"x = {' + '.join(['y'] * 900)}"
    edited, repairs = Script.parse(code).edited(_Rename().visit, "rename")
    assert (str(edited), repairs) == (code, [])


def test_a_statement_without_the_pattern_is_not_looked_at() -> None:
    edited, _ = Script.parse("a = y\nb = y").edited(_Rename().visit, "rename", only=r"\bb\b")
    assert str(edited) == "a = y\nb = z"
