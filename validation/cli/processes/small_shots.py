"""A small model with a ball in it, shots over it, and calls of the program in a folder of their own: what the tests of
gradients, linearised shots and images begin with. sys.argv[1] names the program."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

program = os.path.abspath(sys.argv[1])
folder = Path(tempfile.mkdtemp())
os.chdir(folder)

N = (22, 20, 28)  # z, y, x
z, y, x = np.mgrid[:N[0], :N[1], :N[2]]
ball = (z - 12) ** 2 + (y - 10) ** 2 + (x - 14) ** 2 < 20
background = (1800 + 15 * z).astype("<f4")
MODEL = "--model-dims 28,20,22 --model-axes z,y,x --model-spacing 10".split()
SHOT = ("--pml-width 6 --pml-velocity 2300 --dt 0.0016 -w ricker:f=13 --steps 150 --receivers "
        "grid:40,40,30:240,160,30:6,4 --device cpu").split()
SOURCE = ("--source", "140,90,30")


def call(*words, code=0, **more):
    result = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=300, check=False, **more)
    assert result.returncode == code, (words, result.returncode, result.stderr)
    return result


def one_line(result, says):
    """Checks that stderr has one line, which says that."""
    assert result.stderr.count("\n") == 1 and says in result.stderr, (result.args, result.stderr)


def damage(file):
    """Another bit amid the values of a field."""
    middle = Path(file).stat().st_size // 2
    with open(file, "r+b") as opened:
        opened.seek(middle)
        byte = opened.read(1)[0]
        opened.seek(middle)
        opened.write(bytes([byte ^ 4]))


def traces(file):
    with h5py.File(file) as opened:
        return opened["traces"][()].astype(float)


def end(what):
    """Removes the folder."""
    os.chdir("/")
    shutil.rmtree(folder)
    print(what, "hold")
