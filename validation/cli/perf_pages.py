#!/usr/bin/env python3
"""The commands of the pages below perf/ are heard.

    perf_pages.py SOURCES PROGRAM

Commands stand between back quotes, or in lines of their own. Those of the program end where they would make their
output, in a place that is no folder: with code 73, after all options have been read; for a GPU of AMD, which has a file of its
own, with 69 where there is none. Scripts that read kept records run.
Of scripts that measure, or compare what was measured, the options must stand in their text."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sources, program = Path(sys.argv[1]), sys.argv[2]
folder = Path(tempfile.mkdtemp())
CANNOT_CREATE, UNAVAILABLE = 73, 69
OUTPUTS = ("--json", "--output", "--csv", "--write", "-o")
MEASURE = ("perf/bench_records.py", "perf/scale.py", "perf/devito_acoustic.py", "perf/gpu_check.sh", "perf/compare.py",
           "perf/amd/kernel_resources.py")
COMMAND = re.compile(r"`((?:\./minimod|perf/[\w.]+) [^`\n]*)`|^    ((?:[A-Z_]+=\S+ )*(?:\./minimod |perf/).*)$", re.M)


def of_program(words):
    """A form that ends before it computes, and the code it ends with."""
    if "--help" in words or "--from" in words or words[:2] == ["stencil", "info"]:
        return [program, *words], 0
    if not set(words) & set(OUTPUTS):
        words += [{"roofline": "--output", "stencil": "--write"}.get(words[0], "--json"), "none.h5"]
    for i in [i + 1 for i, word in enumerate(words) if word in OUTPUTS]:
        words[i] = f"/dev/null/none/{words[i]}"
    if words[0] == "tune" and "--stencil" not in words:
        words.append("--emulate")
    elif "--device" not in words:
        words += ["--device", "cpu"]
    return [program, *words], UNAVAILABLE if "hip" in words and not os.path.exists("/dev/kfd") else CANNOT_CREATE


def of_script(words):
    for i in [i + 1 for i, word in enumerate(words) if word in OUTPUTS]:
        words[i] = str(folder / words[i])
    if words == ["perf/tables.py"] or words[0] == "perf/amd/predict.py":  # both write into the sources
        words.append("--check")
    return [sys.executable, "-B", str(sources / words[0]), *words[1:]], 0


def hear(command):
    expanded = subprocess.check_output(["bash", "-c", f"printf '%s\\0' {command}"], cwd=sources, text=True)  # braces
    words = [word for word in expanded.split("\0")[:-1] if not re.match(r"[A-Z_]+=", word)]
    if words[0] in MEASURE and "--help" not in words:
        text = (sources / words[0]).read_text()
        unknown = [word for word in words[1:] if word.startswith("-") and f'"{word}"' not in text]
        assert not unknown, (command, unknown)
        return
    call, expected = of_program(words[1:]) if words[0] == "./minimod" else of_script(words)
    result = subprocess.run(call, cwd=sources, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == expected, (command, call, result.returncode, result.stderr[-400:])


commands = dict.fromkeys(quoted or line for page in (sources / "perf").rglob("*.md")
                         for quoted, line in COMMAND.findall(page.read_text()))
assert len(commands) > 30, commands
for command in commands:
    hear(command)
print(f"{len(commands)} commands")
