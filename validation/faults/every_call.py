"""Lets each call fail by which a command writes, one a run, and sees what is left.

    every_call.py PROGRAM FAILING_CALLS_LIBRARY [--error ENOSPC,EIO] [NAME ...]

Without a failure a command makes certain files. With its n-th writing call failed, for every n (write, pwrite,
ftruncate, fsync, close, rename of all its processes), it must end with 74 and a line of error, or, where the call
could be done without, with 0. Then each file that it leaves under its final name is the one without a failure or, where
it was there before, as it was; no temporary file stays; and the same command, called again, ends with 0 and all files.

Some commands are killed instead, before each fourth of their calls. Temporary files may stay then, until the next call;
that may say with 73 that all files are there.
"""
import argparse
import concurrent.futures
import errno
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SHOT = "--grid 24 --pml-width 4 --device cpu --receivers line:20,100,20:200,100,20:3 --force"
SURVEY = "--grid 24 --pml-width 4 --dt 2e-3 --steps 8 --device cpu --sources line:60,100,60:160,100,60:2 --output o"
COMMANDS = {  # commands before the last one are called without a failure
    "gather": [f"{SHOT} --steps 12 --output g.h5"],
    "all outputs, replaced": [f"{SHOT} --steps 12 --format hdf5,segy --json r.json --output g.h5"] * 2,
    "checkpoints": [f"{SHOT} --steps 8 --snapshot-every 4steps --checkpoint-every 1e-9 --output g.h5"],
    "fields of a stencil": ["stencil run zhang_7 --grid 12 --steps 2 --write s.h5 --force"],
    "survey": [SURVEY],
    "merge": [SURVEY, "merge o --force --output m.h5"],
    "merge to SEG-Y": [SURVEY, "merge o --force --output m.sgy"],
}
KILLED = {
    "outputs of a killed run": [f"{SHOT} --steps 8 --format hdf5,segy --snapshot-every 4steps --json r.json"
                                " --output g.h5".replace("--force ", "")],
}
ENVIRONMENT = {"SOURCE_DATE_EPOCH": "1700000000", "OMP_NUM_THREADS": "1"}
IO, CANNOT_CREATE = 74, 73
# Files with times in them, or in which the order of what is said differs.
NOT_COMPARED = re.compile(r"(^|/)(r\.json|survey\.json|journal|.*\.checkpoint\.[01]\.h5)$")
# Files that a stopped run leaves to be gone on with.
MAY_STAY = re.compile(r"(^|/)(journal.*|configuration\.json|.*\.checkpoint\.[01]\.h5|.*\.part\d+\.h5)$")


def files_of(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


class Command:
    def __init__(self, program, library, words):
        self.program, self.library = program, library
        *self.before, self.words = words
        self.most_errors = 2 if self.words == SURVEY else 1  # the shot's and what becomes of the others
        with tempfile.TemporaryDirectory() as place:
            self.folder = pathlib.Path(place).resolve()
            self.calls, result = self.run(self.prepared(pathlib.Path(place)), 0, 0)
            if result.returncode != 0:
                sys.exit(f"{self.words}: ends with {result.returncode} without a failure: {result.stderr}")
            self.files = files_of(self.folder / "run")

    def prepared(self, place):
        folder = place.resolve() / "run"
        folder.mkdir()
        for words in self.before:
            subprocess.run([self.program, *words.split()], cwd=folder, check=True, capture_output=True,
                           env=os.environ | ENVIRONMENT)
        self.there = files_of(folder)
        return folder

    def run(self, folder, call, error):
        """How many calls there were, and the process that has ended."""
        count = folder.parent / "count"
        count.write_bytes(bytes(8))
        (folder.parent / "log").write_bytes(b"")
        preload = os.environ.get("LD_PRELOAD", "")
        environment = os.environ | ENVIRONMENT | {
            "LD_PRELOAD": f"{self.library}:{preload}".strip(":"), "FAILING_FOLDER": f"{folder}", "FAILING_CALL": str(call),
            "FAILING_COUNT": str(count), "FAILING_ERROR": str(error), "FAILING_LOG": str(folder.parent / "log")}
        result = subprocess.run([self.program, *self.words.split()], cwd=folder, env=environment, text=True,
                                capture_output=True, check=False, timeout=60)
        return int.from_bytes(count.read_bytes(), sys.byteorder), result

    def faults(self, call, error):
        """Faults after that failure, a line each."""
        with tempfile.TemporaryDirectory() as place:
            folder = self.prepared(pathlib.Path(place))
            _, result = self.run(folder, call, error)
            log = (pathlib.Path(place) / "log").read_text(encoding="utf-8").splitlines()
            failed = " ".join(log[call - 1].split()[1:]) if len(log) >= call else "?"
            faults = self.faults_of_end(result) + self.faults_of_files(files_of(folder), result.returncode)
            but_locks = {name: content for name, content in files_of(folder).items() if not name.endswith(".lock")}
            all_there = error == 0 and not self.faults_of_files(but_locks, 0)
            again = subprocess.run([self.program, *self.words.split()], cwd=folder, env=os.environ | ENVIRONMENT, text=True,
                                   capture_output=True, check=False, timeout=60)
            if again.returncode == CANNOT_CREATE and all_there:
                pass
            elif again.returncode != 0:
                faults.append(f"called again: {again.returncode}: {again.stderr.strip()[-200:]}")
            else:
                faults += [f"called again: {fault}" for fault in self.faults_of_files(files_of(folder), 0)]
            return [f"call {call} ({failed}), {errno.errorcode.get(error, 'killed')}: {fault}" for fault in faults]

    def faults_of_end(self, result):
        if result.returncode == -signal.SIGKILL:
            return []
        errors = [line for line in result.stderr.splitlines() if "error: " in line]
        if result.returncode == 0:
            return [] if not errors else [f"ends with 0 and {errors}"]
        if result.returncode != IO:
            return [f"ends with {result.returncode}: {result.stderr.strip()[-300:]}"]
        return [] if 1 <= len(errors) <= self.most_errors else [f"says {result.stderr.strip()[-300:]}"]

    def faults_of_files(self, files, code):
        faults = [f"{name} is missing" for name in self.files if code == 0 and name not in files]
        for name, content in files.items():
            if name not in self.files and not (code != 0 and MAY_STAY.search(name)) and not (
                    code == -signal.SIGKILL and name.endswith((".tmp", ".lock"))):
                faults.append(f"{name} is left")
            elif name in self.files and not NOT_COMPARED.search(name) and content != self.files[name] and (
                    code == 0 or content != self.there.get(name)):
                faults.append(f"{name} differs")
        return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--error", default="ENOSPC,EIO", help="one after the other, in turn")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", default=[*COMMANDS, *KILLED])
    options = parser.parse_args()
    errors = [getattr(errno, name) for name in options.error.split(",")]
    wrong = 0
    for name in options.names:
        command = Command(options.program, options.library, (COMMANDS | KILLED)[name])
        is_killed = name in KILLED
        calls = range(1, command.calls + 1, 4 if is_killed else 1)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            found = list(pool.map(command.faults, calls, [0 if is_killed else errors[n % len(errors)] for n in calls]))
        for fault in sum(found, []):
            print(f"{name}: {fault}")
        bad = sum(1 for faults in found if faults)
        print(f"{name}: {len(calls)} of {command.calls} calls {'were the last' if is_killed else 'failed'}, one each, "
              f"{bad} with something wrong", flush=True)
        wrong += bad
    sys.exit(1 if wrong else 0)


main()
