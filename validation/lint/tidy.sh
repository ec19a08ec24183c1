#!/usr/bin/env bash
#
# Does clang-tidy find anything in the host code?  tidy.sh BUILD_DIR [FILE...]
# One file at a time on each core, with the flags in BUILD_DIR/compile_commands.json; a file that passed is looked at
# again when it, a header or the checks change. Exit 77: skipped, the tool is not here.

set -euo pipefail
build=$(cd "$1" && pwd)
shift
. "$(dirname "$0")/tool.sh"
clang_tidy=$(find_tool clang-tidy)

check() {  # check TOOL BUILD_DIR FILE
  local passed=$2/lint/${3//\//_}.passed
  if [[ -e $passed && ! $(find "$3" .clang-tidy "$2/compile_commands.json" src kernels boundary models \
                            \( -name '*.cpp' ! -path "$3" \) -prune -o -type f -newer "$passed" -print -quit) ]]; then
    return
  fi
  mkdir -p "$2/lint"
  touch "$passed.began"
  "$1" -p "$2" --quiet --extra-arg=-Wno-unknown-warning-option "$3" 2>/dev/null && mv "$passed.began" "$passed"
}
export -f check

if (($# == 0)); then
  mapfile -t all < <(find src kernels boundary models -name '*.cpp' | sort)
  for file in "${all[@]}"; do
    if grep -q "/$file\"" "$build/compile_commands.json"; then set -- "$@" "$file"; fi
  done
fi
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$0" "$1" "$2"' "$clang_tidy" "$build"
