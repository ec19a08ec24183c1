#!/usr/bin/env bash
#
# Additions and their places: a boundary, a gather format, a command and a device are put into a copy of the sources,
# each as files of its own and a line or two in a table; the copy is built and each is used.  additions.sh BUILD_DIR
# The copy is compiled with the libraries of BUILD_DIR.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../.." && pwd)
build=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

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

for part in CMakeLists.txt LICENSE src kernels boundary models perf/references validation/cases validation/lint; do
  mkdir -p "$copy/$(dirname "$part")"
  cp -R "$source/$part" "$copy/$part"
done
cp -R "$copy/." "$copy.before"
trap 'rm -rf "$copy" "$copy.before"' EXIT

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

touched=$({ diff -rq "$copy.before" "$copy" || true; } | sed "s|$copy.before/||; s|$copy/*||g; s|^Files \([^ ]*\) .*|\1|; s|^Only in \([^:]*\): |\1/|" |
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
same_options CMAKE_CXX_COMPILER
cmake -S "$copy" -B "$copy/build" "${options[@]}" -DMINIMOD_GPU=none -DMINIMOD_MPI=OFF -DMINIMOD_TESTS=OFF >"$copy/log" ||
  { cat "$copy/log"; exit 1; }
cmake --build "$copy/build" --target minimod --parallel "$(nproc)"

cd "$copy"
minimod=build/bin/minimod
[[ $("$minimod" count --n 12) == 1728 ]] || fail 'the command does not count'
[[ $("$minimod" --help) == *'sponge or hann'* ]] || fail 'the help does not name the boundary'
"$minimod" --boundary hann --pml-width 20 --grid 80 --steps 60 --format npy,hdf5 -o shot
[[ $(head -c 6 shot/shot_gather.npy) == $'\x93NUMPY' ]] || fail 'the format does not write'
"$minimod" --boundary sponge --pml-width 20 --grid 80 --steps 60 --format npy -o sponge
cmp -s shot/shot_gather.npy sponge/shot_gather.npy && fail 'the boundary does nothing'
"$minimod" --boundary hann --free-surface --grid 70 --pml-width 9 --steps 20 --precision double --kernel kokkos -o other

shot=(--boundary pml --kernel gmem_8x8x8 --grid 40 --pml-width 8 --steps 40 --format npy)
"$minimod" --device cuda "${shot[@]}" -o twin
"$minimod" --device cpu --emulate "${shot[@]}" -o host
cmp twin/shot_gather.npy host/shot_gather.npy || fail 'the device has other bits'
[[ $("$minimod" info) == *'twin of the host'* ]] || fail 'the device is not told'
