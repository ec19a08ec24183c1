#!/usr/bin/env bash
#
# floors.sh passes a small tree in order and names each violation that is planted in it.

set -euo pipefail
floors=$(cd "$(dirname "$0")" && pwd)/floors.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{src/base,src/job/{plan,shot},src/cmake,kernels,boundary,models,validation/{cases,unit}}

plant() {  # plant FILE LINE...
  printf '%s\n' "${@:2}" >"$tree/$1"
}

finds() {  # finds LINE...: these and no others, with exit code 1 if there are any
  local expected code=0 found
  expected=$(printf '%s\n' "$@")
  found=$("$floors" "$tree") || code=$?
  if [[ $found != "$expected" ]] || ((code != ($# > 0))); then
    printf 'FAILED: exit %s and\n%s\ninstead of\n%s\n' "$code" "$found" "$expected"
    exit 1
  fi
}

plant src/main.cpp '#include "src/job/shot/run.hpp"' '#include <vector>'
plant src/job/shot/run.hpp '#include "src/base/error.hpp"' '#include "kernels/grid.hpp"' '#include "src/job/plan/plan.hpp"'
plant src/base/error.hpp '#include <string>' '// like #include "src/job/shot/run.hpp"'
plant validation/cases/green.cpp '#include "src/job/shot/run.hpp"'
plant validation/unit/run_test.cpp '#include "validation/cases/green.hpp"'
touch "$tree"/src/README.md "$tree"/src/cmake/compilers.cmake
finds

plant kernels/shape.cuh '#pragma once' '' '  #  include "boundary/layer.hpp"'
plant src/base/error.cpp '#include <src/main.cpp>' '#include "error.hpp"'
plant src/job/plan/plan.cpp.in '#include "validation/cases/green.hpp"'
plant src/stray.hpp
plant src/job/long.cpp $(seq 401)
plant src/job/short.cpp $(seq 400)
mkdir "$tree"/src/job/{full,fuller}
for number in {101..125}; do plant "src/job/full/$number.cpp"; plant "src/job/fuller/$number.cpp"; done
plant src/job/fuller/126.hpp
plant validation/cases/runner.hpp '#include "validation/unit/base/expect_error.hpp"'
finds \
  'kernels/shape.cuh:3: includes boundary/layer.hpp: kernels stands below boundary' \
  'src/base/error.cpp:1: includes src/main.cpp: src/base stands below src/main.cpp' \
  'src/base/error.cpp:2: includes error.hpp, which stands on no floor' \
  'src/job/fuller: more than 25 files' \
  'src/job/long.cpp: 401 lines, at most 400' \
  'src/job/plan/plan.cpp.in:1: includes validation/cases/green.hpp: src/job stands below validation/cases' \
  'src/stray.hpp: stands on no floor' \
  'validation/cases/runner.hpp:1: includes validation/unit/base/expect_error.hpp: validation/cases stands below validation'
