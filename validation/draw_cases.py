#!/usr/bin/env python3
"""Draws the curves that `minimod verify --plot DIR` wrote: a picture DIR/<case>.png beside every DIR/<case>.json.

    draw_cases.py DIR
"""
import json
import pathlib
import sys

USAGE, DATA, UNAVAILABLE, CANNOT_CREATE = 64, 65, 69, 73
SCHEMA = "minimod.verify.curves/1"


def fail(code, message):
    print(f"minimod: error: {message}"[:240], file=sys.stderr)
    sys.exit(code)


try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    fail(UNAVAILABLE, "drawing needs Python's matplotlib; install it, the curves are in the JSON files")


def draw_picture(axes, picture):
    for curve in picture["curves"]:
        axes.plot(curve["x"], curve["y"], "o" if curve["points"] else "-", label=curve["label"], linewidth=1)
    axes.set(title=picture["title"], xlabel=picture["x_label"], ylabel=picture["y_label"])
    axes.set_xscale("log" if picture["log_x"] else "linear")
    axes.set_yscale("log" if picture["log_y"] else "linear")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def draw_case(file, record):
    pictures = record["pictures"]
    figure, all_axes = plt.subplots(len(pictures), squeeze=False, figsize=(8, 4.5 * len(pictures)))
    for axes, picture in zip(all_axes[:, 0], pictures):
        draw_picture(axes, picture)
    figure.tight_layout()
    figure.savefig(file.with_suffix(".png"), dpi=120)
    plt.close(figure)


def main():
    if len(sys.argv) != 2:
        fail(USAGE, "draw_cases.py takes the folder of verify --plot")
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        try:
            record = json.loads(file.read_text())
            if isinstance(record, dict) and record.get("schema") == SCHEMA:
                draw_case(file, record)
        except (ValueError, KeyError, TypeError) as problem:
            fail(DATA, f"{file.name} is no record of curves: {problem!r}; run minimod verify --plot again")
        except OSError as problem:
            fail(CANNOT_CREATE, f"cannot draw {file.name}: {problem.strerror}; name another folder")


main()
