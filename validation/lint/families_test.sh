#!/usr/bin/env bash
# A shape of shape_list.hpp is known by its header alone, and one with other threads than its family says does not compile:
# families_test.sh COMPILER.
set -u
compiler=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/kernels"

# compiled NAME BODY: the list with one shape more, of a family like gmem with that body.
compiled() {
  sed "s/^using ShapeList = TypeList<.*/template <class Update, int... D>\nstruct $1 : Gmem<Update, D...> { $2 };\n&\n Tiled<$1, 8, 8, 8>,/" \
    kernels/shape_list.hpp >"$folder/kernels/shape_list.hpp"
  "$compiler" -std=c++20 -fsyntax-only -w -I "$folder" -I . kernels/tiles/shape_family.cpp 2>&1
}

# expect WHAT TEXT: whether the compiler's words hold the text.
expect() {
  grep -qF -- "$2" <<<"$words" && return
  echo "not found in the compiler's words: $1: $2"
  failed=1
}

failed=0
words=$(compiled Known '')
[ -z "$words" ] || { echo "a shape of a known family does not compile: $words"; failed=1; }
words=$(compiled Planted 'static constexpr const char* family = "planted";')
[ -z "$words" ] || { echo "a shape of a new family does not compile: $words"; failed=1; }
words=$(compiled Flat 'static constexpr Extent3 threads{8, 8, 1};')
expect "threads" 'has blocks of other threads than its `threads`'
expect "the template" Flat
exit $failed
