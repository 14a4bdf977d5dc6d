import subprocess
import sys

import pytest

from lakebook.analyst.methods import method_names
from lakebook.errors import AnalystError
from lakebook.report.methods_source import source_of


def test_no_names_give_no_source():
    assert source_of([]) == ""


def test_order_and_repetition_of_names_do_not_matter():
    assert source_of(["draw_bars", "draw_lines"]) == source_of(["draw_lines", "draw_bars", "draw_lines"])


def test_an_unknown_method_is_an_error():
    with pytest.raises(AnalystError, match="no method 'nothing_like_it'"):
        source_of(["nothing_like_it"])


def test_only_what_is_needed_is_in_it():
    source = source_of(["short_number"])
    assert "def short_number" in source
    assert "def draw_bars" not in source


def test_the_source_of_all_methods_runs_without_lakebook():
    check = "import sys\nsys.modules['lakebook'] = None\n" + source_of(method_names())
    command = [sys.executable, "-I", "-"]
    done = subprocess.run(command, input=check, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
