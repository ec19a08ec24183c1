#!/usr/bin/env bash
#
# Does clang-tidy find anything in the host code?  tidy.sh BUILD_DIR [FILE...]
# Takes flags and units from BUILD_DIR/compile_commands.json, one unit at a time on each core. Where the build compiles in
# batches, all batches of a library are one unit: what takes the time is looking through the libraries' headers. A unit
# that passed is looked at again only when a source or the checks have changed. Exit 77: skipped, the tool is not here.

set -euo pipefail
build=$(cd "$1" && pwd)
shift
. "$(dirname "$0")/tool.sh"
clang_tidy=$(find_tool clang-tidy)

passed_before() {  # passed_before STAMP
  [[ -e $1 && ! $(find .clang-tidy src kernels boundary models validation/cases -type f -newer "$1" -print -quit) ]]
}

check() {  # check TOOL BUILD_DIR UNIT
  local stamp=$2/lint/${3//\//_}.passed report
  if passed_before "$stamp"; then return; fi
  touch "$stamp.began"
  if report=$("$1" -p "$2/lint" --quiet --config-file=.clang-tidy --extra-arg=-Wno-unknown-warning-option "$3" 2>&1); then
    mv "$stamp.began" "$stamp"
  else
    echo "$report"
    return 1
  fi
}
export -f check passed_before

units() {  # units DATABASE: those of the libraries and the program, not those of the tests and of what others wrote
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$1" |
    grep -E "^($PWD/(src|kernels|boundary|models|validation/cases)/.*\.cpp|$build/(validation/cases/)?CMakeFiles/.*/Unity/.*\.cxx)$" |
    sort -u
}

# In $build/lint: a unit for each library that is compiled in batches, and a database that has it in place of them. Headers
# that the build has precompiled are not included for a unit.
join_batches() {
  local batch unit
  mkdir -p "$build/lint"
  rm -f "$build"/lint/*.cxx
  while read -r batch; do
    unit=${batch%.dir/Unity/*}
    grep -h '^#include' "$batch" >>"$build/lint/${unit##*/}.cxx"
  done < <(units "$build/compile_commands.json" | grep '/Unity/')
  sed -E -e 's#-include [^ ]*/cmake_pch\.hxx##' -e "s#[^ \"]*/CMakeFiles/(minimod[a-z_]*)\.dir/Unity/unity_0_cxx\.cxx\"(,?)\$#$build/lint/\1.cxx\"\2#" \
    "$build/compile_commands.json" >"$build/lint/compile_commands.json"
}

join_batches
if (($# == 0)); then
  mapfile -t all < <(find "$build/lint" -name "*.cxx" | sort; units "$build/compile_commands.json" | grep -v '/Unity/')
  set -- "${all[@]}"
fi
# shellcheck disable=SC2016  # the inner bash expands it
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$@"' - "$clang_tidy" "$build"
