"""Calls of `minimod plot`, and of the functions below it. The program is the script's first argument."""
import pathlib
import re
import subprocess
import sys

import matplotlib

from forked_script import run_forked

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "src" / "pictures" / "plot_gather.py"
matplotlib.use("Agg")
sys.path.insert(0, str(SCRIPT.parent))
from plotting import geometry, options, pictures, selection  # noqa: E402

PROGRAM = sys.argv[1]


def run(folder, *words):
    subprocess.run([PROGRAM, *words, "--output", str(folder), "--force"], check=True, stdout=subprocess.DEVNULL)
    return folder / "shot_gather.h5"


def plot(*words, code=0):
    """Words of the plot on stdout, or its one line on stderr where it is to fail."""
    result = run_forked(SCRIPT, [*map(str, words), "--force"])
    assert result.returncode == code, f"exit {result.returncode}, not {code}, of {words}: {result.stderr}"
    if code:
        assert result.stderr.startswith("minimod: error: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr if code else result.stdout


def notes_of(*words):
    """Words of the plot on stderr about a picture that it has drawn."""
    result = run_forked(SCRIPT, [*map(str, words), "-o", "noted.png", "--force"])
    assert result.returncode == 0, result.stderr
    return result.stderr


def read(*words):
    """The traces that a picture would have, and their axis."""
    arguments = options.parse([str(word) for word in words])
    return geometry.across(selection.read_gather(arguments.gather[0], arguments), arguments.axis)


def figure_of(*words):
    """The picture of traces, as matplotlib has it."""
    arguments = options.parse([str(word) for word in words])
    arguments.time_label = "time (s)"
    panels = [pictures.Panel(*read(path, *words[len(arguments.gather):]), "u (1)", "") for path in arguments.gather]
    return pictures.traces_picture(panels, arguments)


def texts(*words):
    """The texts of the picture, which an SVG has as comments, in one line."""
    picture = pathlib.Path("picture.svg")
    plot(*words, "-o", picture)
    found = re.findall(r"<!-- (.*?) -->", picture.read_text())
    picture.unlink()
    return " | ".join(found)
