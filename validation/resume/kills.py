"""Interrupts random commands at random moments, damages what they leave, and looks at what comes of it.

    kills.py PROGRAM [--kills N] [--flips N] [--ranks N] [--seed S] [--round R]

Each round draws a command (random_jobs.py) and runs it undisturbed. Then it is interrupted five times, by SIGKILL or
a signal that stops a run, sent to the command, to one of its workers, ranks or launchers, or to all of them, after a
random time or a random change of the folder, and called again until it has come to its end. At every moment each file
under its final name must be that of the undisturbed run, byte by byte, or what was there before; at the end there must
be all of them and no others, and a user's files as they were. A signal that the command catches ends it with code 75
within ten seconds, or finds it at its end.

Then, five times, one file of what an interrupted or finished command left is damaged: a bit, a byte or 512 of them,
its end, or the places of two blocks. The next command, the same or one that reads the file, must end with the right
files, or say in a line with code 65, 73 or 74 that it does not, and leave all as it was; with the file put back it must
go on.

With --ranks each shot is cut among so many ranks, of `minimod --ranks` or of mpirun. A round is drawn by the seed and
its number, so that --round R has it once more, but for the moments.
"""
import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import h5py

from random_jobs import ENVIRONMENT, MAY_STAY, RandomJobs, faults_of, files_of, matches

SIGNALS = [signal.SIGKILL] * 4 + [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGXCPU]
STOPPED, INTERNAL, REFUSALS = 75, 70, (65, 73, 74)
IT, ONE, ALL = "it", "one of its processes", "all"
A_ROUND = 5  # interruptions, and damages

MARK = "KILLS_PY_ROUND"  # in the environment of all processes of a call
WITHOUT_MPI = 77
BLOCK = 512


class Limit:
    """Seconds that a command may take."""
    end = 10  # from a signal to its end, and that of all its processes
    call = 60


class Call:
    """A command that runs in a folder, with all the processes that it starts."""
    number = 0

    def __init__(self, words, folder):
        Call.number += 1
        self.mark = f"{MARK}={os.getpid()}.{Call.number}".encode()
        name, value = self.mark.decode().split("=")
        self.errors = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
        scratch = os.path.dirname(folder)  # where a killed Open MPI leaves its own
        environment = os.environ | ENVIRONMENT | {
            name: value, "TMPDIR": scratch, "OMPI_MCA_btl_vader_backing_directory": scratch}
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.errors)

    def processes(self):
        """The numbers of those that run, in the order of their start."""
        found = []
        for number in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
            try:
                with open(f"/proc/{number}/environ", "rb") as file:
                    if self.mark in file.read().split(b"\0"):
                        found.append(number)
            except OSError:
                pass
        return found

    def end(self, seconds=None):
        """Exit code, words, and what is wrong with the end."""
        faults = []
        try:
            code = self.process.wait(seconds or Limit.call)
        except subprocess.TimeoutExpired:
            faults.append(f"it does not end within {seconds or Limit.call} s")
        until = time.monotonic() + Limit.end
        while not faults and self.processes():
            if time.monotonic() > until:
                faults.append(f"processes are left: {self.processes()}")
            time.sleep(0.01)
        for number in self.processes():
            os.kill(number, signal.SIGKILL)
        code = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace")
        self.errors.close()
        return code, said, faults


def is_caught(number, sent):
    """Whether a process handles the signal by now: before, it is not a program yet but one being loaded."""
    try:
        with open(f"/proc/{number}/status", encoding="ascii") as status:
            masks = [int(line.split()[1], 16) for line in status if line.startswith(("SigCgt", "SigBlk", "SigIgn"))]
    except OSError:
        return True
    return any(mask & 1 << sent - 1 for mask in masks)


def send(sent, number):
    if sent != signal.SIGKILL:
        until = time.monotonic() + 1
        while not is_caught(number, sent) and time.monotonic() < until:
            time.sleep(0.0005)
    try:
        os.kill(number, sent)
    except ProcessLookupError:
        pass


def names_in(folder):
    return {os.path.join(place, name) for place, _, names in os.walk(folder) for name in names}


