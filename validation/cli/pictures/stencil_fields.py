#!/usr/bin/env python3
"""Files of `stencil run --write`, as h5py reads them, and their pictures by `plot`.

    stencil_fields.py PROGRAM"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np
from PIL import Image

PROGRAM = sys.argv[1]
SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "src" / "pictures" / "plot_gather.py"
sys.path.insert(0, str(SCRIPT.parent))
matplotlib.use("Agg")
from plotting import stencil_fields  # noqa: E402

folder = pathlib.Path(tempfile.mkdtemp())
(folder / "double.stencil").write_text(
    "# twice as much\nin float u from i + 10 * j + 100 * k; in double w from -1 to 1;\nout float v; out double x;\n"
    "next u = v, w = x;\nv[i,j,k] = 2 * u[i,j,k];\nx[i,j,k] = -w[i,j,k];\n")


def run(*options):
    result = subprocess.run(
        [PROGRAM, "stencil", "run", "double.stencil", "--device", "cpu", "--grid", "12,10,8", "--steps", "3",
         "--repeats", "1", "--unverified", *options], cwd=folder, text=True, capture_output=True)
    assert result.returncode == 0, result.stderr


def plot(*words, code=0):
    result = subprocess.run([sys.executable, SCRIPT, *words, "--force"], cwd=folder, text=True, capture_output=True)
    assert result.returncode == code, (words, result.returncode, result.stderr)
    return result.stderr


run("--write", "whole.h5")
with h5py.File(folder / "whole.h5") as file:
    k, j, i = np.meshgrid(np.arange(8), np.arange(10), np.arange(12), indexing="ij")
    assert np.array_equal(file["u"][:], 8 * (i + 10 * j + 100 * k))
    assert file["u"].dtype == np.float32 and file["w"].dtype == np.float64 and file["w"].shape == (8, 10, 12)
    assert [dimension[0].name for dimension in file["u"].dims] == ["/k", "/j", "/i"]
    assert np.array_equal(file["i"][:], np.arange(12)) and file["u"].fletcher32
    assert file.attrs["stencil"] == "double" and file.attrs["steps"] == 3
    assert file.attrs["specification"].startswith("# twice as much")
    assert list(file.attrs["spacing"]) == [1, 1, 1]
run("--write", "slices.h5", "--slices", "k=7,i=0")
with h5py.File(folder / "slices.h5") as file:
    assert sorted(file) == ["i", "j", "k", "texts", "u_i0", "u_k7", "w_i0", "w_k7"]
    assert np.array_equal(file["u_k7"][:], 8 * (i + 10 * j + 100 * k)[7])
    assert np.array_equal(file["u_i0"][:], 8 * (i + 10 * j + 100 * k)[:, :, 0])

for name, words in (("whole.png", ["whole.h5"]), ("slices.png", ["slices.h5"]),
                    ("map.png", ["whole.h5", "--plane", "xy", "--position", "3", "--title", "A $ map"])):
    plot(*words, "-o", name)
    with Image.open(folder / name) as picture:
        assert picture.size[0] > 400 and len(picture.convert("RGB").getcolors(1 << 20)) > 50, name
for plane, upwards, values in (("xy", True, (i + 10 * j + 100 * k)[4]), ("xz", False, (i + 10 * j + 100 * k)[:, 5]),
                               ("yz", False, (i + 10 * j + 100 * k)[:, :, 6])):
    style = argparse.Namespace(plane=plane, position=None, clip=99.0, colormap=None, title=None, given=[])
    axes = stencil_fields.fields_picture(str(folder / "whole.h5"), style).axes[0]
    bottom, top = axes.get_ylim()
    first, last = axes.images[0].get_extent()[:1:-1]  # ends of the rows, whatever the axis' direction
    assert (bottom < top) == upwards and (first, last) == (-0.5, len(values) - 0.5), plane
    assert np.array_equal(axes.images[0].get_array(), 8 * values), plane
assert "--plane is given with slices" in plot("slices.h5", "-o", "x.png", "--plane", "xy", code=64)
assert "which go from 0 to 9" in plot("whole.h5", "-o", "x.png", "--position", "10", code=64)
assert "--at is given with a picture of a stencil's fields" in plot("whole.h5", "-o", "x.png", "--at", "1", code=64)
assert "one file" in plot("whole.h5", "slices.h5", "-o", "x.png", code=64)
whole = (folder / "whole.h5").read_bytes()
(folder / "cut.h5").write_bytes(whole[: len(whole) // 2])
plot("cut.h5", "-o", "x.png", code=65)
