"""Runs of the program's ranks, by the arguments of the script: PROGRAM [--device cuda]."""
import argparse
import json
import os
import subprocess
from pathlib import Path

import h5py

from processes import children_of

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
ARGUMENTS = parser.parse_args()
PROGRAM, ON_GPU = str(Path(ARGUMENTS.program).resolve()), ARGUMENTS.device == "cuda"

GRID = f"--device {ARGUMENTS.device} --grid 30,26,34 --spacing 10 --pml-width 6 --wavelet ricker:f=15"
# On a GPU a slab might take another kernel than the whole by itself.
SMALL = f"{GRID} --steps 60" + (" --kernel gmem_8x8x8" if ON_GPU else "")
LONG = SMALL.replace("--steps 60", "--steps 1000000")
os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"  # other tests have the cores, too
TRANSPORTS = ["ipc", "staged"] if ON_GPU else ["mpi"]
# Two steps a launch.
WHOLE = f"--kernel {'tma_whole_64x32' if ON_GPU else 'reference'} --schedule whole --interpolation nearest"


def run(options, folder, expected=0):
    """The finished process."""
    command = [PROGRAM, *options.split(), "--output", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == expected, (command, done.returncode, done.stderr)
    return done


def datasets(folder, name="shot_gather.h5"):
    with h5py.File(Path(folder) / name) as file:
        return {key: file[key][...] for key in file if key not in ("texts",)}


def started(options, folder, ranks, environment=None):
    """The process, when its ranks are there."""
    share = ["--share-gpu"] if ON_GPU else []
    process = subprocess.Popen([PROGRAM, *options.split(), "--output", folder, "--ranks", str(ranks), *share],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **(environment or {})})
    for line in process.stdout:
        if line.strip().startswith("ranks"):
            break
    return process


def descendants_of(pid):
    return [one for child in children_of(pid) for one in (child, *descendants_of(child))]


def asked(command):
    """List of a command in JSON."""
    done = subprocess.run([PROGRAM, command, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def runs_there(kernel):
    """Whether a kernel runs on the GPU."""
    return any(row["name"] == kernel and row["cuda"]["runs"] for row in asked("kernels")["kernels"])


def gpus():
    return sum(device["kind"] == "cuda" and "why_not" not in device for device in asked("info")["devices"])
