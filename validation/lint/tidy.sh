#!/usr/bin/env bash
#
# Does clang-tidy find anything in the host code?  tidy.sh BUILD_DIR [FILE...]
# Takes the flags from BUILD_DIR/compile_commands.json, one file at a time on each core. A file that passed is looked
# at again only when it, a header or the checks have changed. Exit 77: skipped, the tool is not here.

set -euo pipefail
build=$(cd "$1" && pwd)
shift
. "$(dirname "$0")/tool.sh"
clang_tidy=$(find_tool clang-tidy)

passed_before() {  # passed_before STAMP FILE
  [[ -e $1 && ! $(find "$2" .clang-tidy src kernels boundary models validation/cases \
                    \( -name '*.cpp' ! -path "$2" \) -prune -o -type f -newer "$1" -print -quit) ]]
}

check() {  # check TOOL BUILD_DIR FILE
  local stamp=$2/lint/${3//\//_}.passed report
  if passed_before "$stamp" "$3"; then return; fi
  touch "$stamp.began"
  if report=$("$1" -p "$2" --quiet --extra-arg=-Wno-unknown-warning-option "$3" 2>&1); then
    mv "$stamp.began" "$stamp"
  else
    echo "$report"
    return 1
  fi
}
export -f check passed_before

if (($# == 0)); then
  mapfile -t all < <(find src kernels boundary models validation/cases -name '*.cpp' | sort)
  for file in "${all[@]}"; do
    if grep -q "/$file\"" "$build/compile_commands.json"; then set -- "$@" "$file"; fi
  done
fi
mkdir -p "$build/lint"
# shellcheck disable=SC2016  # the inner bash expands it
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$@"' - "$clang_tidy" "$build"
