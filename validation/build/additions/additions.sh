#!/usr/bin/env bash
#
# Additions and their places: a boundary, a gather format, a command and a device are put into a copy of the sources,
# each as files of its own and a line or two in a table. pip installs the copy for CPUs, in a virtual environment of its
# own; each addition is used, and the first example of the page for Python runs.  additions.sh BUILD_DIR PYTHON
# Copy and build stay in BUILD_DIR/pip, and another call compiles what has changed. Exit 77: skipped, pip cannot bring
# what the package needs.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../.." && pwd)
build=$(cd "$1" && pwd)
copy=$build/pip/source
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$2" -m venv "$scratch/venv"
pip=("$scratch/venv/bin/pip" --no-cache-dir --timeout 15 --retries 1 install --quiet)
timeout 300 "${pip[@]}" --require-hashes --only-binary :all: -r "$source/src/cmake/pins/python.txt" 2>"$scratch/log" ||
  { cat "$scratch/log"; echo 'skipped: pip does not bring what the package needs'; exit 77; }

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

add() { cp "$here/$(basename "$1").in" "$copy/$1"; }

# insert FILE AFTER LINE: the line behind the first that contains AFTER.
insert() {
  local at
  at=$(grep -nF -m1 -- "$2" "$copy/$1" | cut -d: -f1) || fail "$1 has no '$2'"
  sed -i "${at}r /dev/stdin" "$copy/$1" <<<"$3"
}

rm -rf "$copy"
for part in CMakeLists.txt LICENSE README.md minimod pyproject.toml src kernels boundary models perf/references \
            validation/cases validation/lint; do
  mkdir -p "$copy/$(dirname "$part")"
  cp -Rp "$source/$part" "$copy/$part"
done
cp -R "$copy/." "$scratch/before"

# A boundary: its file and reflections, its name, its declaration and its row.
add boundary/hann.cpp
add boundary/hann_reflection.inc
insert boundary/boundary.hpp '  sponge,' '  hann,'
insert boundary/boundary.hpp 'sponge_layer();' '[[nodiscard]] const AbsorbingLayer& hann_layer();'
sed -i 's/sponge_layer, 2}};/sponge_layer, 2},\n    {BoundaryKind::hann, "hann", "", 1, false, false, false, hann_layer, 3}};/' \
  "$copy/boundary/boundary.hpp"

# A format: its file, and its place in the table.
add src/io/npy_gathers.cpp
sed -i 's/hdf5_gathers, segy_gathers;/hdf5_gathers, segy_gathers, npy_gathers;/; s/{&hdf5_gathers, &segy_gathers}/{\&hdf5_gathers, \&segy_gathers, \&npy_gathers}/' \
  "$copy/src/io/gather_format.cpp"

# A command: its file, its declaration, and its place in the list.
add src/commands/count_command.cpp
insert src/commands/command.hpp 'verify_command();' '[[nodiscard]] Command count_command();'
sed -i 's/verify_command()}/verify_command(), count_command()}/' "$copy/src/commands/command.cpp"

# A device: its launches, its backend, and what the build takes in place of those of no device.
add kernels/device/twin_planners.cpp
add src/device/twin_backend.cpp
sed -i 's|kernels/device/no_device.cpp ||; /no_cuda_backend.cpp/d' "$copy/CMakeLists.txt"

touched=$({ diff -rq "$scratch/before" "$copy" || true; } | sed "s|$scratch/before/||; s|$copy/*||g; s|^Files \([^ ]*\) .*|\1|; s|^Only in \([^:]*\): |\1/|" |
  LC_ALL=C sort)
diff - <(printf '%s\n' "$touched") <<'END' || fail 'other files are touched'
CMakeLists.txt
boundary/boundary.hpp
boundary/hann.cpp
boundary/hann_reflection.inc
kernels/device/twin_planners.cpp
src/commands/command.cpp
src/commands/command.hpp
src/commands/count_command.cpp
src/device/twin_backend.cpp
src/io/gather_format.cpp
src/io/npy_gathers.cpp
END
"$copy/validation/lint/floors.sh" "$copy"

. "$here/../cache.sh"
if [[ -e $build/.minimod ]]; then  # libraries that the launcher has brought
  mkdir "$copy/build"
  printf 'The folder of the launcher, for\n%s\n' "$copy" >"$copy/build/.minimod"
  ln -s "$build/deps" "$copy/build/deps"
fi
same_options CMAKE_CXX_COMPILER CMAKE_C_COMPILER
CMAKE_ARGS="$(printf '%q ' "${options[@]}") -DMINIMOD_GPU=none"
export CMAKE_ARGS SKBUILD_BUILD_DIR=$build/pip/build MINIMOD_NO_INSTALL=1
unset MINIMOD_BUILD_DIR
"${pip[@]}" --no-build-isolation --no-index --no-deps "$copy"

cd "$scratch"
PATH=$scratch/venv/bin:$PATH
minimod --version
python -c 'import minimod; print(minimod.info()["build"]["compiler"], len(minimod.kernels()), "kernels")'
awk '$0 == "```" && on { exit } on; $0 == "```python" { on = 1 }' "$source/src/python/README.md" >example.py
python example.py | tee said
grep -q 'receiver: 51' said || fail 'the example of the page prints no gather of 51 receivers'

[[ $(minimod count --n 12) == 1728 ]] || fail 'the command does not count'
[[ $(minimod --help) == *'sponge or hann'* ]] || fail 'the help does not name the boundary'
minimod --boundary hann --pml-width 20 --grid 80 --steps 60 --format npy,hdf5 -o shot
[[ $(head -c 6 shot/shot_gather.npy) == $'\x93NUMPY' ]] || fail 'the format does not write'
minimod --boundary sponge --pml-width 20 --grid 80 --steps 60 --format npy -o sponge
cmp -s shot/shot_gather.npy sponge/shot_gather.npy && fail 'the boundary does nothing'
minimod --boundary hann --free-surface --grid 70 --pml-width 9 --steps 20 --precision double --kernel kokkos -o other

shot=(--boundary pml --kernel gmem_8x8x8 --grid 40 --pml-width 8 --steps 40 --format npy)
minimod --device cuda "${shot[@]}" -o twin
minimod --device cpu --emulate "${shot[@]}" -o host
cmp twin/shot_gather.npy host/shot_gather.npy || fail 'the device has other bits'
[[ $(minimod info) == *'twin of the host'* ]] || fail 'the device is not told'
