#!/usr/bin/env bash
#
# Does clang-tidy find anything in the host code?  tidy.sh BUILD_DIR [FILE...]
# Takes flags and units from BUILD_DIR/compile_commands.json, one unit at a time on each core: a batch of files where the
# build compiles in batches. A unit that passed is looked at again only when a source or the checks have changed. Exit 77:
# skipped, the tool is not here.

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
  if report=$("$1" -p "$2" --quiet --config-file=.clang-tidy --extra-arg=-Wno-unknown-warning-option "$3" 2>&1); then
    mv "$stamp.began" "$stamp"
  else
    echo "$report"
    return 1
  fi
}
export -f check passed_before

units() {  # the units of the libraries and the program, not those of the tests and of what others wrote
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
    grep -E "^($PWD/(src|kernels|boundary|models|validation/cases)/|$build/(validation/cases/)?CMakeFiles/minimod.*/Unity/)" |
    grep -E '\.(cpp|cxx)$' | sort -u
}

if (($# == 0)); then
  mapfile -t all < <(units)
  set -- "${all[@]}"
fi
mkdir -p "$build/lint"
# shellcheck disable=SC2016  # the inner bash expands it
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$@"' - "$clang_tidy" "$build"
