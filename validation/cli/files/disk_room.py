"""Runs and merges that do not fit the disk are refused before anything is made (74), in a line with the bytes.

    disk_room.py PROGRAM LITTLE_ROOM_LIBRARY

The library says that a file system has as much room as is asked for.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:3])
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
LONGEST = 240
SHOT = "--device cpu --grid 24 --pml-width 4 --steps 400 --receivers line:20,100,20:200,100,20:300"
SURVEY = "--device cpu --grid 24 --pml-width 4 --dt 2e-3 --steps 40 --sources line:60,100,60:160,100,60:2"
GATHERS = [  # with what the line must say
    (f"{SHOT} --output g.h5", "two checkpoints"), (f"{SHOT} --output g.sgy", "two checkpoints"),
    (f"{SHOT} --output g.h5 --format hdf5,segy", "two checkpoints"),
    (f"{SHOT} --output g.h5 --snapshot-every 1steps", "--snapshot-stride"),
    (f"{SHOT} --output g.h5 --checkpoint-every 0", "two checkpoints"),
    (f"{SHOT} --output folder/of/g.h5".replace(":300", ":30000"), "--record-dt")]


def run(words, room=None):
    extra = {} if room is None else {"LD_PRELOAD": LIBRARY, "LITTLE_ROOM": str(room)}
    return subprocess.run([PROGRAM, *words.split()], env=ENVIRONMENT | extra, text=True, capture_output=True, check=False)


def bytes_asked_for(words, says):
    """Refused where one byte is there, and nothing is made."""
    before = set(pathlib.Path().rglob("*"))
    done = run(words, 1)
    found = re.search(r" takes (\d+) bytes, and 1 are free in its file system; ", done.stderr)
    assert done.returncode == 74 and found and says in done.stderr, (words, done)
    assert done.stderr.count("\n") == 1 and len(done.stderr) <= LONGEST + 1 and done.stdout == "", done
    assert set(pathlib.Path().rglob("*")) <= before, words  # files of a killed run may go
    return int(found[1])


def check_gather(words, says):
    """The bytes are an upper bound of what the run leaves, with its checkpoints, and with one less it is refused."""
    asked = bytes_asked_for(words, says)
    assert run(words, asked - 1).returncode == 74
    done = run(words, asked)
    assert done.returncode == 0, (words, done)
    left = sum(path.stat().st_size for path in pathlib.Path().rglob("*") if path.is_file())
    assert left <= asked, (words, left, asked)


def check_checkpoints_that_are_there():
    """Checkpoints that are there are replaced: only what is beside them is asked for."""
    asked = bytes_asked_for(f"{SHOT} --output g.h5", "two checkpoints")
    process = subprocess.Popen([PROGRAM, *f"{SHOT} --output g.h5 --checkpoint-every 1e-9".replace("400", "40000").split()],
                               env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not all(os.path.exists(f"g.checkpoint.{i}.h5") for i in (0, 1)):
        assert process.poll() is None
    process.kill()
    process.wait()
    there = sum(os.path.getsize(f"g.checkpoint.{i}.h5") for i in (0, 1))
    # The other run asks for more traces: the first one's need is the rest of this one's.
    assert bytes_asked_for(f"{SHOT} --output g.h5 --force", "") == asked - min(there, asked), (asked, there)


def check_merges():
    for survey, suffixes in ((f"{SURVEY} --output o", ("h5", "sgy")), (f"{SURVEY} --format segy --output s", ("sgy",))):
        assert run(survey).returncode == 0
        for suffix in suffixes:
            words = f"merge {survey.split()[-1]} -o m.{suffix} --force"
            asked = bytes_asked_for(words, "make room")
            assert run(words, asked).returncode == 0
            size = os.path.getsize(f"m.{suffix}")
            assert (size == asked) if suffix == "sgy" else (size <= asked <= 2 * size + (1 << 20)), (words, size, asked)


def main():
    for check, *arguments in [(check_gather, *case) for case in GATHERS] + [(check_checkpoints_that_are_there,), (check_merges,)]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            check(*arguments)
            os.chdir("/")
            print(check.__name__, *arguments, flush=True)


main()
