#!/usr/bin/env bash
#
# Makes a wheel that wants nothing of a machine but the C library that its tag names, a Python, and for GPUs their driver.
# wheel.sh FOLDER [PIP ARGUMENTS...]    such as -C cmake.define.MINIMOD_GPU=none, -C build-dir=/tmp/minimod_wheel
#
# HDF5, OpenMP's runtime and all else that the system has as shared libraries are copied into it by auditwheel. Says tag,
# size, and what module and program still take of the machine.

set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/venv"
PATH=$scratch/venv/bin:$PATH
pip install --quiet --require-hashes --only-binary :all: -r "$root/src/cmake/pins/python.txt" -r "$root/src/cmake/pins/wheel.txt"
pip wheel --no-build-isolation --no-deps --wheel-dir "$scratch/built" "$root" "${@:2}"
auditwheel repair --wheel-dir "$scratch/repaired" "$scratch"/built/*.whl
wheel=$(basename "$scratch"/repaired/*.whl)
mv "$scratch/repaired/$wheel" "$folder/$wheel"
echo "$folder/$wheel, $(($(stat -c %s "$folder/$wheel") / 1000)) kB"
python -m zipfile -e "$folder/$wheel" "$scratch/open"
for file in "$scratch"/open/minimod/{_core*.so,bin/minimod}; do
  echo "${file#"$scratch"/open/} needs $(patchelf --print-needed "$file" | paste -s -d ' '), looks in $(patchelf --print-rpath "$file")"
done
