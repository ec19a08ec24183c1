#!/usr/bin/env bash
#
# Has the program the machine code and the PTX that `minimod info` names?  gpu_code_test.sh PROGRAM
# Exit 77: skipped, cuobjdump is not here or the program has no kernels for GPUs.

set -euo pipefail
program=$1
cuobjdump=$(command -v cuobjdump || echo /usr/local/cuda/bin/cuobjdump)
if [[ ! -x $cuobjdump ]]; then
  echo "skipped: no cuobjdump here"
  exit 77
fi
said=$("$program" info | sed -n 's/^  cuda_architectures: "\(.*\)"$/\1/p')
if [[ ! $said ]]; then
  echo "skipped: a program without kernels for GPUs"
  exit 77
fi
has() { "$cuobjdump" "$1" "$program" | grep -oE "$2_[0-9]+a?" | sort -u; }  # has --list-elf|--list-ptx sm

differs() { diff <(printf '%s\n' "$1") <(printf '%s\n' "$2"); }  # differs SAID FOUND

differs "$(grep -oE 'sm_[0-9]+a?' <<<"$said" | sort -u)" "$(has --list-elf sm)"
differs "$(grep -oE 'compute_[0-9]+' <<<"$said" | sed 's/compute/sm/')" "$(has --list-ptx sm)"
