"""The program's commands whose records are data."""
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from minimod.errors import UNAVAILABLE, Error
from minimod.options import given


def program():
    """The program: the package's own, or the first on the PATH."""
    own = os.path.join(os.path.dirname(os.path.realpath(__file__)), "bin", "minimod")
    found = os.environ.get("MINIMOD_PROGRAM") or (own if os.access(own, os.X_OK) else shutil.which("minimod"))
    if found is None:
        raise Error("the program minimod is not installed beside the package; install the wheel, or name it by the "
                    "environment variable MINIMOD_PROGRAM", UNAVAILABLE)
    return found


def call(*arguments):
    """Runs a command, and returns what it prints. Raises Error with its line."""
    done = subprocess.run([program(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        line = (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
        raise Error(line.removeprefix("minimod: error: "), done.returncode)
    return done.stdout


def spelt(options):
    return [f"--{name.replace('_', '-')}={value}" if value != "true" else f"--{name.replace('_', '-')}"
            for name, value in given(options)]


def kernels(*names: str) -> list[dict[str, Any]]:
    """Code shapes of these names, patterns included ("st_*"), or all: a list of dicts (pandas.DataFrame takes it)."""
    patterns = [name for name in names if any(mark in name for mark in "*?[")]
    named = set(names) - set(patterns)
    found = json.loads(call("kernels", "--json", *named))["kernels"] if named or not patterns else []
    if patterns:
        found += [one for one in kernels() if any(fnmatch.fnmatchcase(one["name"], p) for p in patterns)]
    return found


def info() -> dict[str, Any]:
    """Build and devices, as a dict."""
    return json.loads(call("info", "--json"))


def bench(kernel: str = "auto", **options: Any) -> list[dict[str, Any]]:
    """Verifies code shapes and measures their speed in a process of their own, as `minimod bench` does.

    kernel: a name, "all", or a list of names and patterns, such as "gmem_*,st_*".
    Options are those of `minimod bench --help`: grid=512, steps=50, repeats=7, device="cuda", ...
    Returns a list of dicts, one a shape, which pandas.DataFrame takes.
    """
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "bench.json")
        call("bench", *spelt({"kernel": kernel} | options | {"json": record}))
        with open(record, encoding="utf-8") as file:
            measured = json.load(file)
        return measured["shapes"] if "shapes" in measured else measured["kernels"]  # the latter of stencils


def gpus(device):
    """Devices, one a text, of one that may name several."""
    if device == "cuda:all":
        count = sum(one["kind"] == "cuda" for one in info()["devices"])
        if count == 0:
            raise Error("device is 'cuda:all', and there is no GPU; give cpu", UNAVAILABLE, "device")
        return [f"cuda:{i}" for i in range(count)]
    if isinstance(device, str) and device.startswith("cuda:") and "," in device:
        return [f"cuda:{number}" for number in device.removeprefix("cuda:").split(",")]
    return [device]


def main():
    """The command `minimod` of the package: the program, and `minimod plot`."""
    if sys.argv[1:2] == ["plot"]:
        script = os.path.join(os.path.dirname(os.path.realpath(__file__)), "pictures", "plot_gather.py")
        os.execv(sys.executable, [sys.executable, script, *sys.argv[2:]])
    os.execv(program(), ["minimod", *sys.argv[1:]])
