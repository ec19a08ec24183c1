#!/usr/bin/env python3
"""words.py ROOT: no file of the project has a word or a name that another has taken the place of.

Old words and the new ones are WORDS. CHANGELOG.md tells of old ones, records keep theirs (perf/references), and so do
their keys and values (KEPT). Exit code 1 and a line for each fault.
"""

import os
import re
import sys

WORDS = {
    "BlockLaunch": "LaunchLoad",
    "(?:centred|grazing)_survey": "centred_shot or grazing_shot",
    "FileLock::Turn": "FileLock::Attempt",
    "HostRoom": "StagingBuffer",
    "hdf5::Turn": "hdf5::LibraryLock",
    "LaunchBlocks": "BlockArgs",
    "Launches(?=&|>|::)": "LaunchPlanners",
    "LaunchesIn": "PlateLauncher",
    "LaunchFields": "FieldArgs",
    "LaunchMoreFields": "MoreFieldArgs",
    "LaunchPoints": "PointArgs",
    "LaunchShot": "ShotArgs",
    "LaunchSlab": "SlabArgs",
    "LaunchStencil": "StarArgs",
    "LaunchTable": "PlannerTable",
    "launch_of_host_function": "planner_of_host_function",
    "launch_table": "planner_table",
    "launches_of(?!_(?:each|rims))": "planners_of, or what it returns",
    "launches_(?:on_all_cores|in_sequence)": "launchers",
    "(?:host|device|ring|whole|step)_launches": "planners",
    "Patience": "Thoroughness",
    "PlanLaunch": "LaunchPlanner",
    "PlateLaunches": "PlateLaunchers",
    "[Pp]layed": "emulated",
    "ReflectionSurvey": "ReflectionShot",
    "ShotCompany": "ShotHooks",
    "StencilArgs": "WaveArgs",
    "StencilConstants": "WaveConstants",
    "survey_datasets": "geometry_datasets",
    "survey_of": "geometry_of",
}
KEPT = re.compile(r"""(["'])played\1|,played"|"\(played\)\"""")
PASSED_OVER = {"CHANGELOG.md", "perf/references", "validation/lint/words.py", "validation/lint/words_test.sh"}
FOLDERS = ("src", "kernels", "boundary", "models", "validation", "perf")
ENDINGS = (".py", ".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".inc", ".in", ".sh", ".cmake", ".txt", ".stencil", ".md", "")

OLD = re.compile("|".join(rf"(?<![A-Za-z])(?P<w{i}>{old})(?![a-z])" for i, old in enumerate(WORDS)))


def files(root):
    """Paths of the files, from the root."""
    yield from (name for name in os.listdir(root) if os.path.isfile(os.path.join(root, name)))
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            here = os.path.relpath(folder, root)
            folders[:] = [name for name in folders if f"{here}/{name}" not in PASSED_OVER]
            yield from (os.path.join(here, name) for name in names)


def faults_of(name, text):
    """A line for each old word of a file and of its name."""
    for number, line in enumerate([name] + text.split("\n")):
        for match in OLD.finditer(KEPT.sub("", line)):
            new = list(WORDS.values())[int(match.lastgroup[1:])]
            yield f"{name}:{number or 1}: {match[0]} is called {new}"


def main(root):
    faults = []
    for name in sorted(files(root)):
        if name not in PASSED_OVER and os.path.splitext(name)[1] in ENDINGS:
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
                faults += faults_of(name, file.read())
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


sys.exit(main(sys.argv[1]))
