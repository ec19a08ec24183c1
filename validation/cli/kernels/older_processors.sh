#!/usr/bin/env bash
#
# Older processors, emulated by qemu, get a refusal without AVX2 and FMA, else a run like here. older_processors.sh
# PROGRAM.  Exit 77: skipped, qemu is not here or knows no AVX2 (before 7.2).

set -euo pipefail
program=$1
skip() { echo "skipped: $1" >&2; exit 77; }
[[ $(uname -m) == x86_64 ]] || skip 'another kind of processor'
command -v qemu-x86_64 >/dev/null || skip 'no qemu-x86_64 here'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
shot=(--device cpu --kernel kokkos --grid 30 --pml-width 5 --steps 20 --json run.json --force)

fail() { echo "FAILED: $1"; cat out err 2>/dev/null; exit 1; }
on() { qemu-x86_64 -cpu "$1" "$program" "${@:2}" >out 2>err; }  # on PROCESSOR ARGS...

for old in Nehalem SandyBridge; do
  code=0
  on "$old" "${shot[@]}" || code=$?
  ((code == 69)) || fail "exit code $code on $old, 69 expected"
  said=$(grep -v '^qemu-x86_64: warning' err)
  [[ $(wc -l <<<"$said") == 1 && $said == *'no AVX2 and FMA'* ]] || fail "what is said on $old"
  on "$old" info || fail "info on $old"
  grep -q 'why_not.*no AVX2 and FMA' out || fail "info on $old does not say why not"
done

on Haswell "${shot[@]}" || {
  grep -q 'no AVX2' err && skip 'this qemu knows no AVX2'
  fail 'a run on Haswell'
}
grep -q '"cpu_level": "x86-64-v3"' run.json || fail 'the level on Haswell'
extremes() { grep -E '"(min|max)":' run.json; }
there=$(extremes)
"$program" "${shot[@]}" >out 2>err || fail 'a run here'
[[ $there == "$(extremes)" ]] || fail "other values on Haswell: $there"
