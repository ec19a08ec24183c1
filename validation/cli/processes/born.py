#!/usr/bin/env python3
"""`minimod born` as a user calls it.

    born.py PROGRAM

Formats of the change, what is recorded, surveys, refusals. That the traces are the derivative is proved in
unit/solver/adjoint_test.cpp, that they are the gradient's transpose in unit/job/born_test.cpp."""
from pathlib import Path

import h5py
import numpy as np

from small_shots import MODEL, SHOT, SOURCE, background, ball, call, end, one_line, traces, z

change = (40 * ball - 8 * (z == 15)).astype("<f4")
background.tofile("background.bin")
change.tofile("change.bin")
for sign, name in ((1, "up"), (-1, "down")):
    (background + np.float32(sign / 16) * change).tofile(f"{name}.bin")


def born(*words, model=("--model", "background.bin", *MODEL), code=0):
    return call("born", *model, *SHOT, *words, code=code)


def refused(code, *words, says, **more):
    one_line(born(*words, code=code, **more), says)


def distance(one, other):
    return np.linalg.norm(one - other) / np.linalg.norm(other)


# ---- Traces -----------------------------------------------------------------------------------------------

out = born(*SOURCE, "--change", "change.bin", "-o", "born.h5").stdout
assert "change    change.bin" in out, out
scattered = traces("born.h5")
for name in ("up", "down"):
    call("--model", f"{name}.bin", *MODEL, *SHOT, *SOURCE, "--precision", "double", "-o", f"{name}.h5")
assert distance(scattered, 8 * (traces("up.h5") - traces("down.h5"))) < 1e-5
with h5py.File("born.h5") as opened, h5py.File("up.h5") as run:
    assert opened.attrs["change"] == "change.bin" and "change" not in run.attrs
    assert opened["receivers"][()].tolist() == run["receivers"][()].tolist()
born(*SOURCE, "--change", "change.bin", "-o", "coarse.h5", "--record-dt", 0.0032, "--time-dispersion", "as-is")
born(*SOURCE, "--change", "change.bin", "-o", "fine.h5", "--time-dispersion", "as-is")
assert np.array_equal(traces("coarse.h5"), traces("fine.h5")[:, ::2])

# ---- Changes in other formats, of a crop, of a model that is no file -------------------------------------------------

with h5py.File("change.h5", "w") as opened:
    dataset = opened.create_dataset("vp", data=change)
    dataset.attrs.update(axes="z,y,x", spacing=10.0, units="m/s")
    opened.create_dataset("km", data=change / 1000).attrs.update(axes="z,y,x", units="km/s")
    opened.create_dataset("wide", data=change).attrs.update(axes="z,y,x", spacing=12.0)
for name in ("change.h5", "change.h5:/km"):
    born(*SOURCE, "--change", name, "-o", "other.h5", "--force")
    assert distance(traces("other.h5"), scattered) < 1e-6
CROP = ("--crop", "0:28,0:20,0:20")
change[:20].tofile("cropped.bin")
for name in ("change.bin", "cropped.bin"):
    born(*SOURCE, *CROP, "--change", name, "-o", f"of_{name}.h5")
assert np.array_equal(traces("of_change.bin.h5"), traces("of_cropped.bin.h5"))
LAYERED = ("--model", "layered:1800@0,2000@120", "--grid", "40,32,34", "--spacing", 10)
born(*SOURCE, "--change", "change.bin", "-o", "layered.h5", model=LAYERED)
born(*SOURCE, "--change", "constant:-3", "-o", "slower.h5", model=LAYERED)
assert np.abs(traces("layered.h5")).max() > 0 and np.abs(traces("slower.h5")).max() > 0
born(*SOURCE, "--change", "constant:0", "-o", "none.h5")
assert not traces("none.h5").any()

# ---- Surveys, formats -----------------------------------------------------------------------------------------------

Path("sources.csv").write_text("x,y,z\n40,100,20\n140,90,30\n")
born("--sources", "sources.csv", "--change", "change.bin", "-o", "survey", "--format", "hdf5,segy")
assert np.array_equal(traces("survey/shots/shot_00002.h5"), scattered)
assert Path("survey/shots/shot_00001.sgy").exists()
out = born("--sources", "sources.csv", "--change", "change.bin", "-o", "survey", "--format", "hdf5,segy").stdout
assert "2 done before" in out, out
refused(73, "--sources", "sources.csv", "--change", "constant:1", "-o", "survey", "--format", "hdf5,segy",
        says="--change")

# ---- Refusals -------------------------------------------------------------------------------------------------------

refused(64, *SOURCE, "-o", "no.h5", says="--change is missing")
refused(66, *SOURCE, "--change", "nowhere.h5", "-o", "no.h5", says="nowhere.h5")
refused(64, *SOURCE, "--change", "constant:fast", "-o", "no.h5", says="--change")
refused(65, *SOURCE, "--change", "change.h5:/wide", "-o", "no.h5", says="12 m apart along x, the run 10 m")
refused(65, *SOURCE, "--change", "change.h5", "--decimate", 2, "--allow-dispersion", "-o", "no.h5", says="28 nodes along x, the run 14")
with h5py.File("change.h5", "r+") as opened:
    opened["vp"][3, 4, 5] = np.nan
    opened.create_dataset("long", data=change[:21]).attrs.update(axes="z,y,x")
refused(65, *SOURCE, "--change", "change.h5", "-o", "no.h5", says="not finite")
refused(65, *SOURCE, "--change", "change.h5:/long", "-o", "no.h5", says="21 nodes along z, the run 22")
refused(64, *SOURCE, "--change", "change.bin", "--equation", "density", "-o", "no.h5", says="--equation")
call("--model", "background.bin", *MODEL, *SHOT, *SOURCE, "--change", "change.bin", "-o", "no.h5", code=64)
assert not Path("no.h5").exists()
end("linearised shots")
