#!/usr/bin/env python3
"""Does every file of the host compile alone, and every header before all others?  alone.py BUILD_DIR [NEWEST]

The build compiles files in batches, where one may live on what another includes. Flags come from
BUILD_DIR/compile_commands.json. A header that some file includes first is seen by that file; each other one gets a unit
that includes it alone. The compiler only looks (-fsyntax-only), a unit at a time on each core, behind a precompiled
header of what the unit includes of the slowest libraries, and of no others. A unit that passed is looked at again only
when a file that it includes, or its flags, have changed. Headers for nvcc are left to the files that include them.

NEWEST: only so many units, those whose files git says were changed last; all where git knows nothing.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

FOLDERS = "src", "kernels", "boundary", "models", "validation"
SLOW = ("string", "memory", "algorithm", "functional", "sstream", "filesystem", "nlohmann/json.hpp",
        "catch2/catch_test_macros.hpp", "Kokkos_Core.hpp")
FEWEST = 5  # units that a precompiled header pays for
OUTSIDE = re.compile(r"kernels/stencils/")  # texts that the program compiles behind a prelude of its own

root = pathlib.Path(__file__).resolve().parents[2]


def sources(suffix):
    """Paths of the project's files with a suffix, from its root."""
    found = (path.relative_to(root).as_posix() for folder in FOLDERS for path in (root / folder).rglob(f"*{suffix}"))
    return sorted(path for path in found if not OUTSIDE.match(path))


class Includes:
    """Includes of files: the project's own by their paths, others' by their names."""

    def __init__(self):
        self.direct = {}

    def of(self, path):
        if path not in self.direct:
            text = (root / path).read_text(encoding="utf-8")
            names = re.findall(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)', text, re.M)
            self.direct[path] = [(mark == '"' and (root / name).exists(), name) for mark, name in names]
        return self.direct[path]

    def first(self, path):
        """The project's header that comes before all others, or None."""
        own, name = next(iter(self.of(path)), (False, None))
        return name if own else None

    def closure(self, path):
        """The project's files that `path` includes, itself too, and the others' headers among all of them."""
        files, others, left = {path}, set(), [path]
        while left:
            for own, name in self.of(left.pop()):
                if not own:
                    others.add(name)
                elif name not in files:
                    files.add(name)
                    left.append(name)
        return files, others


def commands(build):
    """The command of each source of the host, without its files and the build's precompiled headers, by its path; and the
    sources that no batch has."""
    flags, alone = {}, set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        file = pathlib.Path(entry["file"])
        if file.suffix not in (".cpp", ".cxx") or any(word.startswith("-fsanitize") for word in words):
            continue
        words = [word for word, before in zip(words, [""] + words)
                 if not {word, before} & {"-o", "-c", "-include", "-Xclang"} and not re.match(r"-(O|g|W)", word)]
        batch = "/Unity/" in entry["file"]
        parts = re.findall(r'^#include "(.*)"', file.read_text(), re.M) if batch else [file]
        for part in map(pathlib.Path, parts):
            if root in part.parents and build not in part.parents:
                flags.setdefault(part.relative_to(root).as_posix(), tuple(words))
                if not batch:
                    alone.add(part.relative_to(root).as_posix())
    return flags, alone


def units(build, includes):
    """Units to be looked at, with flags: sources in batches, and headers that no source includes first."""
    flags, alone = commands(build)
    seen = {includes.first(source) for source in flags}
    result = {source: words for source, words in flags.items() if source not in alone}
    users = {}
    for source, words in flags.items():
        for file in includes.closure(source)[0]:
            users.setdefault(file, words)
    return result | {header: users.get(header, flags["src/main.cpp"]) for header in sources(".hpp") if header not in seen}


def newest(wanted, includes, count):
    """`count` of the units: those that were changed last, or whose first header was."""
    git = ["git", "-C", str(root)]
    log = [*git, "-c", "core.quotePath=off", "log", "--format=", "--name-only", "--relative"]
    done = subprocess.run(log, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return wanted
    status = [*git, "status", "--porcelain", "--no-renames", "-uall"]
    changed = subprocess.run(status, capture_output=True, text=True, check=False)
    ages = {}
    for name in [line[3:] for line in changed.stdout.splitlines()] + done.stdout.splitlines():
        ages.setdefault(name, len(ages))

    def age(unit):
        return min(ages.get(file, len(ages)) for file in (unit, includes.first(unit)))

    return {unit: wanted[unit] for unit in sorted(wanted, key=age)[:count]}


def precompile(folder, groups):
    """Precompiles what the members of a group include of SLOW; which header a unit is to be given."""
    given = {}

    def make(number, key, members):
        words, names = key
        header = folder / f"prelude_{number}.hpp"
        header.write_text("".join(f"#include <{name}>\n" for name in names))
        made = subprocess.run([*words, "-w", "-x", "c++-header", str(header), "-o", f"{header}.gch"],
                              capture_output=True)
        return (header, members) if made.returncode == 0 else (header, [])

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(make, number, key, members) for number, (key, members) in enumerate(groups.items())
                if key[1] and len(members) >= FEWEST]
        for job in jobs:
            header, members = job.result()
            given |= dict.fromkeys(members, header)
    return given


def look(folder, unit, words, prelude):
    """Words of the compiler on a unit; nothing where it passes."""
    file = root / unit
    if file.suffix == ".hpp":
        file = folder / (unit.replace("/", "_") + ".cpp")
        file.write_text(f'#include "{unit}"\n')
    before = ["-include", str(prelude)] if prelude else []
    seen = subprocess.run([*words, *before, "-w", "-fsyntax-only", str(file)], capture_output=True, text=True)
    return seen.stderr if seen.returncode else ""


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "lint" / "alone"
    folder.mkdir(parents=True, exist_ok=True)
    includes = Includes()
    wanted = units(build, includes)
    if len(sys.argv) > 2:
        wanted = newest(wanted, includes, int(sys.argv[2]))
    groups, left = collections.defaultdict(list), []
    for unit, words in wanted.items():
        files, others = includes.closure(unit)
        stamp = folder / (unit.replace("/", "_") + ".passed")
        latest = max((root / file).stat().st_mtime for file in files)
        if not stamp.exists() or stamp.stat().st_mtime < latest or stamp.read_text() != shlex.join(words):
            left.append((unit, words, stamp))
            groups[words, tuple(name for name in SLOW if name in others)].append(unit)
    preludes = precompile(folder, groups)
    failed = []

    def check(unit, words, stamp):
        began = time.time()
        report = look(folder, unit, words, preludes.get(unit))
        if report:
            failed.append(f"{unit} does not compile alone:\n{report}")
        else:
            stamp.write_text(shlex.join(words))
            os.utime(stamp, (began, began))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: check(*job), left))
    print("\n".join(sorted(failed)))
    print(f"{len(wanted)} units, {len(left)} of them looked at, {len(failed)} fail")
    sys.exit(bool(failed))


main()
