#!/usr/bin/env bash
#
# Do all kernels and the host's side of a GPU compile by hipcc, and link into a program?  hip.sh BUILD_DIR
# Builds the program for gfx90a in BUILD_DIR/hip with the libraries of BUILD_DIR, starts it, and holds registers, spills
# and LDS against the record. Exit 77: skipped, there is no hipcc here.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=$1

. "$here/cache.sh"

if ! command -v hipcc >/dev/null; then
  echo "skipped: there is no hipcc; apt-get install --no-install-recommends hipcc libamdhip64-dev brings it, 0.5 GB" >&2
  exit 77
fi

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

same_options CMAKE_CXX_COMPILER
cmake -S "$root" -B "$build/hip" "${options[@]}" -DMINIMOD_GPU=hip -DMINIMOD_ARCHITECTURES=gfx90a -DMINIMOD_MPI=OFF \
  -DMINIMOD_TESTS=OFF >"$build/hip.log" || { cat "$build/hip.log"; exit 1; }
cmake --build "$build/hip" --target minimod --parallel "$(nproc)"

minimod=$build/hip/bin/minimod
[[ $("$minimod" info) == *gfx90a* ]] || fail 'the build does not say what it is for'
[[ $("$minimod" kernels) == *st_reg_fixed_32x32* ]] || fail 'there are no shapes'
if [[ ! -e /dev/kfd ]]; then
  code=0
  said=$("$minimod" --device hip --grid 40 --steps 1 2>&1 >/dev/null) || code=$?
  [[ $code == 69 && $said == *'no AMD GPU'* ]] || fail "without a GPU it ends with $code: $said"
fi
"$root/perf/amd/kernel_resources.py" "$build/hip" "$build/hip/kernels.json"
python3 - "$root/perf/references/gfx90a_kernels.json" "$build/hip/kernels.json" <<'END'
import json, sys
known, built = ({row["kernel"]: row for row in json.load(open(path))["kernels"]} for path in sys.argv[1:])
compilers = [json.load(open(path))["compiler"] for path in sys.argv[1:]]
if known.keys() != built.keys():
    sys.exit(f"FAILED: other kernels than in the record, which perf/amd/kernel_resources.py makes: {sorted(known.keys() ^ built.keys())[:5]}")
spilled = [name for name in built if built[name]["vgpr_spills"] > known[name]["vgpr_spills"]]
if compilers[0] == compilers[1] and spilled:
    sys.exit(f"FAILED: more registers are spilled than in the record: {spilled}")
END
