"""Things that are not the program's are kept: files, links and checkpoints that stand where it writes.

    not_ours.py PROGRAM
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py

PROGRAM = os.path.abspath(sys.argv[1])
SHOT = "--device cpu --grid 24 --pml-width 4 --dt 2e-3 --steps 4000 --receivers line:20,100,20:200,100,20:3"
SURVEY = "--device cpu --grid 24 --pml-width 4 --dt 2e-3 --steps 8 --sources line:60,100,60:160,100,60:2 --output o"
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}
VICTIM = b"a user's\n"


def run(words, expected, says=""):
    result = subprocess.run([PROGRAM, *words.split()], env=ENVIRONMENT, text=True, capture_output=True, check=False)
    errors = [line for line in result.stderr.splitlines() if "error: " in line]
    assert result.returncode == expected and says in result.stderr, (words, result.returncode, result.stderr)
    assert len(errors) == (expected != 0), errors


def leave_checkpoint(output):
    """The first checkpoint of a shot that was killed, and its name."""
    with open(os.devnull, "w", encoding="ascii") as nowhere:
        process = subprocess.Popen([PROGRAM, *f"{SHOT} --checkpoint-every 1e-9 --output {output}".split()],
                                   env=ENVIRONMENT, stdout=nowhere, stderr=nowhere)
        checkpoint = pathlib.Path(output).with_suffix(".checkpoint.0.h5")
        while not checkpoint.exists():
            assert process.poll() is None, "it ended without a checkpoint"
            time.sleep(0.001)
        process.kill()
        process.wait()
    return checkpoint


def keeps_another_gather():
    """A user's gather that came under the output's name while a checkpoint was waiting."""
    leave_checkpoint("g.h5")
    run(f"{SHOT} --steps 20 --output other.h5".replace("--steps 4000 ", ""), 0)
    other = pathlib.Path("other.h5").read_bytes()
    pathlib.Path("g.h5").write_bytes(other)
    run(f"{SHOT} --output g.h5", 73, "'g.h5' exists")
    assert pathlib.Path("g.h5").read_bytes() == other
    pathlib.Path("g.h5").unlink()
    run(f"{SHOT} --output g.h5", 0)


def replaces_own(output):
    """Replaces the gather that the same shot published before it was killed over its checkpoint."""
    checkpoint = leave_checkpoint(output)
    left = checkpoint.read_bytes()
    run(f"{SHOT} --output {output}", 0)
    gather = pathlib.Path(output).read_bytes()
    checkpoint.write_bytes(left)
    run(f"{SHOT} --output {output}", 0)
    assert pathlib.Path(output).read_bytes() == gather and not checkpoint.exists()
    run(f"{SHOT} --output {output}", 73, "exists; give --force")  # no checkpoint says that it is the shot's


def keeps_newer_checkpoint(old, new):
    checkpoint = leave_checkpoint("g.h5")
    newer = checkpoint.read_bytes().replace(old, new)
    checkpoint.write_bytes(newer)
    run(f"{SHOT} --output g.h5 --force", 73, "a checkpoint of format 2")
    assert checkpoint.read_bytes() == newer


def keeps_record_from_checkpoints():
    run(f"{SHOT} --output g.h5 --json g.checkpoint.0.h5", 73, "two are to be made")


def keeps_file_named_as_part():
    with h5py.File("g.snapshots.part7.h5", "w") as file:
        file["x"] = 1
    content = pathlib.Path("g.snapshots.part7.h5").read_bytes()
    run(f"{SHOT} --snapshot-every 2000steps --output g.h5", 0)
    assert pathlib.Path("g.snapshots.part7.h5").read_bytes() == content


def keeps_link_to_nowhere():
    os.symlink("nowhere", "d")
    run(f"{SHOT} --output d", 73)
    run(f"{SHOT} --output d/e", 73)
    assert os.readlink("d") == "nowhere"


def keeps_link_of_survey(name):
    """A link in the survey's folder, to a file of the user's."""
    pathlib.Path("victim").write_bytes(VICTIM)
    run(SURVEY, 0)
    pathlib.Path(f"o/{name}").unlink(missing_ok=True)  # a lock has gone with the run
    os.symlink("../victim", f"o/{name}")
    run(SURVEY, 73, f"'o/{name}' is a link")
    assert pathlib.Path("victim").read_bytes() == VICTIM and os.path.islink(f"o/{name}")


CASES = [(keeps_another_gather,), (replaces_own, "g.h5"), (replaces_own, "g.sgy"),
         (keeps_newer_checkpoint, b"minimod checkpoint 1,", b"minimod checkpoint 2,"),
         (keeps_newer_checkpoint, b"minimod.checkpoint/1", b"minimod.checkpoint/2"), (keeps_record_from_checkpoints,),
         (keeps_file_named_as_part,), (keeps_link_to_nowhere,), (keeps_link_of_survey, ".lock"), (keeps_link_of_survey, "journal")]


def main():
    for function, *arguments in CASES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            function(*arguments)
            os.chdir("/")
            print(function.__name__, *arguments, flush=True)


main()
