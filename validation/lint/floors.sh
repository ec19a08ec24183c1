#!/usr/bin/env bash
#
# Does every file include its own floor and lower ones only?  floors.sh [ROOT]
# src/floors.txt is the table of the floors. A file under src/ must stand on one of them. A file of code
# has at most 400 lines, a folder 25 files beside its sub-folders.

set -euo pipefail
lint=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$lint/../..}"

find src kernels boundary models validation -type f | LC_ALL=C sort | awk -v table="$lint/../../src/floors.txt" -v longest=400 -v most=25 '
  BEGIN {
    while ((getline line < table) > 0) {
      if (line !~ /^#/ && split(line, word, " ") > 1) name[++floors] = word[1]
    }
    if (!floors) fail(table ": no floors")
  }

  function fail(message) {
    print message
    failed = 1
  }

  # The floor with the longest name that `path` begins with; 0 if it stands on none.
  function floor_of(path,   i, best) {
    for (i = 1; i <= floors; ++i) {
      if (index(path "/", name[i] "/") == 1 && length(name[i]) > length(name[best])) best = i
    }
    return best + 0
  }

  # A quoted include is a file of the project, named from its root.
  function check_include(place, own, line,   to, other) {
    to = line
    if (!sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", to)) return
    sub(/[">].*/, "", to)
    other = floor_of(to)
    if (!other && line ~ /"/) fail(place ": includes " to ", which stands on no floor")
    if (other > own) fail(place ": includes " to ": " name[own] " stands below " name[other])
  }

  function check_code(file, own,   line, lines) {
    while ((getline line < file) > 0) check_include(file ":" ++lines, own, line)
    close(file)
    if (lines > longest) fail(file ": " lines " lines, at most " longest)
  }

  {
    folder = $0
    sub(/\/[^\/]*$/, "", folder)
    if (++files[folder] == most + 1) fail(folder ": more than " most " files")
    own = floor_of($0)
    if (!own && $0 !~ /^src\/((cmake|packaging)\/|README\.md$|floors\.txt$)/) fail($0 ": stands on no floor")
    if (own && /\.(cu|cuh|[ch]pp|py)(\.in)?$/) check_code($0, own)
  }

  END { exit failed }'
