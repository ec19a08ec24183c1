#!/usr/bin/env python3
"""The picture of a kept roofline record, and of what is no such record.

    roofline_picture.py PLOT_SCRIPT RECORD"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from forked_script import run_forked

script, kept = sys.argv[1:]
folder = Path(tempfile.mkdtemp())


def plot(record, *arguments, environment=None):
    words = [str(record), *map(str, arguments)]
    if environment is None:
        return run_forked(script, words, folder)
    return subprocess.run([sys.executable, script, *words], cwd=folder, capture_output=True, text=True, check=False,
                          env=os.environ | environment)


def refused(code, says, *arguments, environment=None):
    result = plot(*arguments, environment=environment)
    assert result.returncode == code, (code, result)
    assert re.fullmatch(r"minimod: error: [^\n]*\n", result.stderr) and says in result.stderr, result


def write(name, record):
    (folder / name).write_text(record if isinstance(record, str) else json.dumps(record))
    return folder / name


record = json.loads(Path(kept).read_text())
for kernel in record["kernels"]:  # a level that this machine's counters did not give
    kernel["cells"]["ai_l2"] = {"value": 0.5, "source": "derived"}
full = write("full.json", record)

drawn = plot(full, "-o", "a.svg", "a.png")
assert drawn.returncode == 0, drawn
svg = (folder / "a.svg").read_text()
for shape in {kernel["shape"] for kernel in record["kernels"]}:
    assert f"<!-- {shape} -->" in svg, shape
for label in (r"DRAM \d+ GB/s", r"L2 \d+ GB/s", r"multiply-adds \d+ GFLOP/s", r"additions \d+ GFLOP/s"):
    assert re.search(f"<!-- {label} -->", svg), label
assert "<!-- L1" not in svg
assert (folder / "a.png").read_bytes()[1:4] == b"PNG"
assert plot(full, "--l1", "-o", "l1.svg").returncode == 0
assert re.search(r"<!-- L1 \d+ GB/s -->", (folder / "l1.svg").read_text())
assert plot(full, "-o", "b.svg").returncode == 0 and (folder / "b.svg").read_text() == svg

# Titles name the marks that are drawn, ticks are plain numbers that stand apart.
assert "circles: DRAM, squares: L2" in svg and "triangles" not in svg
assert plot(kept, "-o", "kept.svg").returncode == 0
for name, text in (("a.svg", svg), ("kept.svg", (folder / "kept.svg").read_text())):
    assert "10^" not in text and "times" not in re.sub(r"<style.*?</style>", "", text, flags=re.S), name
    labels = re.findall(r"<!-- ([0-9.]+) -->", text)
    assert labels and len(labels) <= 4 * 7 and all(float(label) > 0 for label in labels), (name, labels)
no_counters = (folder / "kept.svg").read_text()
assert "circles: DRAM; all by the formula" in no_counters and "squares" not in no_counters

# A mark of counted bytes is filled, one of the formula's is hollow: with nothing counted there are fewer.
assert plot(kept, "-o", "plain.svg").returncode == 0
assert len((folder / "plain.svg").read_text()) < len(svg)

# The fabric between the sides of an L2, where a record has it.
assert "fabric" not in svg
sided = {**record, "ceilings": record["ceilings"] + [{**record["ceilings"][0], "name": "l2_far", "level": "fabric",
                                                      "best": 2600}]}
sided["kernels"] = [{**kernel, "cells": {**kernel["cells"], "ai_fabric": {"value": 1.5, "source": "derived"}}}
                    for kernel in record["kernels"]]
assert plot(write("sided.json", sided), "-o", "sided.svg").returncode == 0
sided_svg = (folder / "sided.svg").read_text()
assert "<!-- fabric 2600 GB/s -->" in sided_svg and "circles: DRAM, diamonds: fabric, squares: L2" in sided_svg

# Some of the shapes; of very many a color each family.
shapes = sorted({kernel["shape"] for kernel in record["kernels"]})
assert len(shapes) > 1 and plot(full, "--shapes", shapes[0][:3] + "*", "-o", "one.svg").returncode == 0
one = (folder / "one.svg").read_text()
assert f"<!-- {shapes[0]} -->" in one and f"<!-- {shapes[1]} -->" not in one
refused(64, "'nosuch_*'", full, "--shapes", f"{shapes[0]},nosuch_*")
tiles = [{**kernel, "shape": f"gmem_{i}x8x{i}"} for i in range(21) for kernel in record["kernels"]]
assert plot(write("many.json", {**record, "kernels": tiles}), "-o", "many.svg").returncode == 0
many = (folder / "many.svg").read_text()
assert "<!-- gmem -->" in many and "gmem_8x8x8" not in many

without_roof = {**record, "ceilings": [c for c in record["ceilings"] if c["level"] != "dram"]}
refused(65, "no record", write("no_roof.json", without_roof))
refused(65, "no record", write("bench.json", {"schema": "minimod.bench/1"}))
refused(65, "no record", write("cut.json", full.read_text()[:1000]))
refused(66, "nowhere.json", "nowhere.json")
refused(73, "no_folder", full, "-o", "no_folder/a.svg")
refused(73, "a.xyz", full, "-o", "a.xyz")
refused(64, "--help", full, "--nosuch")
(folder / "lacking").mkdir()
write("lacking/matplotlib.py", "raise ImportError(name='matplotlib')")
refused(69, "matplotlib", full, environment={"PYTHONPATH": str(folder / "lacking")})
print("the picture is as it should be")
