#!/usr/bin/env bash
#
# Do the loops that measure arithmetic keep their ten sums in registers, each one its own, with multiply-adds where they
# are to be, and have all loops that measure the widest vectors of their level?  ceiling_loops.sh OBJECT
# A sum that lies on the stack makes a ceiling of memory of it, a third of what the cores do; sums that are equal are
# computed once, ten times of it; vectors of 256 bits where there are 512 do half of what a first-level cache and the
# units can.

set -euo pipefail
[[ $(uname -m) == x86_64 ]] || { echo 'skipped: another kind of processor' >&2; exit 77; }

objdump -d -C --no-show-raw-insn "$1" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $0; measures = name ~ /at_cpu_level_v[34]/ && name ~ /measure_arithmetic/ }
  measures && $2 ~ /^v(add|fn?madd[123]*)p[sd]$/ && /%[yz]mm/ {
    ++sums[name]
    if ($2 ~ /madd/) ++fused[name]
    if (/\(/) { print "reads memory: " $0 " in " name; failed = 1 }
    if ((name ~ /_v4/) != /%zmm/) { print "narrow vectors: " $0 " in " name; failed = 1 }
  }
  /^[0-9a-f]+ <.*>:$/ { reads = $0 ~ /at_cpu_level_v[34]/ && $0 ~ /measure_cache/ }
  reads && $2 == "vaddps" && /\(/ {
    ++cached[name]
    if ((name ~ /_v4/) != /%zmm/) { print "narrow vectors: " $0 " in " name; failed = 1 }
  }
  END {
    for (name in sums) { ++loops; if (sums[name] < 10) { print sums[name] " sums for 10 in " name; failed = 1 } }
    for (name in fused) if (fused[name] >= 10) ++fused_loops
    if (fused_loops != 4) { print fused_loops + 0 " loops of multiply-adds, not two of each level"; failed = 1 }
    for (name in cached) if (cached[name] >= 10) ++reading
    if (reading != 2) { print reading + 0 " loops of ten reads from caches, not one of each level"; failed = 1 }
    if (loops != 6) { print loops + 0 " loops of arithmetic, not three of each level"; failed = 1 }
    exit failed
  }'
