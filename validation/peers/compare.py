#!/usr/bin/env python3
"""Compares minimod's traces with those of independent programs: Devito and deepwave.

    compare.py
    compare.py --program build/bin/minimod --environment build/peers --peers devito -- --device cpu

This file needs Python's own modules only: it makes a virtual environment, installs the peers with pip as pinned in
requirements.txt, and hands over to measure.py there. Words after -- go to minimod. The exit code is 0 when all
that could be compared agrees, 1 otherwise, 64 for a wrong command line.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BASE = ("numpy", "h5py")
PEERS = {"devito": ("devito", "sympy"), "deepwave": ("deepwave", "torch")}
DISAGREE, USAGE = 1, 64


def fail(code, message):
    print(f"compare.py: error: {message}", file=sys.stderr)
    sys.exit(code)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(USAGE, f"{message}; see compare.py --help")


def names_of_peers(text):
    names = text.split(",")
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no such peer: {', '.join(unknown)}; there are {', '.join(PEERS)}")
    return names


def parse_arguments():
    """The options, and the words after -- as `minimod`."""
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    build = pathlib.Path(os.environ.get("MINIMOD_BUILD_DIR") or ROOT / "build")
    parser = Parser(usage="compare.py [options] [-- minimod's options]",
                    description="Compares minimod's traces with those of Devito and deepwave.")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "minimod",
                        help="minimod's launcher or binary (the repository's launcher, which builds it)")
    parser.add_argument("--environment", type=pathlib.Path, default=build / "peers", metavar="DIR",
                        help="scratch folder: virtual environment and files of the runs (peers/ in the build folder)")
    parser.add_argument("--peers", type=names_of_peers, default=list(PEERS), metavar="NAME,...",
                        help="programs to compare with (devito,deepwave; the latter brings PyTorch, 6 GB)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="record (peers.json in --environment)")
    arguments = parser.parse_args(words[:cut])
    arguments.minimod = words[cut + 1:]
    arguments.program = arguments.program.resolve()
    return arguments


def prepare_program(program):
    """Has the launcher build first, since it refuses a build folder that something else was put into."""
    try:
        subprocess.run([program, "--version"], check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as problem:
        fail(DISAGREE, f"{program} does not run: {problem}")


def make_environment(folder):
    """The interpreter of the virtual environment in `folder`, made if it is not there or does not work."""
    python = folder / "venv" / "bin" / "python"
    works = python.exists() and subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode == 0
    if not works:
        try:
            venv.create(folder / "venv", clear=True, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as problem:
            fail(DISAGREE, f"no virtual environment in {folder}: {problem}; install Python's venv and ensurepip")
    return python


def install(python, names, log):
    """Installs the named packages as pinned; the reason in one line where that fails, else None."""
    pins = dict(re.findall(r"^([\w-]+)==(\S+)$", (HERE / "requirements.txt").read_text(), re.MULTILINE))
    command = [python, "-m", "pip", "install", "--constraint", HERE / "requirements.txt",
               *(f"{name}=={pins[name]}" for name in names)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with open(log, "a") as file:
        file.write(result.stdout)
    if result.returncode == 0:
        return None
    errors = [line for line in result.stdout.splitlines() if line.startswith("ERROR")]
    return f"pip: {errors[0] if errors else 'failed'} (all it said is in {log})"


def unavailable_peers(python, peers, log):
    """Installs the peers and returns why, by name, for those that cannot be had."""
    reasons = {}
    for peer in peers:
        print(f"installing {', '.join(PEERS[peer])}", file=sys.stderr)
        reason = install(python, PEERS[peer], log)
        if peer == "devito" and not shutil.which(os.environ.get("CC", "gcc")):
            reason = "Devito needs a C compiler"
        if reason:
            reasons[peer] = reason
    return reasons


def main():
    arguments = parse_arguments()
    prepare_program(arguments.program)
    folder = arguments.environment.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = make_environment(folder)
    log = folder / "pip.log"
    reason = install(python, BASE, log)
    if reason:
        fail(DISAGREE, reason)
    job = {"program": str(arguments.program), "minimod_arguments": arguments.minimod,
           "peers": arguments.peers, "unavailable": unavailable_peers(python, arguments.peers, log),
           "folder": str(folder), "record": str((arguments.json or folder / "peers.json").resolve())}
    sys.exit(subprocess.run([python, HERE / "measure.py", json.dumps(job)]).returncode)


if __name__ == "__main__":
    main()
