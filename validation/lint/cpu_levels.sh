#!/usr/bin/env bash
#
# Do instructions newer than x86-64 stand in functions of their level alone, and are the levels' loops vectors with
# multiply-adds?  cpu_levels.sh PROGRAM
# Elsewhere they would end in SIGILL on an older processor, and a loop without them is several times slower.

set -euo pipefail
[[ $(uname -m) == x86_64 ]] || { echo 'skipped: another kind of processor' >&2; exit 77; }

objdump -d --no-show-raw-insn "$1" | awk '
  function fail(message) {
    print message
    failed = 1
  }
  function check(level, list,   loops, loop, i, most) {
    loops = split(list, loop, " ")
    for (i = 1; i <= loops; ++i) {
      most = 0
      for (name in vectors) {
        if (index(name, level) && index(name, loop[i]) && vectors[name] > most) most = vectors[name]
      }
      if (most < 13) fail(level ": no vectors with the 13 multiply-adds of a star in " loop[i])
    }
  }
  /^[0-9a-f]+ <.*>:$/ { name = $2; at_level = name ~ /at_cpu_level_v[34]|9x86_64_v[34]/ }
  $2 ~ /^v[a-z]/ && $2 !~ /^ver[rw]$/ && !at_level && !(name in seen) {
    seen[name]
    fail("newer than x86-64 in " name " " $0)
  }
  $2 ~ /^vfn?m(add|sub)[123]*ps$/ && /%[yz]mm/ { ++vectors[name] }
  END {
    portable = "11update_rowsINS_11InnerUpdateIf 11update_rowsINS_9PmlUpdateIf "
    packed = "12update_planeINS_11InnerUpdateIf 12update_planeINS_9PmlUpdateIf "
    plain = "16run_reference_v3INS_11InnerUpdateIf 16run_reference_v3INS_9PmlUpdateIf"
    check("at_cpu_level_v3", portable plain)
    check("9x86_64_v4", packed)
    exit failed
  }'
