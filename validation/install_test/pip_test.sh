#!/usr/bin/env bash
#
# Does pip install the package for Python, and does its page's first example run? pip_test.sh BUILD_DIR PYTHON
# In a virtual environment of its own, for CPUs. Its build stays in BUILD_DIR/pip, and another call compiles what has
# changed. Exit 77: skipped, pip cannot bring what the package needs.

set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

. "$root/validation/build/cache.sh"
"$2" -m venv "$scratch/venv"
pip=("$scratch/venv/bin/pip" --no-cache-dir --timeout 15 --retries 1 install --quiet)
timeout 300 "${pip[@]}" --require-hashes --only-binary :all: -r "$root/src/cmake/pins/python.txt" 2>"$scratch/log" ||
  { cat "$scratch/log"; echo 'skipped: pip does not bring what the package needs'; exit 77; }

if [[ -e $build/.minimod ]]; then export MINIMOD_BUILD_DIR=$build; fi  # libraries that the launcher has brought
same_options CMAKE_CXX_COMPILER CMAKE_C_COMPILER
CMAKE_ARGS="$(printf '%q ' "${options[@]}") -DMINIMOD_GPU=none"
export CMAKE_ARGS SKBUILD_BUILD_DIR=$build/pip MINIMOD_NO_INSTALL=1
"${pip[@]}" --no-build-isolation --no-index --no-deps "$root"

cd "$scratch"
PATH=$scratch/venv/bin:$PATH
minimod --version
python -c 'import minimod; print(minimod.info()["build"]["compiler"], len(minimod.kernels()), "kernels")'
awk '$0 == "```" && on { exit } on; $0 == "```python" { on = 1 }' "$root/src/python/README.md" >example.py
python example.py | tee said
grep -q 'receiver: 51' said || { echo 'FAILED: the example of the page prints no gather of 51 receivers'; exit 1; }
