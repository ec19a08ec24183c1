#!/usr/bin/env python3
"""`minimod image` as a user calls it.

    images.py PROGRAM

Where a reflector is imaged, and what an image shares with gradients.py: sums over shots, interrupted calls, little
memory, refusals. The formulas are proved in unit/job/imaging_test.cpp."""
import shutil
import signal
import subprocess
from pathlib import Path

import h5py
import numpy as np

from small_shots import call, end, one_line, program

H, INTERFACE = 10, 185
SHOT = ("--grid 68 --spacing 10 --receivers grid:0,0,20:470,470,20:48,48 --dt 1.4e-3 --pml-velocity 3000 --steps 260 "
        "-w ricker:f=18 --device cpu").split()
ONE = ("--source", "240,240,20", "--observed", "one.h5")
FIELDS = ("image", "source_illumination", "receiver_illumination", "misfit", "shot")
# Weights that fall to 0 at the rim of the receivers, whose edges would be imaged.
rim = np.minimum(np.minimum(np.arange(48) + 1, 48 - np.arange(48)) / 16, 1)
np.savetxt("weights.txt", np.outer(np.sin(np.pi / 2 * rim)**2, np.sin(np.pi / 2 * rim)**2).ravel())


def image(*words, code=0, model="layered:1800@0,2200@185", shot=SHOT):
    return call("image", "--model", model, *shot, *words, code=code)


def refused(code, *words, says):
    one_line(image(*words, "-o", "no.h5", code=code), says)


def read(file):
    with h5py.File(file) as opened:
        return {name: opened[name][()] for name in FIELDS}


def same(one, other):
    for name in FIELDS:
        assert np.array_equal(one[name], other[name]), name


# ---- A reflector ----------------------------------------------------------------------------------------------------

call("--model", "layered:1800@0,2800@185", *SHOT, *ONE[:2], "-o", "one.h5")
above = {}
for condition in ("cross", "inverse-scattering"):
    out = image(*ONE, "--trace-weights", "weights.txt", "--condition", condition, "-o", f"{condition}.h5").stdout
    assert condition in out and "kept of all 260 steps" in out, out
    values = read(f"{condition}.h5")["image"]
    below_source = values[:, 24, 24]
    peak = 6 + np.argmax(np.abs(below_source[6:]))
    assert abs(H * peak - INTERFACE) <= H and below_source[peak] > 0, (condition, peak)
    above[condition] = (values[6:13]**2).sum() / (values[13:]**2).sum()
# Waves that the model's own reflector sends back meet those that come, all the way up.
assert above["cross"] > 0.2 and above["inverse-scattering"] < 0.2 * above["cross"], above

for name, more in (("double", ()), ("even", ("--compensate",))):
    image(*ONE, "--trace-weights", "weights.txt", "--precision", "double", *more, "-o", f"{name}.h5")
cross, even = read("double.h5"), read("even.h5")
light = cross["source_illumination"]
np.testing.assert_allclose(even["image"], cross["image"] / (light + light.mean() / 100), rtol=1e-12)
# A model whose traces the observed ones are has nothing left to migrate, unless they are kept.
image(*ONE, "-o", "none.h5", model="layered:1800@0,2800@185")
assert not read("none.h5")["image"].any()
image(*ONE, "--keep-direct", "-o", "kept.h5", model="layered:1800@0,2800@185")
with h5py.File("one.h5") as opened:
    assert np.isclose(read("kept.h5")["misfit"][0], 0.5 * (opened["traces"][()].astype(float)**2).sum(), rtol=1e-5)

# ---- Sums, calls and refusals that gradients share -----------------------------------------------------------------

SMALL = ("--grid 44 --spacing 10 --receivers grid:0,0,20:230,230,20:12,12 --dt 1.4e-3 --pml-velocity 3000 --steps 200 "
         "-w ricker:f=18 --device cpu").split()
Path("sources.csv").write_text("x,y,z\n70,100,20\n140,140,20\n180,100,20\n")
SURVEY = ("--sources", "sources.csv", "--observed", "observed", "--condition", "inverse-scattering")
call("--model", "layered:1800@0,2800@185", *SMALL, *SURVEY[:2], "-o", "observed")
image(*SURVEY, "-o", "whole.h5", shot=SMALL)
whole, total = read("whole.h5"), 0
assert list(whole["shot"]) == [1, 2, 3]
for shot in (1, 2, 3):
    image(*SURVEY, "--shots", shot, "-o", f"shot{shot}.h5", shot=SMALL)
    total = total + read(f"shot{shot}.h5")["image"].astype(float)
assert np.array_equal(total.astype("f4"), whole["image"])
out = image(*SURVEY, "--memory", "0.03", "-o", "little.h5", shot=SMALL).stdout
assert "states; the shot is computed" in out, out
same(read("little.h5"), whole)

words = [program, "image", "--model", "layered:1800@0,2200@185", *SMALL, *SURVEY, "-o", "ended.h5"]
process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
while "shot 1:" not in process.stdout.readline():
    pass
process.send_signal(signal.SIGKILL)
assert process.wait(timeout=60) == -9 and not Path("ended.h5").exists()
out = image(*SURVEY, "-o", "ended.h5", shot=SMALL).stdout
assert " 0 done before" not in out, out
same(read("ended.h5"), whole)
# Parts of another condition do not count.
Path("mixed.shots").mkdir()
shutil.copy("shot2.h5", "mixed.shots/shot_00002.h5")
out = image(*SURVEY[:4], "--shots", 2, "-o", "mixed.h5", shot=SMALL).stdout
assert " 0 done before" in out, out

refused(64, *ONE[:2], says="--observed is missing")
refused(64, *ONE, "--condition", "laplace", says="--condition")
refused(64, *ONE, "--misfit", "normalized", says="--misfit")
refused(64, *ONE, "--snapshot-every", "0.1", says="which an image does not have")
refused(65, *ONE, "--record-dt", 0.0028, says="a sample every 0.0014 s")
refused(66, *ONE[:2], "--observed", "nowhere.h5", says="nowhere.h5")
refused(71, *ONE, "--memory", "1e-6", says="--memory")
assert not Path("no.h5").exists() and not Path("no.shots").exists()
end("images")