class Round:
    """A job, its undisturbed files, and what was found wrong with it."""

    def __init__(self, job, chance, place):
        self.job, self.chance, self.faults = job, chance, []
        self.kill_codes, self.flip_codes = collections.Counter(), collections.Counter()
        self.folder = os.path.join(place, "run")
        self.job.prepare(self.folder)
        self.before = files_of(self.folder)
        begun = time.monotonic()
        code, said, faults = Call(job.command(), self.folder).end()
        self.seconds = time.monotonic() - begun
        self.reference = files_of(self.folder)
        if code != 0:
            faults.append(f"ends with {code} undisturbed: {said[-300:]}")
        self.note("undisturbed", faults)

    def note(self, what, faults):
        self.faults += [f"{what}: {fault}" for fault in faults]

    def wait_for_moment(self, call):
        """A random time, or a random change of the names of files."""
        if self.chance.random() < 0.5:
            # Some in the first tenth, where little is set up yet.
            time.sleep(self.chance.uniform(0, self.seconds * (0.1 if self.chance.random() < 0.2 else 1.1)))
            return
        changes, seen = self.chance.randint(1, 12), names_in(self.folder)
        while changes > 0 and call.process.poll() is None:
            now = names_in(self.folder)
            changes -= now != seen
            seen = now
            time.sleep(0.0003)

    def interrupt(self):
        """Whether the command came to its end."""
        sent, whom, choice = self.chance.choice(SIGNALS), self.chance.choice([IT, IT, ONE, ALL]), self.chance.random()
        call = Call(self.job.command(), self.folder)
        self.wait_for_moment(call)
        others = [number for number in call.processes() if number != call.process.pid]
        if whom == ONE and not others:
            whom = IT
        one = others[int(choice * len(others)):][:1]
        numbers = {IT: [call.process.pid], ALL: [call.process.pid, *others], ONE: one}
        for number in numbers[whom]:
            send(sent, number)
        code, said, faults = call.end(Limit.call if whom == ONE else Limit.end)
        self.kill_codes[code] += 1
        if not self.may_end(code, sent, whom):
            faults.append(f"ends with {code}: {said[-300:]}")
        faults += faults_of(self.folder, self.reference, self.before, code == 0)
        self.note(f"{sent.name} to {whom}", faults)
        return code == 0 or self.is_finished()

    def is_finished(self):
        """Whether all is there, though the command may have been killed behind that, with its locks."""
        faults = faults_of(self.folder, self.reference, self.before, True)
        return all(fault.endswith(".lock is left behind") for fault in faults)

    def may_end(self, code, sent, whom):
        """Says whether a command may end so. Codes of an mpirun that a user started, or that alone was told to stop,
        are not ours."""
        if self.job.launcher or (self.job.has_mpirun() and code == 1 and whom == ONE):
            return code != INTERNAL
        return code in (0, STOPPED) or (code == -signal.SIGKILL and sent == signal.SIGKILL and whom != ONE)

    def go_on(self, what):
        """To the end, undisturbed."""
        code, said, faults = Call(self.job.command(), self.folder).end()
        if code != 0:
            faults.append(f"does not go on: {code}: {said[-300:]}")
        self.note(what, faults + faults_of(self.folder, self.reference, self.before, code == 0))

    def kills(self, count):
        self.job.prepare(self.folder)
        for _ in range(count):
            if self.interrupt():
                self.job.prepare(self.folder)
        self.go_on("called again")

    def leave_something(self):
        """An interrupted, or a finished command's files; whether it is finished."""
        self.job.prepare(self.folder)
        while not self.job.own_files(self.folder):
            call = Call(self.job.command(), self.folder)
            if self.chance.random() < 0.7:
                self.wait_for_moment(call)
                send(self.chance.choice([signal.SIGTERM, signal.SIGKILL]), call.process.pid)
            call.end()
        return self.is_finished()

    def flip(self):
        is_finished = self.leave_something()
        name, reader = self.chance.choice(self.job.own_files(self.folder)), self.job.reader(is_finished, self.chance)
        expected = self.read_by(reader) if reader else None
        whole = files_of(self.folder)
        how, content = damaged(whole[name], self.chance)
        run = "a finished" if is_finished else "an interrupted"
        what = f"{name} of {run} run with {how}, then {reader or 'the same'}"
        self.write(name, content)
        command = [self.job.program, *reader.split()] if reader else self.job.command()
        code, said, faults = Call(command, self.folder).end()
        found = files_of(self.folder)
        if code == 0 and reader:
            faults += [] if content_of(self.folder, reader) == expected else ["a wrong result"]
        elif code == 0:
            # A part of snapshots in which nothing says any more what it is may be a user's.
            stays = f"{name} is left behind" if ".part" in name and found.get(name) == content else ""
            faults += [fault for fault in faults_of(self.folder, self.reference, self.before, True) if fault != stays]
        elif code not in REFUSALS or not 1 <= said.count("error: ") <= self.job.most_errors():
            faults.append(f"ends with {code}: {said[-400:]}")
        elif self.job.is_survey and not reader:  # other shots go on
            faults += faults_of(self.folder, self.reference, {name: content}, False)
        elif changed := self.changed(whole | {name: content}, found):
            faults.append(f"{changed} changed, though refused with {code}: {said[-300:]}")
        self.flip_codes[code] += 1
        self.note(what, faults)
        if code != 0 and not reader and (not is_finished or self.job.may_repeat()):
            self.write(name, whole[name])
            self.go_on(f"{what} ({code}), then put back")

    @staticmethod
    def changed(before, after):
        """Names of files that are not as they were, but for those that a run needs while it runs."""
        names = {name for name, _ in set(before.items()) ^ set(after.items())}
        return sorted(name for name in names if not matches(name, MAY_STAY))

    def read_by(self, reader):
        """Reads the files that are there by a command, which leaves nothing."""
        code, said, faults = Call([self.job.program, *reader.split()], self.folder).end()
        content = content_of(self.folder, reader) if code == 0 else None
        self.note(reader, faults + ([f"ends with {code}: {said[-300:]}"] if code else []))
        if code == 0:
            os.remove(os.path.join(self.folder, output_of(reader)))
        return content

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)


