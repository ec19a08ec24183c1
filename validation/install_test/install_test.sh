#!/usr/bin/env bash
#
# Do others' programs build and run on the installed library, and on minimod as a part of theirs?
# install_test.sh BUILD_DIR [--whole]
# Installs what BUILD_DIR has to a folder that is then moved, and builds stranger.c and stranger.cpp on it, which find the
# exact wave on the CPU and, where there is one, on a GPU; so does the program that the library's page shows. As a part of
# another project minimod is configured, and with --whole, which takes as long as a first build, also built.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

. "$here/../build/cache.sh"
quietly() { "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log"; echo "FAILED: $*"; exit 1; }; }
configure() {  # configure FOLDER ARGUMENTS...
  quietly cmake -S "$here" -B "$scratch/$1" -G "$(cached CMAKE_GENERATOR)" -D "CMAKE_CXX_COMPILER=$(cached CMAKE_CXX_COMPILER)" \
    -D "CMAKE_C_COMPILER=$(cached CMAKE_C_COMPILER)" "${@:2}"
}
run() {  # run FOLDER
  "$scratch/$1/stranger_c"
  "$scratch/$1/stranger_cpp"
  if nvidia-smi -L 2>&1 | grep -q '^GPU' && [[ $(cached MINIMOD_GPU) != none ]]; then "$scratch/$1/stranger_c" cuda; fi
}

quietly cmake --build "$build" --target minimod minimod_shared
quietly cmake --install "$build" --prefix "$scratch/first"
if find "$scratch/first" -iname '*kokkos*' | grep .; then echo 'FAILED: Kokkos is installed'; exit 1; fi
mv "$scratch/first" "$scratch/prefix"
"$scratch/prefix/bin/minimod" --version
configure found -D "CMAKE_PREFIX_PATH=$scratch/prefix"
quietly cmake --build "$scratch/found"
run found

# The program of the library's page: a wave of 160 m through 2000 m/s, which is greatest 0.08 s behind its wavelet.
shown() { awk -v begin="\`\`\`$1" '$0 == "```" { on = 0 } on; $0 == begin { on = 1 }' "$here/../../src/library/README.md"; }
mkdir "$scratch/page"
shown cmake >"$scratch/page/CMakeLists.txt"
shown c >"$scratch/page/shot.c"
quietly cmake -S "$scratch/page" -B "$scratch/page/build" -D "CMAKE_PREFIX_PATH=$scratch/prefix"
quietly cmake --build "$scratch/page/build"
"$scratch/page/build/shot" >"$scratch/page/trace"
if [[ $(sort -g -k 2 "$scratch/page/trace" | tail -n 1) != '0.18 '* ]]; then
  cat "$scratch/page/trace"
  echo "FAILED: the wave of the library's page comes at another time"
  exit 1
fi

configure part -D "MINIMOD_SOURCE=$here/../.." -D "MINIMOD_DEPS_DIR=$(cached MINIMOD_DEPS_DIR)" -D MINIMOD_GPU=none
if [[ ${2:-} == --whole ]]; then
  quietly cmake --build "$scratch/part" --parallel "$(nproc)"
  run part
fi
