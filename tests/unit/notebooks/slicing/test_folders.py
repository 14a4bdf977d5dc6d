"""A folder that is made is needed by what is written there, seen or not."""

import pytest

from lakebook.notebooks.slicing.slicer import analyze

IMPORTS = "import os\nfrom pathlib import Path\nimport matplotlib.pyplot as plt\nimport pandas as pd"
MADE = [
    "os.makedirs('out/pictures', exist_ok=True)",
    "folder = os.path.join('out', str(1))\nos.makedirs(folder)",
    "folder = input()\nos.mkdir(folder)",
    "folder = Path(input())\nfolder.mkdir()",
]


def is_kept(made: str, target: str) -> bool:
    program = analyze([(0, IMPORTS), (1, made), (2, f"plt.plot([1, 2])\n{target}")])
    kept = [program.statements[index] for index in program.slice(2)]
    return any("dir" in one.text for one in kept if one.cell == 1)


@pytest.mark.parametrize(
    "target",
    [
        "plt.savefig(os.path.join(input(), 'a.png'))",
        "def save(name):\n    plt.savefig(os.path.join(input(), name))\nsave('a.png')",
        "pd.DataFrame().to_csv(input())",
        "plt.savefig('out/pictures/a.png')",
    ],
)
@pytest.mark.parametrize("made", MADE)
def test_a_folder_is_made_before_something_may_be_written_there(made: str, target: str) -> None:
    assert is_kept(made, target)


@pytest.mark.parametrize(
    ("made", "target"),
    [
        ("os.makedirs('other')", "plt.savefig('out/a.png')"),
        (MADE[2], "plt.savefig('a.png')"),
        (MADE[0], "plt.show()"),
        (MADE[2], "plt.title('nothing is written')"),
    ],
)
def test_a_folder_that_nothing_is_written_into_is_left_out(made: str, target: str) -> None:
    assert not is_kept(made, target)
