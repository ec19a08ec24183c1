#!/usr/bin/env python3
"""What hipcc's code for a GPU of AMD takes of it: perf/amd/kernel_resources.py BUILD RECORD [--gpu gfx90a]

Reads the objects of a build for HIP (BUILD/hip/*.o), where the compiler has noted of each kernel its vector registers
(VGPRs, AGPRs among them), its scalar ones, those of them spilled, the scratch memory of a thread, and the shared memory
(LDS) that the kernel declares; a launch may ask for more. Writes them as JSON, which perf/tables.py makes a table of.
Needs clang's and LLVM's tools, of hipcc's version. Exit code 69 where they or the objects are missing."""

import argparse
import datetime
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FACTS = {"vgprs": "vgpr_count", "agprs": "agpr_count", "sgprs": "sgpr_count", "vgpr_spills": "vgpr_spill_count",
         "sgpr_spills": "sgpr_spill_count", "scratch_bytes": "private_segment_fixed_size",
         "lds_bytes": "group_segment_fixed_size", "threads": "max_flat_workgroup_size"}


def fail(message):
    print(f"kernel_resources.py: error: {message}", file=sys.stderr)
    sys.exit(69)


def tool(name):
    """The program of LLVM that is there, the newest where its version stands behind its name."""
    found = next(filter(shutil.which, (*(f"{name}-{version}" for version in range(22, 13, -1)), name)), None)
    return found or fail(f"there is no {name}; install clang's and LLVM's tools, of hipcc's version")


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more).stdout


def notes(path, gpu, folder):
    """The notes of an object's code for the GPU; empty where it has no code."""
    fat, code = folder / "fat", folder / "code"
    fat.unlink(missing_ok=True)
    run("objcopy", "-O", "binary", "--only-section=.hip_fatbin", path, fat)
    if not fat.exists() or fat.stat().st_size == 0:
        return ""
    bundler = tool("clang-offload-bundler")
    targets = run(bundler, "--list", "--type=o", f"--input={fat}").split()
    target = next((name for name in targets if name.endswith(gpu)), None)
    if not target:
        fail(f"{path} has no code for {gpu}, but for {', '.join(targets)}")
    run(bundler, "--unbundle", "--type=o", f"--targets={target}", f"--input={fat}", f"--output={code}")
    return run(tool("llvm-readelf"), "--notes", code)


def kernels_of(text):
    """Mangled name and facts of each kernel in notes."""
    for part in re.split(r"^  - \.agpr_count", text, flags=re.MULTILINE)[1:]:
        part = "    .agpr_count" + part
        symbol = re.search(r"^    \.name:\s+(\S+)", part, re.MULTILINE).group(1)
        yield symbol, {fact: int(re.search(rf"^    \.{key}:\s+(\d+)", part, re.MULTILINE).group(1))
                       for fact, key in FACTS.items()}


def readable(symbols):
    """The functions' names without arguments and namespaces; a shape's kernel is named by the shape."""
    text = run("c++filt", input="\n".join(symbols))
    for line in text.splitlines():
        name = re.sub(r"minimod::(relaxation::)?|\(anonymous namespace\)::", "", line).removeprefix("void ")
        shape = re.match(r"code_shape<(.*)>\(", name)
        yield shape.group(1).rstrip() if shape else re.sub(r"\(.*", "", name)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=Path)
    options.add_argument("record", type=Path)
    options.add_argument("--gpu", default="gfx90a")
    given = options.parse_args()
    objects = sorted((given.build / "hip").glob("*.o"))
    if not objects:
        fail(f"{given.build / 'hip'} has no objects; build with MINIMOD_GPU=hip")
    with tempfile.TemporaryDirectory() as folder:
        found = dict(kernel for path in objects for kernel in kernels_of(notes(path, given.gpu, Path(folder))))
    kernels = dict(sorted(zip(readable(found), found.values())))
    commit = run("git", "-C", Path(__file__).parent, "rev-parse", "--short=12", "HEAD").strip()
    given.record.write_text(json.dumps(
        {"schema": "minimod.kernel_resources/1", "device": given.gpu, "git_hash": commit,
         "date": str(datetime.date.today()), "compiler": run("hipcc", "--version").splitlines()[:2],
         "kernels": [{"kernel": name, **facts} for name, facts in kernels.items()]}, indent=1) + "\n")
    print(f"{len(kernels)} kernels for {given.gpu}: {given.record}")


if __name__ == "__main__":
    main()
