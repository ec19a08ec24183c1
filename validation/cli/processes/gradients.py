#!/usr/bin/env python3
"""`minimod gradient` as a user calls it.

    gradients.py PROGRAM

Sums over shots, interrupted calls, little memory, formats of the observed traces, refusals. That a gradient is the
derivative of the misfit is proved in unit/job/gradient_test.cpp and unit/solver/adjoint_test.cpp."""
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

from small_shots import MODEL, SOURCE, background, ball, call, damage, end, one_line, program, traces
from small_shots import SHOT as SHOT_ALONE

SHOT = (*MODEL, *SHOT_ALONE)
background.tofile("background.bin")
(background + np.float32(120) * ball).tofile("true.bin")
Path("sources.csv").write_text("x,y,z\n40,100,20\n140,90,30\n230,100,20\n")
FIELDS = ("gradient", "source_illumination", "receiver_illumination")


def gradient(*words, code=0):
    """With the options of the shot, but for those that are given otherwise."""
    pairs = zip(SHOT[::2], SHOT[1::2])
    return call("gradient", "--model", "background.bin", *words, *(word for pair in pairs if pair[0] not in words
                                                                  for word in pair), code=code)


def refused(code, *words, says):
    one_line(gradient(*words, code=code), says)


def read(file):
    with h5py.File(file) as opened:
        return {name: opened[name][()] for name in (*FIELDS, "misfit", "shot")}


def same(one, other):
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert np.array_equal(values, other[name]), name


SURVEY = ("--sources", "sources.csv")
call("--model", "true.bin", *SHOT, *SURVEY, "-o", "observed", "--format", "hdf5,segy")

# ---- The file -------------------------------------------------------------------------------------------------------

out = gradient(*SURVEY, "--observed", "observed", "-o", "whole.h5").stdout
assert "kept of all 150 steps" in out and "misfit" in out, out
whole = read("whole.h5")
assert whole["gradient"].shape == background.shape and list(whole["shot"]) == [1, 2, 3]
assert (whole["misfit"] > 0).all() and all(np.isfinite(whole[name]).all() for name in FIELDS)
# Down the gradient, V grows in the ball that the truth has more of.
assert whole["gradient"][ball].mean() < 0
assert not Path("whole.shots").exists()
with h5py.File("whole.h5") as opened:
    assert opened["gradient"].attrs["units"] == "misfit / (m/s)"
    assert opened["gradient"].dims[0][0].name == "/z" and np.isclose(opened["x"][3], 30)
    assert np.isclose(opened.attrs["misfit_sum"], whole["misfit"].sum())

# ---- Shots by themselves, in other formats, with little memory ------------------------------------------------------

parts = []
for shot in (1, 2, 3):
    gradient(*SURVEY, "--observed", "observed", "--shots", shot, "-o", f"shot{shot}.h5")
    parts.append(read(f"shot{shot}.h5"))
for name in FIELDS:
    own = [part[name].astype(float) for part in parts]
    assert whole[name].dtype == parts[0][name].dtype == np.float32
    assert np.array_equal(((own[0] + own[1]) + own[2]).astype("f4"), whole[name]), name
out = gradient(*SURVEY, "--observed", "observed", "-o", "little.h5", "--memory", "0.02").stdout
assert "states; the shot is computed" in out, out
same(read("little.h5"), whole)
out = gradient(*SURVEY, "--observed", "observed", "-o", "on_disk.h5", "--memory", "0.003", "--states-on", ".").stdout
assert "states on disk; the shot is computed" in out, out
same(read("on_disk.h5"), whole)
refused(73, *SURVEY, "--observed", "observed", "-o", "no.h5", "--states-on", "nowhere", says="nowhere")

# ---- Steps that are taken back --------------------------------------------------------------------------------------

back = (*SURVEY, "--observed", "observed", "--history", "boundary")
out = gradient(*back, "-o", "back.h5").stdout
assert "of steps that are taken back, from 0." in out and "GiB on the device" in out, out
for name in FIELDS[:2]:
    difference = np.linalg.norm(read("back.h5")[name] - whole[name]) / np.linalg.norm(whole[name])
    assert 0 < difference < 1e-5, (name, difference)
