#!/usr/bin/env bash
#
# Is the code as clang-format leaves it?  format.sh [--fix]
# Exit 77: skipped, the tool is not here.

set -euo pipefail
. "$(dirname "$0")/tool.sh"
clang_format=$(find_tool clang-format)

mode=(--dry-run --Werror)
if [[ ${1:-} == --fix ]]; then mode=(-i); fi
find src kernels boundary models validation \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 -n 16 "$clang_format" --style=file "${mode[@]}" || {
    echo "validation/lint/format.sh --fix formats the code" >&2
    exit 1
  }
