#!/usr/bin/env bash
#
# Does a launch of a shape stand in the objects for compute capability 9.0 alone and in those for every GPU?
# hopper_symbols.sh HOPPER_OBJECT... -- OTHER_OBJECT...
# The linker would keep one of two, and on another GPU the one without code for it.

set -euo pipefail

hopper=()
while [[ $1 != -- ]]; do
  hopper+=("$1")
  shift
done
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

launches() {  # launches OBJECT...: what it defines for others to share that names an update, thus a kernel
  nm --defined-only "$@" 2>/dev/null | awk 'NF == 3 && $2 ~ /^[WVu]$/ { print $3 }' | c++filt | grep 'Update<' | sort -u
}

launches "${hopper[@]}" >"$folder/hopper" || true
launches "$@" >"$folder/generic" || true
[[ -s $folder/generic ]] || { echo 'no launch was found at all: the test looks for the wrong symbols' >&2; exit 1; }
twice=$(comm -12 "$folder/hopper" "$folder/generic")
[[ ! $twice ]] || { printf 'these stand in both, and the linker keeps one:\n%s\n' "$twice" >&2; exit 1; }