assert np.array_equal(read("back.h5")["receiver_illumination"], whole["receiver_illumination"])
out = gradient(*back[:-1], "boundary16", "-o", "back_in_16_bits.h5").stdout
assert "GiB on the device in 16 bits" in out, out
difference = np.linalg.norm(read("back_in_16_bits.h5")["gradient"] - whole["gradient"]) / np.linalg.norm(whole["gradient"])
assert 0 < difference < 1e-3, difference
out = gradient(*back, "-o", "back_on_disk.h5", "--memory", "0.003", "--states-on", ".").stdout
assert "GiB on disk" in out, out
same(read("back_on_disk.h5"), read("back.h5"))
Path("parts.shots").mkdir()  # parts of another history do not count
shutil.copy("shot1.h5", "parts.shots/shot_00001.h5")
gradient(*back, "-o", "parts.h5")
same(read("parts.h5"), read("back.h5"))
refused(64, *back[:-1], "planes", "-o", "no.h5", says="give auto, boundary or boundary16")
refused(71, *back, "-o", "no.h5", "--memory", "0.003", says="a shot's boundary takes 0.")
refused(73, *back, "-o", "no.h5", "--memory", "0.003", "--states-on", "nowhere", says="nowhere")
refused(73, *back, "-o", "no.h5", "--states-on", "nowhere", says="nowhere")  # though memory holds all
out = gradient(*SURVEY, "--observed", "observed", "--window", "0,0.16,0.06", "-o", "windowed.h5").stdout
assert "one for all" not in out, out
out = gradient(*SURVEY, "--observed", "observed", "--window", "0,0.16,0.06", "-o", "thinned.h5",
               "--correlate-every", "nyquist").stdout
assert "of each 6 steps one for all" in out, out
windowed, thinned = read("windowed.h5")["gradient"], read("thinned.h5")["gradient"]
difference = np.linalg.norm(thinned - windowed) / np.linalg.norm(windowed)
assert 0 < difference < 2e-3, difference
shutil.copytree("observed", "segy")
for file in Path("segy/shots").glob("*.h5"):
    file.unlink()
gradient(*SURVEY, "--observed", "segy", "--shots", 2, "-o", "of_segy.h5")
same(read("of_segy.h5"), parts[1])
one = (*SOURCE, "--observed", "observed/shots/shot_00002.h5")
gradient(*one, "-o", "single.h5")
assert np.array_equal(read("single.h5")["gradient"], parts[1]["gradient"])
with h5py.File("single.h5") as single, h5py.File("whole.h5") as opened:  # the part of the shot, but for its name
    assert single.attrs.keys() == opened.attrs.keys()
    assert single.attrs["misfit_sum"] == single["misfit"][0] and "-o single.h5" in single.attrs["command_line"]
second = (*SURVEY, "--observed", "observed", "--shots", 2, "-o", "left.h5")
gradient(*second, "--worker", "0/1")
assert Path("left.shots/shot_00002.h5").exists() and not Path("left.h5").exists()
shutil.copytree("left.shots", "worn.shots")
assert " 1 done before" in gradient(*second).stdout and not Path("left.shots").exists()
same(read("left.h5"), parts[1])
damage("worn.shots/shot_00002.h5")  # parts of earlier calls are read before they become the output
one_line(gradient(*second[:-1], "worn.h5"), "shot 2 is computed once more")
same(read("worn.h5"), parts[1])
if Path("/dev/shm").is_dir() and Path("/dev/shm").stat().st_dev != Path().stat().st_dev:  # where no file is renamed to
    elsewhere = tempfile.mkdtemp(dir="/dev/shm")
    Path("linked.shots").symlink_to(elsewhere)
    gradient(*SURVEY, "--observed", "observed", "--shots", 2, "-o", "linked.h5")
    same(read("linked.h5"), parts[1])
    shutil.rmtree(elsewhere)

# ---- A model that fits, and misfits ---------------------------------------------------------------------------------

call("gradient", "--model", "true.bin", *SHOT, *SURVEY, "--observed", "observed", "-o", "none.h5")
assert not read("none.h5")["gradient"].any() and not read("none.h5")["misfit"].any()
gradient(*one, "--misfit", "normalized", "--window", "0.05,0.2,0.03", "-o", "normalized.h5")
assert read("normalized.h5")["misfit"][0] < 24 * 2  # traces over their norms
for value in ("0.2,0.05", "1", "a,b", "0,1,-1"):
    refused(64, *one, "--window", value, "-o", "no.h5", says="--window")

for name, by in (("slowness", "slowness2"), ("velocity", "v")):
    gradient(*one, "--by", by, "--precision", "double", "-o", f"{name}.h5")
