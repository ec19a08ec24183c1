#!/usr/bin/env python3
"""The commands of perf/PAPERS.md are heard, and the files that it names are there.

    papers.py SOURCES PROGRAM

Commands of the program end where they would make their output, in a place that is no folder: with code 73, after all
options have been read. Those of scripts, which read kept records, run."""
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sources, program = Path(sys.argv[1]), sys.argv[2]
page = (sources / "perf" / "PAPERS.md").read_text()
folder = Path(tempfile.mkdtemp())
CANNOT_CREATE = 73
OUTPUTS = ("--json", "--output", "--csv", "-o")


def of_program(words):
    """A form that ends before it computes, and the code it ends with."""
    outputs = [i + 1 for i, word in enumerate(words) if word in OUTPUTS]
    for i in outputs:
        words[i] = f"/dev/null/none/{words[i]}"
    if words[0] == "tune" and "--stencil" not in words:
        words.append("--emulate")
    elif outputs:
        words += ["--device", "cpu"]
    return [program, *words], CANNOT_CREATE if outputs else 0


def of_script(words):
    outputs = [i + 1 for i, word in enumerate(words) if word in OUTPUTS]
    for i in outputs:
        words[i] = str(folder / words[i])
    return [sys.executable, "-B", str(sources / words[0]), *words[1:]], 0


commands = dict.fromkeys(re.findall(r"`((?:\./minimod|perf/)[^`]*)`", page))
assert len(commands) > 15, commands
for command in commands:
    words = shlex.split(command)
    call, expected = of_program(words[1:]) if words[0] == "./minimod" else of_script(words)
    result = subprocess.run(call, cwd=sources, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == expected, (command, call, result.returncode, result.stderr[-400:])

for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page):
    assert (sources / "perf" / target).exists(), target
headings = {re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
            for line in (sources / "perf" / "README.md").read_text().splitlines() if line.startswith("#")}
for anchor in re.findall(r"\(README\.md#([^)]+)\)", page):
    assert anchor in headings, anchor
print(f"{len(commands)} commands")
