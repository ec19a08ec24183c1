#!/usr/bin/env bash
#
# options.py passes a small tree and names each violation that is planted in it.  options_test.sh PYTHON PROGRAM

set -euo pipefail
lint=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/{commands,job,ranks} "$tree"/kernels

finds() {  # finds LINE...: these and no others, with exit code 1 if there are any
  local expected code=0 found
  expected=$(printf '%s\n' "$@")
  found=$("$python" -B "$lint/options.py" "$program" "$tree") || code=$?
  if [[ $found != "$expected" ]] || ((code != ($# > 0))); then
    printf 'FAILED: exit %s and\n%s\ninstead of\n%s\n' "$code" "$found" "$expected"
    exit 1
  fi
}

python=$1 program=$2
echo 'table.value("--grid", "N");' >"$tree/src/commands/options.cpp"
echo 'words.push_back("--quiet");' >"$tree/src/ranks/start.cpp"
printf '%s\n' '// --grid' 'text("a smaller ", option("grid"), " -- or ", option("pml-width")); --i; /* "--grid" */' \
  >"$tree/src/job/plan.cpp"
finds

printf '%s\n' 'int a = 1;' 'text("a \"smaller\" --grid");' >"$tree/kernels/wide.cuh"
echo 'std::string why = text(option("mesh"), R"(of --pml-width 2)");' >"$tree/src/job/run.hpp"
echo 'std::cerr << "lost";' >"$tree/src/job/loud.cpp"
echo 'throw Error("none is known (minimod kernels lists all)", "in minimod survey 1");' >"$tree/src/job/shapes.cpp"
finds 'kernels/wide.cuh:2: spells --grid' 'src/job/loud.cpp: writes to stderr, which is for notes that are told' \
  'src/job/run.hpp:1: no command hears the option mesh' \
  'src/job/run.hpp:1: spells --pml-width' 'src/job/shapes.cpp:1: spells minimod kernels'
