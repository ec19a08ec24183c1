#!/usr/bin/env bash
#
# All code shapes on the GPU of this machine: verified, sanitized, measured. Needs `./minimod test` to have built
# the program and the tests, and compute-sanitizer (it comes with CUDA).
#
#   perf/gpu_check.sh [verify] [sanitize] [races] [bench]      one part or several; all four without a name
#
# KERNELS   pattern of the shapes (all)
# GRID, STEPS, REPEATS   of the benchmark (1000, 200, 7)
# OUTPUT    folder of bench.json and bench.csv (.)
# BIN       folder of minimod and minimod_tests (build/bin)

set -euo pipefail
cd "$(dirname "$0")/.."
bin=${BIN:-build/bin}
output=${OUTPUT:-.}
kernels=${KERNELS:-all}
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)

verify() {
  "$bin/minimod_tests" '[gpu]' --durations yes
}

# Every shape on a small awkward grid, and a whole shot with its source and receivers.
sanitize() {
  local tool scratch
  scratch=$(mktemp -d)
  for tool in memcheck racecheck initcheck synccheck; do
    if [[ $tool != racecheck ]]; then
      sanitized "$sanitizer" "$tool" bench --kernel "$kernels" --device cuda --grid 45,35,27 --pml-width 5 --steps 2 \
        --repeats 1 --no-energy
      sanitized "$sanitizer" "$tool" bench --kernel "$kernels" --device cuda --grid 45,35,27 --pml-width 5 --steps 1 \
        --repeats 1 --no-energy --decomposition one
    fi
    sanitized "$sanitizer" "$tool" bench --kernel st_window,tma_ring --pml-kernel st_window_32x32x32 --device cuda \
      --grid 45,35,27 --pml-width 5 --steps 5 --repeats 1 --no-energy --schedule beside
    sanitized "$sanitizer" "$tool" --device cuda --grid 45,35,27 --pml-width 5 --steps 5 --output "$scratch" --force
    sanitized "$sanitizer" "$tool" --device cuda --grid 45,35,27 --pml-width 5 --steps 5 --output "$scratch" --force \
      --boundary cpml --free-surface --interpolation sinc4 --receivers line:10,10,10:300,200,100:7
    sanitized "$sanitizer" "$tool" --device cuda --grid 45,35,27 --pml-width 5 --steps 5 --output "$scratch" --force \
      --boundary sponge
  done
  rm -r "$scratch"
}

# Every shape under racecheck, in a process of its own, several at once: the tool takes minutes to prepare all kernels of
# a module, and seconds for those with one word in their name, which is the family's as the class is called.
races() {
  export bin sanitizer scratch
  scratch=$(mktemp -d)
  "$bin/minimod" kernels --json | python3 -c '
import fnmatch, json, sys
for kernel in json.load(sys.stdin)["kernels"]:
    if any(p == "all" or fnmatch.fnmatch(kernel["name"], p) for p in sys.argv[1].split(",")) and kernel["threads"] > 0:
        family, decompositions = kernel["family"].title().replace("_", ""), "seven one"
        if family.startswith("Tma"):  # functions of their own, for the inner box alone
            family, decompositions = "tma_", "seven"
        print(kernel["name"], family, decompositions)' "$kernels" |
    xargs -P "$(nproc)" -L 1 bash -c 'race "$@"' -
  rm -r "$scratch"
}

race() {  # race KERNEL CLASS DECOMPOSITION...
  local decomposition log=$scratch/$1.log
  for decomposition in "${@:3}"; do
    "$sanitizer" --tool racecheck --error-exitcode 1 --kernel-name "kns=$2" "$bin/minimod" --kernel "$1" --device cuda \
      --grid 45,35,27 --pml-width 5 --steps 2 --decomposition "$decomposition" --output "$scratch/$1.h5" --force \
      >"$log" 2>&1 || {
      grep -E '=========|error' "$log" | head -n 40
      return 1
    }
    echo "racecheck, $1, decomposition $decomposition: $(grep 'SUMMARY' "$log")"
  done
}
export -f race

sanitized() {  # sanitized SANITIZER TOOL ARGS...
  local log=$output/$2.log
  "$1" --tool "$2" --error-exitcode 1 "$bin/minimod" "${@:3}" >"$log" || {
    grep '=========' "$log" | head -n 40
    echo "$2 found something, all of it is in $log"
    return 1
  }
  echo "$2, minimod ${3#--device}: $(grep 'SUMMARY' "$log")"
}

bench() {
  "$bin/minimod" bench --kernel "$kernels" --device cuda --grid "${GRID:-1000}" --steps "${STEPS:-200}" \
    --repeats "${REPEATS:-7}" --json "$output/bench.json" --csv "$output/bench.csv" --force
}

mkdir -p "$output"
for part in "${@:-verify sanitize races bench}"; do
  for name in $part; do "$name"; done
done
