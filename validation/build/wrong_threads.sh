#!/usr/bin/env bash
#
# Do wrong threads in a family's table fail to compile, with a sentence?  wrong_threads.sh COMPILER

set -euo pipefail
cd "$(dirname "$0")/../.."

# says THREADS PATTERN: what the compiler says of a tile of 32 x 8 points with such threads ('' = it compiles).
says() {
  local messages
  messages=$("$1" -std=c++20 -I. -x c++ -fsyntax-only - 2>&1 <<END || true
#include "kernels/shape.hpp"
namespace minimod {
struct Planted : ShapeDefaults {
  static constexpr Extent3 tile{32, 8, 0}, threads{$2};
};
template void check_threads<Planted>();
}
END
  )
  if [[ $3 ]]; then
    grep -q "$3" <<<"$messages" || { printf 'threads %s: not "%s" but:\n%s\n' "$2" "$3" "$messages"; exit 1; }
  elif [[ $messages ]]; then
    printf 'threads %s:\n%s\n' "$2" "$messages"
    exit 1
  fi
}

says "$1" '32, 8, 1' ''
says "$1" '32, 4, 1' ''
says "$1" '32, 3, 1' "the tile is no multiple of the family's .threads. along x, y or z"
says "$1" '32, 8, 8' 'a block has 1 to 1024 threads'
says "$1" '0, 8, 1' 'a block has 1 to 1024 threads'