by_slowness, by_velocity = read("slowness.h5")["gradient"], read("velocity.h5")["gradient"]
assert by_velocity.dtype == np.float64
np.testing.assert_allclose(by_slowness, -0.5 * background.astype(float)**3 * by_velocity, rtol=1e-12)
with h5py.File("slowness.h5") as opened:
    assert opened["gradient"].attrs["units"] == "misfit / (s2/m2)"

# ---- Residuals, weights, adjoint sources ----------------------------------------------------------------------------

weights = np.linspace(0, 2, 24)
np.savetxt("weights.txt", weights, fmt="%.17g")
for words in ((), ("--trace-weights", "weights.txt"), ("--window", "0.05,0.2,0.03", "--misfit", "normalized")):
    gradient(*one, *words, "-o", "rest.h5", "--write-residuals", "residuals.h5", "--force")
    rest = traces("residuals.h5")
    assert np.isclose(0.5 * (rest**2).sum(), read("rest.h5")["misfit"][0], rtol=1e-5)
call("--model", "background.bin", *SHOT, *SOURCE, "-o", "modelled.h5")
difference = traces("modelled.h5") - traces("observed/shots/shot_00002.h5")
gradient(*one, "-o", "rest.h5", "--write-residuals", "residuals.h5", "--force")
assert np.array_equal(traces("residuals.h5"), difference.astype("f4"))
adjoint = (*SOURCE, "--adjoint-sources", "residuals.h5")
gradient(*adjoint, "-o", "adjoint.h5")
reached = read("adjoint.h5")
assert np.abs(reached["gradient"] - read("rest.h5")["gradient"]).max() < 1e-5 * np.abs(reached["gradient"]).max()
assert np.isclose(reached["misfit"][0], (difference * traces("modelled.h5")).sum(), rtol=1e-5)
gradient(*SURVEY, "--observed", "observed", "-o", "written.h5", "--write-residuals", "rests")
assert np.array_equal(traces("rests/shot_00002.h5"), difference.astype("f4"))
same(read("written.h5"), whole)
gradient(*SURVEY, "--adjoint-sources", "rests", "-o", "adjoints.h5")
assert list(read("adjoints.h5")["shot"]) == [1, 2, 3]
gradient(*one, "-o", "rest.h5", "--write-residuals", "residuals.sgy", "--force")
gradient(*SOURCE, "--adjoint-sources", "residuals.sgy", "-o", "of_sgy.h5")
refused(73, *one, "--write-residuals", "residuals.sgy", "-o", "no.h5", says="residuals.sgy")
refused(64, *SURVEY, "--observed", "observed", "--write-residuals", "new.h5", "-o", "no.h5", says="one file for 3 shots")
refused(64, *adjoint, "--window", "0,1", "-o", "no.h5", says="--window and --adjoint-sources")
refused(64, *adjoint, "--observed", "observed", "-o", "no.h5", says="--observed and --adjoint-sources")
refused(66, *SOURCE, "--adjoint-sources", "nowhere.h5", "-o", "no.h5", says="nowhere.h5")
Path("few.txt").write_text("1\n2\n")
refused(65, *one, "--trace-weights", "few.txt", "-o", "no.h5", says="2 weights, shot 1 has 24 receivers")

# ---- Interrupted calls ----------------------------------------------------------------------------------------------

