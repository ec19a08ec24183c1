#!/usr/bin/env python3
"""Shots of a gradient and of an image by several workers: the same bits with any number of them, whatever is killed.

    gradient_workers.py PROGRAM [--device cuda]
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np

from processes import children_of
from small_shots import MODEL, background, ball, call, damage, end, folder, one_line, program, traces
from small_shots import SHOT as SHOT_ALONE

ON_GPU = "cuda" in sys.argv
SHOT = (*MODEL, *SHOT_ALONE[:SHOT_ALONE.index("--device")], "--sources", "line:40,100,20:220,90,20:6", "--kernel",
        "gmem" if ON_GPU else "auto")
MOST = (sum(device["kind"] == "cuda" for device in json.loads(call("info", "--json").stdout)["devices"]) if ON_GPU else
        len(os.sched_getaffinity(0)))
if MOST < 2:
    shutil.rmtree(folder)
    print("there are no two devices for two workers")
    sys.exit(77)


def by(workers):
    """Options of so many workers."""
    if ON_GPU:
        return ("--device", "cuda:" + ("all" if workers == MOST else ",".join(map(str, range(workers)))))
    return ("--device", "cpu", "--workers", workers)


background.tofile("background.bin")
(background + np.float32(120) * ball).tofile("true.bin")
call("--model", "true.bin", *SHOT, *by(1), "-o", "observed")


def words(*more, workers=1, command="gradient", of=("--observed", "observed")):
    return (command, "--model", "background.bin", *SHOT, *by(workers), *of, *more)


def read(file):
    with h5py.File(file) as opened:
        return {name: one[()] for name, one in opened.items() if isinstance(one, h5py.Dataset)}


def same(one, other):
    assert one.keys() == other.keys(), (one.keys(), other.keys())
    for name, values in one.items():
        assert np.array_equal(values, other[name]), name


def begun(name, *more, shots=1, errors=subprocess.PIPE):
    """A gradient of two workers that is at work when so many shots are done; none is: when its workers are ready."""
    process = subprocess.Popen([program, *map(str, words("-o", name, *more, workers=2))], stdout=subprocess.PIPE,
                               stderr=errors, text=True)
    ended = 0
    while ended < shots:
        ended += process.stdout.readline().startswith("shot ")
    while shots == 0 and "drives" not in process.stdout.readline():
        pass
    return process


def done_before(out):
    return int(re.search(r"(\d) done before", out).group(1))


# ---- Any number of workers ------------------------------------------------------------------------------------------

call(*words("-o", "whole.h5"))
whole = read("whole.h5")
assert list(whole["shot"]) == [1, 2, 3, 4, 5, 6] and whole["gradient"].any()
for workers in sorted({1, 2, min(3, MOST), min(8, MOST)}):
    out = call(*words("-o", f"by{workers}.h5", workers=workers)).stdout
    assert f"{min(6, workers)} ({'cuda' if ON_GPU else 'cpu'}:0" in out and out.count("\nshot ") == 6, out
    same(read(f"by{workers}.h5"), whole)
    assert not Path(f"by{workers}.shots").exists()
if not ON_GPU:
    one_line(call(*words("-o", "no.h5", workers=MOST + 1), code=64), f"there are {MOST} cores")

condition = ("--condition", "inverse-scattering", "--compensate")
call(*words(*condition, "-o", "image.h5", command="image"))
call(*words(*condition, "-o", "image2.h5", workers=2, command="image"))
same(read("image2.h5"), read("image.h5"))
for name, kind in (("image2", "image"), ("whole", "gradient")):
    with h5py.File(f"{name}.h5") as opened:
        assert opened.attrs["format"] == f"minimod {kind} 1", opened.attrs["format"]

np.savetxt("weights.txt", np.linspace(0, 2, 24))
for workers in (1, 2):
    name = f"rests{workers}"
    call(*words("--trace-weights", "weights.txt", "--write-residuals", name, "-o", f"{name}.h5", workers=workers))
same(read("rests2.h5"), read("rests1.h5"))
for file in sorted(Path("rests1").iterdir()):
    assert np.array_equal(traces(file), traces(Path("rests2") / file.name))
for workers in (1, 2):
    call(*words("-o", f"adjoint{workers}.h5", workers=workers, of=("--adjoint-sources", "rests1")))
same(read("adjoint2.h5"), read("adjoint1.h5"))

# ---- Calls that end early -------------------------------------------------------------------------------------------

for number in (signal.SIGKILL, signal.SIGTERM):
    name = f"ended{number}.h5"
    process = begun(name, "--write-residuals", f"rests{number}")
    children = children_of(process.pid)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == (-9 if number == signal.SIGKILL else 75), said
    assert number == signal.SIGKILL or (said.count("\n") == 1 and "goes on" in said), said
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "a worker has outlived its parent"
        time.sleep(0.01)
    assert not Path(name).exists()
    out = call(*words("-o", name, "--write-residuals", f"rests{number}")).stdout
    assert 1 <= done_before(out) < 6, out
    same(read(name), whole)
    assert len(list(Path(f"rests{number}").glob("shot_*.h5"))) == 6
    assert not list(Path().glob("ended*.shots")) and not list(Path(f"rests{number}").glob(".*"))

for _ in range(5):  # on a busy machine a worker may have ended before it is killed
    process = begun("killed.h5", "--force", shots=0)
    os.kill(children_of(process.pid)[0], signal.SIGKILL)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    if said:
        break
assert "killed by signal 9" in said, said
same(read("killed.h5"), whole)
assert not Path("killed.shots").exists()

process = begun("stopped.h5")  # a worker alone is
os.kill(children_of(process.pid)[0], signal.SIGTERM)
said = process.communicate(timeout=60)[1]
lines = said.splitlines()  # where it was amid a transpose, that goes on
assert process.returncode == 0 and all("begins again" in line or "goes on behind" in line for line in lines), said
same(read("stopped.h5"), whole)

process = begun("locked.h5")
one_line(call(*words("-o", "locked.h5"), code=73), str(process.pid))
assert process.wait(timeout=60) == 0
same(read("locked.h5"), whole)

process = subprocess.Popen([program, *map(str, words("-o", "array.h5", "--worker", "0/2"))], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
while "drives" not in process.stdout.readline():
    pass
process.kill()
process.communicate()
assert Path("array.shots/.lock.0").exists()  # and keeps nobody away
for i in (1, 0):
    out = call(*words("-o", "array.h5", "--worker", f"{i}/2")).stdout
    assert "parts of 3 shots are in array.shots" in out and not Path("array.h5").exists(), out
assert done_before(call(*words("-o", "array.h5")).stdout) == 6
same(read("array.h5"), whole)
assert not Path("array.shots").exists()

# ---- Memory of shots and transposes, before anything is read or begun -----------------------------------------------


def too_large(edge, *more):
    """The line that refuses a cube with that edge."""
    result = call("gradient", "--model", "constant:2000", "--grid", edge, "--spacing", 10, "--sources",
                  "line:400,400,400:500,400,400:2", "--receivers", "line:400,400,400:500,400,400:2", "-w", "ricker:f=13",
                  "--steps", 9, "--device", "cpu", "--observed", "observed", "-o", "no.h5", *more, code=71)
    one_line(result, "GiB are free")
    assert not Path("no.shots").exists()
    return result.stderr


free = 2**30 * float(re.search("([0-9.e+]+) GiB are free", too_large(8000)).group(1))
half = int((0.5 * free / 16) ** (1 / 3))  # 16 B a point of a shot
assert "a shot and its transpose need" in too_large(half)
assert "fewer --workers" in too_large(int((0.25 * free / 16) ** (1 / 3)), "--workers", 2)

# ---- Traces that are wrong stop all before a shot runs; a shot that fails does not stop others -----------------------

shutil.copytree("observed", "wrong")
with h5py.File("wrong/shots/shot_00006.h5", "r+") as opened:
    opened["traces"][3, 5] = np.nan
result = call(*words("-o", "wrong.h5", workers=2, of=("--observed", "wrong")), code=65)
one_line(result, "shot_00006.h5")
assert "shot 1" not in result.stdout and not Path("wrong.shots").exists()

Path("loud.csv").write_text("x,y,z,wavelet\n" + "".join(f"{40 + 36 * i},{100 - 2 * i},20,{'loud.txt@dt=1e-3' * (i == 3)}\n"
                                                    for i in range(6)))
loud = ["loud.csv" if str(word).startswith("line:40") else word for word in words("-o", "loud.h5", workers=2)]
result = None
for height, code in ((1e300, 65), (1, 0)):
    np.savetxt("loud.txt", height * np.exp(-((np.arange(60) - 30) / 10)**2), fmt="%.6e")
    result = call(*loud, "--allow-dispersion", code=code)
    assert code == 0 or ("1 of 6 shots failed: 4" in result.stderr and not Path("loud.h5").exists()), result.stderr
assert done_before(result.stdout) == 5 and "\nshot 4: misfit" in result.stdout, result.stdout

# ---- A part that is damaged is made again, which reading tells ---------------------------------------------------------------------------

process = begun("damaged.h5", shots=2)
process.kill()
process.communicate()
part = sorted(Path("damaged.shots").glob("shot_*.h5"))[0]
damage(part)
parts = len(list(Path("damaged.shots").glob("shot_*.h5")))
result = call(*words("-o", "damaged.h5"))
assert done_before(result.stdout) == parts and "\nshot 1: misfit" in result.stdout, result.stdout
one_line(result, "shot 1 is computed once more")
same(read("damaged.h5"), whole)
end("gradients of several workers")
