#!/usr/bin/env python3
"""Writes the files of pins beside this one anew: versions of today, with the hashes of the wheels for Linux.

uv (https://docs.astral.sh/uv) chooses the versions, for every Python from 3.9 on; needs Python 3.11 for itself.
kokkos.txt is not among them: its version is the one that minimod is known to build with.
"""
import pathlib
import re
import subprocess
import tomllib

HERE = pathlib.Path(__file__).parent
WANTED = {
    "drawing.txt": ("For `minimod plot` and the pictures of verify and roofline.", "h5py matplotlib"),
    "tests.txt": ("For the tests that read files with Python, besides drawing.txt.",
                  "h5py matplotlib segyio xarray h5netcdf"),
    "kokkos_build.txt": ("What the Python package of kokkos.txt asks for when pip looks at it.",
                         "setuptools scikit-build"),
}
WHEEL = re.compile(r"-((cp3(9|1[0-4])|py2\.py3|py3)-(cp3(9|1[0-4])|abi3|none))-(any|manylinux.*(x86_64|aarch64))\.whl$")


def pins(names: str) -> dict[str, list[str]]:
    """Requirement with its marker -> hashes, as uv resolves `names`."""
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.9", "--only-binary", ":all:",
               "--format", "pylock.toml", "-"]
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
    for file, (purpose, names) in WANTED.items():
        lines = [f"# {purpose} Written by update.py."]
        found = drawing if file == "drawing.txt" else pins(names)
        if file == "tests.txt":
            lines.append("-r drawing.txt")
            found = {requirement: hashes for requirement, hashes in found.items() if requirement not in drawing}
        for requirement, hashes in found.items():
            lines.append(" \\\n".join([requirement, *(f"    --hash=sha256:{value}" for value in hashes)]))
        (HERE / file).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
