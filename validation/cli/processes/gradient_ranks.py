#!/usr/bin/env python3
"""Gradients, images and linearised shots whose domain is cut among ranks: the bits of one process.

    gradient_ranks.py PROGRAM [--device cuda]

Exit code 77 where the program was built without MPI, or the machine has not two GPUs."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np

from processes import children_of
from small_shots import MODEL, background, ball, call, end, folder, one_line, program

ON_GPU = "cuda" in sys.argv
ABOUT = json.loads(call("info", "--json").stdout)
if not ABOUT["build"]["mpi"] or (ON_GPU and sum(device["kind"] == "cuda" for device in ABOUT["devices"]) < 2):
    shutil.rmtree(folder)
    print("there are no ranks, or no two GPUs for them")
    sys.exit(77)

KERNEL = "gmem_8x8x8" if ON_GPU else "reference"
ONE = ("--device", "cuda:0" if ON_GPU else "cpu")
SHOT = ("--pml-width 6 --dt 0.0014 -w ricker:f=13 --steps 110 --allow-dispersion "
        "--receivers line:45,90,12:235,100,196:11 --source 140,90,103").split()  # across the cuts, between the nodes
LONG = ("--steps", 20000 if ON_GPU else 1500, *SHOT[:SHOT.index("--steps")], *SHOT[SHOT.index("--steps") + 2:])
SURVEY = (*SHOT[:SHOT.index("--source")], "--sources", "line:60,100,23:220,90,180:3")
AT_NODES = ("--interpolation", "nearest")
PIECES = ("--memory", 0.0006)  # for some of a shot's drives; others are computed once more


def among(ranks, of="--ranks"):
    """Options of so many ranks."""
    if ranks == 1:
        return ONE
    return (of, ranks, *(("--device", "cuda:0,1", "--share-gpu") if ON_GPU else ONE))


def words(command, name, *more, ranks=1, shot=SHOT):
    """Words of a call; kernel and traces of `more` stand in place of the usual ones."""
    usual = {"--kernel": (KERNEL,)}
    usual |= {"--change": ("ball.bin",)} if command == "born" else {"--observed": (traces_of(shot),)}
    given = (word for option, values in usual.items() if option not in more for word in (option, *values))
    cut = () if "--device" in more else among(ranks, "--ranks-per-shot" if shot is SURVEY else "--ranks")
    return (command, "--model", "background.bin", *MODEL, *shot, *given, *cut, *more, "-o", name, "--force")


def traces_of(shot):
    return "observed" if shot is SURVEY else "observed.h5"


def read(file):
    with h5py.File(file) as opened:
        return {name: one[()] for name, one in opened.items() if isinstance(one, h5py.Dataset)}


def same(file, other):
    one, two = read(file), read(other)
    assert one.keys() == two.keys() and any(values.any() for values in one.values()), (one.keys(), two.keys())
    for name, values in one.items():
        assert np.array_equal(values, two[name]), (file, name)


def same_bits(command, *more, ranks=(2, 3), shot=SHOT):
    """Words of one process, and of those numbers of ranks, on a call whose files are the same."""
    said = [call(*words(command, f"{command}.h5", *more, shot=shot)).stdout]
    for count in ranks:
        said.append(call(*words(command, f"{command}_cut.h5", *more, ranks=count, shot=shot)).stdout)
        assert (f"ranks     {count} (" in said[-1]) != (command == "born" and shot is SURVEY), said[-1]
        same(f"{command}_cut.h5", f"{command}.h5")
    return said


background.tofile("background.bin")
ball.astype("<f4").tofile("ball.bin")
(background + np.float32(120) * ball).tofile("true.bin")


def observe(name, shot, *more):
    call("--model", "true.bin", *MODEL, *shot, "--kernel", KERNEL, *ONE, *more, "-o", name)


for shots in (SHOT, SURVEY):
    observe(traces_of(shots), shots)
observe("at_nodes.h5", SHOT, *AT_NODES)
np.savetxt("weights.txt", np.linspace(0, 2, 11))

# ---- The same bits --------------------------------------------------------------------------------------------------

for boundary in ("cpml", "pml", "sponge"):
    same_bits("gradient", "--boundary", boundary)
    same_bits("gradient", "--boundary", boundary, "--free-surface", *PIECES, ranks=(3,))
    if not ON_GPU:
        same_bits("gradient", "--boundary", boundary, "--free-surface", "--precision", "double", ranks=(3,))
        same_bits("born", "--boundary", boundary, "--precision", "double", ranks=(3,))
one, cut = same_bits("gradient", *PIECES, ranks=(2,))
assert "the shot is computed" in one and "the shot is computed" in cut, (one, cut)
os.mkdir("states")
for told in same_bits("gradient", *PIECES, "--correlate-every", 3, "--states-on", "states", "--misfit", "normalized",
                      "--by", "slowness2", "--window", "0.03,0.1,0.02", "--trace-weights", "weights.txt", ranks=(2,)):
    assert "states on disk" in told, told
if not ON_GPU:  # with ghosts beside the cuts, which the transpose does not have
    same_bits("gradient", "--boundary", "pml", "--schedule", "whole", *AT_NODES, "--observed", "at_nodes.h5", *PIECES)
for condition in ("cross", "inverse-scattering"):
    same_bits("image", "--condition", condition, "--compensate")
same_bits("born", "--free-surface")

# ---- Shots of a survey, by workers of ranks ---------------------------------------------------------------------------

more = () if ON_GPU else ("--workers", 2)
same_bits("gradient", "--write-residuals", "rests", *more, ranks=(2,), shot=SURVEY)
shutil.move("rests", "rests_cut")
whole = call(*words("gradient", "whole.h5", "--write-residuals", "rests", shot=SURVEY)).stdout
same("whole.h5", "gradient.h5")
for file in sorted(Path("rests").iterdir()):
    same(file, Path("rests_cut") / file.name)

# ---- A rank or a call that ends early ----------------------------------------------------------------------------------

observe("long.h5", LONG)


def begun(name, *more, when=lambda: True):
    """A gradient of two ranks that has begun, as far as `when` tells."""
    process = subprocess.Popen([program, *map(str, words("gradient", name, *more, ranks=2, shot=LONG))],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "drives" not in process.stdout.readline():
        assert process.poll() is None, process.communicate()[1]
    deadline = time.monotonic() + 60
    while not when():
        assert time.monotonic() < deadline and process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    return process


def ended(process):
    """Words of the process on stderr, with which its ranks have ended."""
    ranks = [rank for mpirun in children_of(process.pid) for rank in (mpirun, *children_of(mpirun))]
    said = process.communicate(timeout=60)[1]
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{rank}").exists() for rank in ranks):
        assert time.monotonic() < deadline, "a rank has outlived its command"
        time.sleep(0.01)
    return said


LONGER = {boundary: ("--boundary", boundary, "--observed", "long.h5") for boundary in ("cpml", "pml", "sponge")}
for boundary, there in LONGER.items():  # amid the transpose; ranks of another number go on
    name = f"{boundary}.h5"
    process = begun(name, *there, "--checkpoint-every", "0.1s", when=lambda: list(Path(f"{boundary}.shots").glob("*point*.h5")))
    process.send_signal(signal.SIGTERM)
    errors = [line for line in ended(process).splitlines() if "error" in line]
    assert process.returncode == 75 and len(errors) == 1 and not Path(name).exists(), (name, process.returncode, errors)
    result = call(*words("gradient", name, *there, ranks=1 if boundary == "sponge" else 3, shot=LONG))
    assert "goes on behind" in result.stderr, result.stderr
    call(*words("gradient", f"{boundary}_whole.h5", *there, shot=LONG))
    same(name, f"{boundary}_whole.h5")

process = begun("killed.h5", *LONGER["cpml"])
time.sleep(0.2)
os.kill(children_of(children_of(process.pid)[0])[1], signal.SIGKILL)
said = ended(process)
assert process.returncode == 0 and "begins again" in said, (process.returncode, said)
same("killed.h5", "cpml_whole.h5")

# ---- Refusals -----------------------------------------------------------------------------------------------------------


def refused(code, says, *more, ranks=2, shot=SHOT, command="gradient"):
    result = call(*words(command, "refused.h5", *more, ranks=ranks, shot=shot), code=code)
    lines = [line for line in result.stderr.splitlines() if "error" in line]
    assert len(lines) == 1 and says in lines[0] and len(lines[0]) <= 240, result.stderr
    assert not Path("refused.h5").exists() and not Path("refused.shots").exists()


if ON_GPU:
    refused(69, "--ranks is 3, of GPUs, one a rank, there are 2", "--ranks", 3, "--device", "cuda:0,1")
else:
    refused(64, "give --ranks 2", "--slabs", "17,17", ranks=1)
    refused(64, "--ranks-per-shot cuts each", "--ranks", 2, shot=SURVEY)
    refused(64, "the slabs of 6 ranks need", ranks=6)
    refused(64, "--slabs names 3", "--slabs", "10,10,14")
    refused(64, "the domain is cut before plane 7", *AT_NODES, "--observed", "at_nodes.h5", "--boundary", "pml",
            "--order", 2, "--slabs", "7,27")
    refused(64, "beyond", "--interpolation", "sinc8", "--slabs", "11,23")
    same_bits("gradient", *AT_NODES, "--observed", "at_nodes.h5", "--boundary", "pml", "--order", 2)
end("gradients among ranks")