def output_of(words):
    return words.split()[-1]


def content_of(folder, reader):
    """Bytes of the file that a command has made, of a shot those of the traces: its gather names what was fed."""
    path = os.path.join(folder, output_of(reader))
    if reader.startswith("merge"):
        with open(path, "rb") as file:
            return file.read()
    with h5py.File(path) as file:
        return file["traces"][:].tobytes()


def damaged(content, chance):
    """Name of a damage, and the damaged content."""
    how = chance.choice(["bit", "byte", "end", "zeros", "blocks"]) if content else "byte"
    place, count = chance.randrange(len(content) or 1), chance.randrange(1, 256)
    block = place - place % BLOCK
    other = chance.randrange(len(content) // BLOCK + 1) * BLOCK
    made = bytearray(content)
    if how == "end":
        return f"{place} of {len(content)} bytes", content[:place]
    if how == "zeros":
        made[block:block + BLOCK] = bytes(len(made[block:block + BLOCK]))
    elif how == "blocks":
        made[block:block + BLOCK], made[other:other + BLOCK] = made[other:other + BLOCK], made[block:block + BLOCK]
    if made != content:
        return f"{how} at {block}" + (f" and {other}" if how == "blocks" else ""), bytes(made)
    if not made:
        return "a byte", b"x"
    made[place] ^= 1 << count % 8 if how == "bit" else count
    return f"{content[place]} for {made[place]} at {place} of {len(content)}", bytes(made)


def has_mpi(program):
    said = subprocess.run([program, "info", "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(said)["build"]["mpi"] != ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--flips", type=int, default=10)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--round", type=int, help="this one alone")
    parser.add_argument("--patience", type=float, default=Limit.end, metavar="SECONDS",
                        help="from a signal to the end; a call may take six times that. More on a busy machine")
    options = parser.parse_args()
    Limit.end, Limit.call = options.patience, 6 * options.patience
    if options.ranks > 1 and not has_mpi(options.program):
        return WITHOUT_MPI
    last = -(-max(options.kills, options.flips) // A_ROUND)
    wrong, kill_codes, flip_codes = 0, collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        jobs = RandomJobs(options.program, options.ranks, place)
        for number in range(1, last + 1) if options.round is None else [options.round]:
            chance = random.Random(f"{options.seed}/{number}")
            one = Round(jobs.draw(chance), chance, place)
            one.kills(min(A_ROUND, options.kills - kill_codes.total()))
            for _ in range(min(A_ROUND, options.flips - flip_codes.total())):
                one.flip()
            kill_codes += one.kill_codes
            flip_codes += one.flip_codes
            wrong += len(one.faults)
            for fault in one.faults:
                print(f"seed {options.seed}, round {number}: {' '.join(one.job.command())}\n  {fault}", flush=True)
    print(f"{kill_codes.total()} interruptions (codes {dict(kill_codes)}), {flip_codes.total()} damaged files"
          f" (codes {dict(flip_codes)}), {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
