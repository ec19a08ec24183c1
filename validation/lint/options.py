#!/usr/bin/env python3
"""Does src/commands alone spell options and write notes, and is each option that libraries name one?
options.py PROGRAM [ROOT]

A string literal below src/commands must hold no `--word`, but for those of OTHERS, and no `minimod COMMAND`. A library
says option("pml-width"), which whoever runs it spells, and command("kernels"); PROGRAM must hear that option in one of
its commands. Notes are told (src/base/notes.hpp): what writes to stderr by itself stands in TO_STDERR.
"""

import pathlib
import re
import subprocess
import sys

FOLDERS = "src", "kernels", "boundary", "models"
ABOVE = "src/commands/", "src/main.cpp"
SUFFIXES = ".cpp", ".hpp", ".cu", ".cuh"
# Words that may stand in a file, and why.
OTHERS = {
    "kernels/compiled/gpu_compiler.cpp": (r"--(gpu-architecture|offload-arch)", "nvrtc's and hiprtc's"),
    "src/ranks/start.cpp": (r"--(oversubscribe|bind-to|quiet|host|mpi)", "mpirun's and srun's"),
    "src/roofline/profilers.cpp": (r"--[a-z-]+", "ncu's, perf's, dcgmi's and a container's"),
    "src/job/shot/configuration.cpp": (r"--[a-z-]+", "names in checkpoints and journals, which stay readable"),
    "src/io/snapshots/xdmf.hpp": (r"--minimodsnapshots", "XML's comment"),
}
# Who writes to stderr, and why.
TO_STDERR = {
    "src/base/process/progress.cpp": "the bar of a terminal",
    "src/base/process/program_threads.cpp": "the program's, where the OpenMP runtime would end it",
    "src/ranks/mpi_ranks.cpp": "an error's line before MPI ends all ranks",
    "src/ranks/no_mpi_ranks.cpp": "the same of one process",
    "src/ranks/start.cpp": "of the program that waits for its ranks",
}
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"\((?P<raw>.*?)\)"|"(?P<text>(?:\\.|[^"\\\n])*)"|'(?:\\.|[^'\\\n])+'|\d[\w']*"""
                   r"""|(?P<option>\boption\(\s*)|.""", re.S)


def literals(code):
    """(line, text, whether it is what `option` is asked for) of each string literal."""
    asked = False
    for token in TOKEN.finditer(code):
        text = token["raw"] if token["raw"] is not None else token["text"]
        if text is not None:
            yield code.count("\n", 0, token.start()) + 1, text, asked
        asked = token["option"] is not None


def heard(program):
    """The long options of all commands, and the commands."""
    def said(*words):
        return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout

    commands = re.findall(r"^  ([a-z]+) ", said().split("Subcommands:", 1)[-1], re.M)
    pages = [said()] + [said(command) for command in commands]
    return {name for page in pages for name in re.findall(r"^ +(?:-[a-zA-Z],)?--([a-z0-9-]+)", page, re.M)}, commands


def main():
    root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[2])
    (known, commands), faults = heard(sys.argv[1]), []
    spelt = re.compile(rf"minimod (?:{'|'.join(commands)})\b(?!.* \d$)")  # not a format's name: "minimod survey 1"
    for file in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in SUFFIXES):
        name = file.relative_to(root).as_posix()
        if name.startswith(ABOVE):
            continue
        allowed = OTHERS.get(name, ("$^", ""))[0]
        code = file.read_text(encoding="utf-8")
        if name not in TO_STDERR and re.search(r"\bstd::c(err|log)\b|\bstderr\b", re.sub("//.*", "", code)):
            faults.append(f"{name}: writes to stderr, which is for notes that are told")
        for line, text, asked in literals(code):
            faults += [f"{name}:{line}: spells {word}" for word in re.findall(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*", text)
                       if not re.fullmatch(allowed, word)]
            if spelt.search(text):
                faults.append(f"{name}:{line}: spells {spelt.search(text)[0]}")
            if asked and text not in known:
                faults.append(f"{name}:{line}: no command hears the option {text}")
    print("\n".join(faults))
    sys.exit(bool(faults))


main()
