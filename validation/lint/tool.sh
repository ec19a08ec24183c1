# shellcheck shell=bash
# Sourced by format.sh and tidy.sh: one version of the clang tools decides, since others format and warn otherwise.

lint_version=14
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

find_tool() {  # find_tool NAME: prints NAME of that version, or ends the check as skipped
  local candidate
  for candidate in "$1-$lint_version" "$1"; do
    if "$candidate" --version 2>/dev/null | grep -q "version $lint_version\."; then
      echo "$candidate"
      return
    fi
  done
  echo "skipped: no $1 $lint_version here" >&2
  return 77
}
