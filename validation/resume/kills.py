"""Interrupts a command at random moments until it ends, and compares what it leaves with an uninterrupted run.

    kills.py [--kills N] [--flips N] [--seed S] [--finished PATTERN] [--ignore PATTERN] -- COMMAND [ARGUMENT ...]

The command runs in an empty folder. It is killed (SIGKILL, SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGXCPU in turn) after a
random time, and called again, until it has come to its end; then every file must be the one of the uninterrupted run,
byte by byte, and no other may be there. Then it starts anew, until it was interrupted N times. A signal that can be
caught must end it with code 75 within ten seconds, or find it at its end.

With --flips, bits of the checkpoints that an interrupted run leaves are flipped before the next call, and bits of
finished files: the call must still end with the files of the uninterrupted run. A finished file of a single shot stays
what it is, so that only a command that makes damaged files again (a survey) takes --finished, with their names. Under
--ignore are files with times in them.
"""

import argparse
import filecmp
import fnmatch
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGXCPU]
STOPPED = 75
ENVIRONMENT = {"SOURCE_DATE_EPOCH": "1700000000", "OMP_NUM_THREADS": "1"}


def files_of(folder, ignored):
    """Names of all files below a folder."""
    names = []
    for place, _, files in os.walk(folder):
        names += [os.path.relpath(os.path.join(place, name), folder) for name in files]
    return sorted(name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in ignored))


def differences(folder, reference, ignored):
    """What is other in the folder than in the reference."""
    found, expected = files_of(folder, ignored), files_of(reference, ignored)
    others = [f"{name} is {'missing' if name in expected else 'left behind'}" for name in set(found) ^ set(expected)]
    return others + [f"{name} differs" for name in set(found) & set(expected)
                     if not filecmp.cmp(os.path.join(folder, name), os.path.join(reference, name), shallow=False)]


def is_caught(process, sent):
    """Whether the program handles the signal by now: before, it is not a program yet but one being loaded."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            masks = {line.split(":")[0]: int(line.split()[1], 16) for line in status
                     if line.startswith(("SigCgt", "SigBlk"))}
    except OSError:
        return True
    bit = 1 << sent - 1
    return any(mask & bit for mask in masks.values())


class Command:
    """The command, its uninterrupted files and how long it takes."""

    def __init__(self, arguments, reference):
        self.arguments = arguments
        self.environment = {**os.environ, **ENVIRONMENT}
        start = time.monotonic()
        ended = self.start(reference).wait()
        self.seconds = time.monotonic() - start
        if ended != 0:
            sys.exit(f"kills: the command ends with {ended} by itself")

    def start(self, folder):
        """A process of it in the folder."""
        with open(os.devnull, "w", encoding="ascii") as nowhere:
            return subprocess.Popen(self.arguments, cwd=folder, env=self.environment, stdout=nowhere, stderr=nowhere)

    def interrupt(self, folder, sent, after):
        """Its exit code where it is sent that signal after a time, and how long it took to end."""
        process = self.start(folder)
        time.sleep(after)
        while sent != signal.SIGKILL and process.poll() is None and not is_caught(process, sent):
            time.sleep(0.0005)
        start = time.monotonic()
        process.send_signal(sent)
        return process.wait(), time.monotonic() - start


def flip(path, chance):
    """A bit of a file."""
    size = os.path.getsize(path)
    if size == 0:
        return False
    place = chance.randrange(size)
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1 << chance.randrange(8)]))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--flips", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--finished", metavar="PATTERN", help="flip bits of these finished files, too")
    parser.add_argument("--ignore", action="append", default=[], help="files whose bytes may differ")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    wrong, slowest, flips, ends = [], 0.0, 0, 0
    codes = {}
    with tempfile.TemporaryDirectory() as place:
        reference, folder = os.path.join(place, "reference"), os.path.join(place, "interrupted")
        os.mkdir(reference)
        os.mkdir(folder)
        command = Command(options.command, reference)
        kills = 0
        while kills < options.kills or flips < options.flips or files_of(folder, []):
            if kills < options.kills or (flips < options.flips and kills < 100 * options.flips):
                sent = SIGNALS[kills % len(SIGNALS)]
                # Some in the first tenth, where little is set up yet.
                longest = command.seconds * (0.1 if chance.random() < 0.2 else 1.1)
                code, took = command.interrupt(folder, sent, chance.uniform(0, longest))
                kills += 1
                codes[code] = codes.get(code, 0) + 1
                slowest = max(slowest, took if sent != signal.SIGKILL else 0)
                if code not in (0, STOPPED, -signal.SIGKILL) or (code < 0 and sent != signal.SIGKILL):
                    wrong.append(f"{signal.Signals(sent).name} ends it with {code}")
            else:
                code = command.start(folder).wait()
                if code != 0:
                    wrong.append(f"it does not go on: {code}")
                    break
            targets = [name for name in files_of(folder, [])
                       if fnmatch.fnmatch(name, options.finished or "") or "checkpoint" in name]
            if code == 0:
                ends += 1
                wrong += differences(folder, reference, options.ignore)
                if not options.finished or flips >= options.flips:
                    shutil.rmtree(folder)
                    os.mkdir(folder)
                    continue
            if flips < options.flips and targets:
                flips += flip(os.path.join(folder, chance.choice(targets)), chance)
    print(f"{kills} interruptions (codes {codes}), {flips} flips, {ends} ends, slowest to stop {slowest:.2f} s,"
          f" {len(wrong)} wrong")
    for what in wrong[:20]:
        print("  " + what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
