"""A domain cut among ranks gives the bits of the whole: ranks.py PROGRAM.

Exit code 77 where the program was built without MPI."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

PROGRAM = sys.argv[1]
SMALL = "--device cpu --grid 30,26,34 --spacing 10 --pml-width 6 --steps 60 --wavelet ricker:f=15"
SHOT = "--source 90,70,104 --receivers line:10,70,3:170,70,208:9"  # across all cuts, between the nodes
LAYERED = "--model layered:1500@0,2500@90 "


def run(options, folder, ranks=None, expected=0):
    """The finished process; `ranks`: None for one process without MPI."""
    command = [PROGRAM, *options.split(), "--output", folder]
    if ranks:
        command += ["--ranks", str(ranks)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == expected, (command, done.returncode, done.stderr)
    return done


def datasets(folder, name="shot_gather.h5"):
    with h5py.File(Path(folder) / name) as file:
        return {key: file[key][...] for key in file if key not in ("texts",)}


def same(options, ranks, cut="", more=()):
    """The same traces, and the same extremes at the end, with so many ranks as with one; `cut`: options for them,
    `more`: files beside the gather. The gather."""
    with tempfile.TemporaryDirectory() as folder:
        whole = run(options, f"{folder}/whole")
        for count in ranks:
            part = run(f"{options} {cut}", f"{folder}/{count}", count)
            assert last_words(whole) == last_words(part), (options, count)
            for name in ("shot_gather.h5", *more):
                a, b = datasets(f"{folder}/whole", name), datasets(f"{folder}/{count}", name)
                assert a.keys() == b.keys()
                for key in a:
                    assert np.array_equal(a[key], b[key]), (options, count, key)
        return datasets(f"{folder}/whole")


def last_words(done):
    return [line for line in done.stdout.splitlines() if line.startswith("wavefield")]


def bits():
    traces = same(f"{SMALL} {LAYERED} {SHOT}", (2, 3))["traces"]
    assert all(np.abs(trace).max() > 0 for trace in traces)
    same(f"{SMALL} {SHOT} --interpolation nearest --free-surface", (3,), "--slabs 5,4,25")  # as thin as can be
    same(f"{SMALL} {SHOT} --boundary cpml --snapshot-every 20steps --snapshot-stride 3", (3,), "--slabs 10,10,14",
         ["shot_gather.snapshots.h5"])
    same(f"{SMALL} {SHOT} --boundary sponge", (2,))
    same(f"{SMALL} {SHOT} --decomposition two --kernel reference", (2,))
    small = SMALL.replace("--steps 60", "--steps 8")
    same(f"{small} {LAYERED} {SHOT} --emulate --kernel st_semi_16x16 --decomposition one", (3,))
    same(f"{small} {LAYERED} {SHOT} --emulate --kernel gmem_8x8x8", (2,))


def checkpoints():
    """A run that three ranks began goes on with two, and with one; to the same bits."""
    options = f"{SMALL.replace('--steps 60', '--steps 6000')} {LAYERED} {SHOT} --boundary cpml"
    with tempfile.TemporaryDirectory() as folder:
        run(options, f"{folder}/whole")
        for count in (3, 2):
            stop_after(options, f"{folder}/parts", count, 0.3)
            assert list(Path(folder, "parts").glob("*.checkpoint.*.h5")), count
        assert "goes on" in run(options, f"{folder}/parts").stdout
        a, b = datasets(f"{folder}/whole"), datasets(f"{folder}/parts")
        assert all(np.array_equal(a[key], b[key]) for key in a)


def stop_after(options, folder, ranks, seconds):
    """SIGTERM to mpirun leaves a checkpoint within 10 s, and code 75."""
    process = subprocess.Popen([PROGRAM, *options.split(), "--output", folder, "--ranks", str(ranks)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.strip().startswith("ranks"):
            break
    time.sleep(seconds)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    _, errors = process.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert process.returncode == 75, (process.returncode, errors)
    assert "stopped by a signal" in errors, errors


def children_of(pid):
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return [int(child) for child in found.stdout.split()]


def faults():
    """All ranks end, with one line of ours and the right code; nothing is left."""
    with tempfile.TemporaryDirectory() as folder:
        def refused(options, ranks, code, words):
            done = run(f"{SMALL} {options}", f"{folder}/refused", ranks, code)
            lines = [line for line in done.stderr.splitlines() if line.startswith("minimod: error")]
            assert len(lines) == 1 and words in lines[0] and len(lines[0]) <= 240, done.stderr
            assert not Path(folder, "refused").exists()

        refused("", 6, 64, "the slab of rank")
        refused("--slabs 10,10", 2, 64, "the grid has 34")
        refused("--model nowhere.h5", 2, 66, "nowhere.h5")
        refused("--transport ipc", 2, 69, "from GPU to GPU")
        refused("--transport staged", None, 64, "give --ranks")
        refused("--interpolation sinc8 --receivers line:10,70,113:170,70,113:3", 2, 64, "beyond the slab")
        refused("--sources line:30,70,50:110,70,50:5", 2, 64, "survey")
        bench = subprocess.run([PROGRAM, "info"], capture_output=True, text=True,
                               env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
        assert bench.returncode == 69, bench.stderr  # a launcher of another MPI

        process = subprocess.Popen([PROGRAM, *SMALL.replace("--steps 60", "--steps 1000000").split(),
                                    "--ranks", "3", "--output", f"{folder}/killed"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stdout:
            if line.strip().startswith("ranks"):
                break
        mpirun, = children_of(process.pid)
        os.kill(children_of(mpirun)[1], signal.SIGKILL)
        began = time.monotonic()
        process.communicate(timeout=20)
        assert time.monotonic() - began < 10 and process.returncode != 0
        assert not list(Path(folder, "killed").glob("*.h5"))


def record():
    with tempfile.TemporaryDirectory() as folder:
        run(f"{SMALL} {SHOT} --json {folder}/run.json", f"{folder}/run", 2)
        run_record = json.loads(Path(folder, "run.json").read_text())
        ranks = run_record["ranks"]
        assert ranks["transport"] == "mpi"
        assert sum(row["points"] for row in ranks["rows"]) == 30 * 26 * 34
        assert all(row["bytes_sent"] > 0 and row["seconds"] > 0 for row in ranks["rows"])
        assert all(row["wait_seconds_a_step"] >= 0 for row in ranks["rows"])
        assert {"inner", "top", "halos"} <= run_record["result"]["regions"].keys()


def has_mpi():
    info = subprocess.run([PROGRAM, "info", "--json"], capture_output=True, text=True, check=True)
    return json.loads(info.stdout)["build"]["mpi"] != ""


if __name__ == "__main__":
    if not has_mpi():
        sys.exit(77)
    for part in (bits, checkpoints, faults, record):
        began = time.monotonic()
        part()
        print(part.__name__, "passed in", round(time.monotonic() - began, 1), "s", flush=True)
