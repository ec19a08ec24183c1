#!/usr/bin/env bash
#
# GPUs that a build is for: with an nvidia-smi and an nvcc that only pretend, and with the real nvcc where one is.

set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pretend() {  # pretend NAME COMMAND: a tool NAME that runs COMMAND
  printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"
  chmod +x "$work/$1"
}

gpus() {  # gpus LINE...: what the GPUs of the machine are
  pretend nvidia-smi "printf '%s\\n' $(printf "'%s' " "$@")"
}

# chooses NVCC WHAT LEFT_OUT [WANTED]: the architectures chosen, and how many GPUs are said to be left out
chooses() {
  local out
  out=$(PATH=$work:$PATH cmake -D "nvcc=$1" -D "wanted=${4:-native}" -P "$work/choose.cmake" 2>&1)
  if ! grep -qxF -e "-- chosen: $2" <<<"$out" || (($(grep -c 'CUDA: a GPU is left out' <<<"$out") != $3)); then
    printf 'FAILED: %s with %s GPUs left out expected, of\n%s\nsaid\n%s\n' "$2" "$3" "$(cat "$work/nvidia-smi")" "$out"
    exit 1
  fi
}

refuses() {  # refuses NVCC WANTED: with what MINIMOD_ARCHITECTURES may be
  local out
  if out=$(PATH=$work:$PATH cmake -D "nvcc=$1" -D "wanted=$2" -P "$work/choose.cmake" 2>&1) ||
    [[ $out != *'MINIMOD_ARCHITECTURES is'*'or a list such as'* ]]; then
    printf 'FAILED: %s is not refused:\n%s\n' "$2" "$out"
    exit 1
  fi
}

cat >"$work/choose.cmake" <<SCRIPT
cmake_minimum_required(VERSION 3.22)
include("$root/src/cmake/gpu_architectures.cmake")
minimod_choose_architectures(chosen "\${wanted}" \${nvcc})
message(STATUS "chosen: \${chosen}")
SCRIPT

# shellcheck disable=SC2016  # the tool expands it
pretend nvcc '[ "$1" = --list-gpu-arch ] && printf "compute_%s\n" 75 80 90 100 120'
gpus '9.0, NVIDIA H100 80GB HBM3'
chooses "$work/nvcc" 90 0
gpus '9.0, NVIDIA H100' '9.0, NVIDIA H100' '8.0, NVIDIA A100-SXM4-80GB'
chooses "$work/nvcc" '80;90' 0
gpus '5.0, Quadro K620' '12.0, NVIDIA RTX PRO 6000' '6.1, NVIDIA GeForce GTX 1080'
chooses "$work/nvcc" 120 2
gpus '6.1, NVIDIA GeForce GTX 1080'
refuses "$work/nvcc" native
gpus 'No devices were found'
refuses "$work/nvcc" native
pretend nvidia-smi 'echo "Failed to initialize NVML: 9.0, Driver/library version mismatch"; exit 18'
refuses "$work/nvcc" native

gpus '9.0, NVIDIA H100'  # "all" does not look at GPUs
chooses "$work/nvcc" '80;90;100;120' 0 all
chooses "$work/nvcc" '80;90' 0 '90 80'
chooses "$work/nvcc" '80;90' 0 '80-real;90'
refuses "$work/nvcc" hopper
# shellcheck disable=SC2016  # the tool expands it
pretend nvcc '[ "$1" = --list-gpu-arch ] && printf "compute_%s\n" 50 60 70 75 80 86 87 89 90'
chooses "$work/nvcc" '80;90' 0 all

pretend nvcc 'echo "nvcc fatal: Unknown option" >&2; exit 1'  # one that does not say what it compiles for
gpus '5.0, Quadro K620' '9.0, NVIDIA H100'
chooses "$work/nvcc" '50;90' 0
chooses "$work/nvcc" 80 0 all

if real=$(command -v nvcc); then
  gpus '1.0, NVIDIA GeForce 8800 GTX' '9.0, NVIDIA H100'
  chooses "$real" 90 1
fi

cat >"$work/choose.cmake" <<SCRIPT
cmake_minimum_required(VERSION 3.22)
include("$root/src/cmake/gpu_architectures.cmake")
foreach(version 12.0.140 12.4.131 12.5.40 13.0.88)
  minimod_choose_hopper(hopper "\${nvcc}" \${version})
  list(APPEND chosen \${hopper})
endforeach()
message(STATUS "chosen: \${chosen}")
SCRIPT
chooses 90 'OFF;OFF;ON;ON' 0
chooses '80;90' 'OFF;OFF;ON;ON' 0
chooses '80;100' 'OFF;OFF;OFF;OFF' 0

cat >"$work/choose.cmake" <<SCRIPT
cmake_minimum_required(VERSION 3.22)
include("$root/src/cmake/gpu_architectures.cmake")
minimod_code_option(option "\${nvcc}")
minimod_code_text(text "\${nvcc}" ON)
message(STATUS "chosen: \${option} \${text}")
SCRIPT
chooses '80;120' '--generate-code=arch=compute_80,code=[sm_80,sm_120,compute_80] sm_80 sm_120 sm_90a, PTX of compute_80' 0

# ---- GPUs of AMD, with a hipcc that only pretends ------------------------------------------------------------------

cat >"$work/choose.cmake" <<SCRIPT
cmake_minimum_required(VERSION 3.22)
set(PROJECT_BINARY_DIR "$work")
include("$root/src/cmake/hip.cmake")
minimod_choose_gfx(chosen "\${wanted}" \${nvcc})
message(STATUS "chosen: \${chosen}")
SCRIPT
# shellcheck disable=SC2016  # the tool expands it
pretend hipcc 'case $1 in *gfx942) exit 1 ;; esac'
chooses "$work/hipcc" 'gfx90a;gfx1100' 0 all
chooses "$work/hipcc" 'gfx906;gfx90a' 0 'gfx906, gfx90a'
refuses "$work/hipcc" '90'
refuses "$work/hipcc" 'gfx'
pretend rocm_agent_enumerator 'printf "gfx000\ngfx90a\ngfx90a\n"'
chooses "$work/hipcc" gfx90a 0 native
pretend rocm_agent_enumerator 'echo gfx000'
refuses "$work/hipcc" native
pretend hipcc 'exit 1'
refuses "$work/hipcc" all
