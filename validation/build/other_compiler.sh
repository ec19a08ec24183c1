#!/usr/bin/env bash
#
# Does clang make the same bits as the compiler of the program, and vectors?  other_compiler.sh BUILD_DIR TESTS
# Builds the kernels for all cores, their tests and the loops that measure ceilings with clang in BUILD_DIR/clang, with
# the libraries of BUILD_DIR, and compares their fields with those of TESTS, the program's own tests. Exit 77: skipped, there is no other clang here.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
tests=$2

. "$here/cache.sh"

own=$(cached CMAKE_CXX_COMPILER)
clang=
for candidate in clang++ clang++-{22,21,20,19,18,17,16,15,14}; do
  if command -v "$candidate" >/dev/null &&
    echo '#include <omp.h>
          #include <concepts>' | "$candidate" -std=c++20 -fopenmp -x c++ -fsyntax-only - 2>/dev/null; then
    clang=$candidate
    break
  fi
done
if [[ ! $clang ]] || "$own" --version | grep -q clang; then
  echo 'skipped: no clang++ with OpenMP beside the compiler of the program' >&2
  exit 77
fi

same_options Catch2_DIR
CXX=$clang cmake -S "$here/../.." -B "$build/clang" "${options[@]}" -DCMAKE_BUILD_TYPE=Release -DMINIMOD_GPU=none \
  -DMINIMOD_TESTS=ON
cmake --build "$build/clang" --target minimod_portable_tests minimod_host_ceilings --parallel "$(nproc)"

others=$build/clang/bin/minimod_portable_tests
"$others"
"$here/../lint/cpu_levels.sh" "$others"
"$here/../lint/ceiling_loops.sh" "$(find "$build/clang/CMakeFiles/minimod_host_ceilings.dir" -name '*.o')"
diff <("$tests" '[.bits]' | grep ^bits) <("$others" '[.bits]' | grep ^bits)