for number in (signal.SIGKILL, signal.SIGTERM):
    words = [program, "gradient", "--model", "background.bin", *SHOT, *SURVEY, "--observed", "observed",
             "-o", f"ended{number}.h5"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "shot 1:" not in process.stdout.readline():
        pass
    process.send_signal(number)
    assert process.wait(timeout=60) == (-9 if number == signal.SIGKILL else 75), process.stderr.read()
    assert not Path(f"ended{number}.h5").exists() and Path(f"ended{number}.shots/shot_00001.h5").exists()
    out = gradient(*SURVEY, "--observed", "observed", "-o", f"ended{number}.h5").stdout
    assert " 0 done before" not in out, out
    same(read(f"ended{number}.h5"), whole)

# Amid the transpose of a shot, of which some steps are computed once more.
for number in (signal.SIGKILL, signal.SIGTERM):
    name = f"amid{number}"
    words = [program, "gradient", "--model", "background.bin", *SHOT, *one, "-o", f"{name}.h5", "--memory", "0.02",
             "--checkpoint-every", "0.001s"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not Path(f"{name}.shots/shot_00001.checkpoint.1.h5").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.001)
    process.send_signal(number)
    assert process.wait(timeout=60) == (-9 if number == signal.SIGKILL else 75), process.stderr.read()
    one_line(gradient(*one, "-o", f"{name}.h5"), "shot 1 goes on behind ")
    same(read(f"{name}.h5"), read("single.h5"))
    assert not Path(f"{name}.shots").exists()

# Parts of another misfit, damaged ones and others' files do not count.
Path("mixed.shots").mkdir()
gradient(*SURVEY, "--observed", "observed", "--shots", 1, "--misfit", "normalized", "-o", "other.h5")
shutil.copy("other.h5", "mixed.shots/shot_00001.h5")
Path("mixed.shots/shot_00002.h5").write_bytes(Path("shot2.h5").read_bytes()[:5000])
gradient(*SURVEY, "--observed", "observed", "-o", "mixed.h5", code=73)  # a damaged file is no gradient of ours
Path("mixed.shots/shot_00002.h5").unlink()
gradient(*SURVEY, "--observed", "observed", "-o", "mixed.h5")
same(read("mixed.h5"), whole)

# ---- Refusals -------------------------------------------------------------------------------------------------------

refused(64, *SURVEY, "-o", "no.h5", says="--observed is missing")
refused(64, *SURVEY, "--observed", "observed/shots/shot_00001.h5", "-o", "no.h5", says="one file for 3 shots")
refused(66, *one[:2], "--observed", "nowhere.h5", "-o", "no.h5", says="nowhere.h5")
refused(65, *one, "--steps", 140, "-o", "no.h5", says="has 151 samples, the run 141")
refused(65, *one, "--record-dt", 0.0032, "-o", "no.h5", says="a sample every 0.0016 s")
refused(65, *one, "--receivers", "grid:40,40,30:240,160,30:6,3", "-o", "no.h5", says="has 24 traces, shot 1 has 18")
refused(65, *one, "--receivers", "grid:40,40,30:240,170,30:6,4", "-o", "no.h5", says="has receiver 6 at")
refused(65, *one[:2], "--observed", "sources.csv", "-o", "no.h5", says="sources.csv")
with h5py.File(shutil.copy("observed/shots/shot_00002.h5", "nan.h5"), "r+") as opened:
    opened["traces"][3, 5] = np.nan
refused(65, *one[:2], "--observed", "nan.h5", "-o", "no.h5", says="nan")
shutil.copytree("observed", "lacking")
for file in Path("lacking/shots").glob("shot_00002.*"):
    file.unlink()
refused(66, *SURVEY, "--observed", "lacking", "-o", "no.h5", says="shot 2 is not in")
gradient(*SURVEY, "--observed", "lacking", "--shots", "1::2", "-o", "two.h5")
assert list(read("two.h5")["shot"]) == [1, 3]
refused(66, *SURVEY, "--observed", "nowhere", "-o", "no.h5", says="nowhere")
Path("mixed_up").mkdir()
for suffix in ("sgy", "h5"):
    for own, other in ((1, 2), (2, 1), (3, 3)):
        shutil.copy(f"observed/shots/shot_{other:05}.{suffix}", f"mixed_up/shot_{own:05}.{suffix}")
    refused(65, *SURVEY, "--observed", "mixed_up", "-o", "no.h5",
            says="has source 0 at 140, 90, 30 m, shot 1 at 40, 100, 20 m")
for steps in ("0", "151"):
    refused(64, *one, "--correlate-every", steps, "-o", "no.h5", says="--correlate-every")
refused(64, *one, "--window", "5,6", "-o", "no.h5", says="has no sample of 0 to 0.24 s")
# Residuals in place of observed traces or the output, even with --force.
for words, residuals in (((*SURVEY, "--observed", "observed"), "observed/shots"), (one, "observed/shots/shot_00002.h5"),
                         (one, "no.h5")):
    refused(73, *words, "--write-residuals", residuals, "--force", "-o", "no.h5", says="are one file")
refused(64, *one, "--json", "no.json", "-o", "no.h5", says="--json")
refused(64, *one, "--format", "segy", "-o", "no", says="--format")
refused(64, *one, "-o", "no.sgy", says="no.sgy")
refused(71, *one, "--memory", "1e-6", "-o", "no.h5", says="--memory")
refused(73, *one, "-o", "single.h5", says="single.h5")
gradient(*one, "-o", "single.h5", "--force")
refused(73, *one, "-o", "observed/shots/shot_00001.h5", "--force", says="shot_00001.h5")
refused(64, *one, "--equation", "density", "-o", "no.h5", says="--equation")
refused(64, *one, "--snapshot-every", "0.1", "-o", "no.h5", says="--snapshot-every")
assert not Path("no.h5").exists() and not Path("no.shots").exists()
end("gradients")
