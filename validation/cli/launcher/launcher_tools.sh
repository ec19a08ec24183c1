# shellcheck shell=bash
#
# Sourced by the tests of the launcher: a small checkout of its own in a folder with a space, and stand-ins for the
# tools that a build needs, which keep to what the real ones do with a cache and with the times of files.
#
# The stand-in of CMake misses what $work/missing names and deps/ has not. It remembers home, compilers and flags when
# it first configures; `--build` needs its cache, and a compiler that runs; it makes an object of the text of
# src/main.cpp where a source is newer than that, and a program that says all this, its folder and its arguments.

set -euo pipefail
launcher=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)/minimod
work=$(mktemp -d)
work=$(cd "$work" && pwd -P)
chmod 755 "$work"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
unset MINIMOD_BUILD_DIR MINIMOD_NO_INSTALL MINIMOD_ARCHITECTURES CC CXX CUDACXX CUDAHOSTCXX CFLAGS CXXFLAGS CUDAFLAGS \
  LDFLAGS CUDAARCHS CUDA_HOME CUDA_PATH CMAKE_PREFIX_PATH CMAKE_TOOLCHAIN_FILE HDF5_ROOT Kokkos_ROOT
export MINIMOD_NO_INSTALL=1 WORK=$work
checks=0

fail() {
  echo "FAILED: $*"
  sed 's/^/    /' "$work/out" "$work/err"
  exit 1
}

run() {  # run EXPECTED_EXIT_CODE COMMAND...: output in $work/out and $work/err
  local expected=$1 code=0
  shift
  "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  ((code == expected)) || fail "exit $code instead of $expected from: $*"
  checks=$((checks + 1))
}

says() {  # says out|err TEXT
  grep -qF -e "$2" "$work/$1" || fail "'$2' is missing"
  checks=$((checks + 1))
}

says_not() {  # says_not out|err TEXT
  ! grep -qF -e "$2" "$work/$1" || fail "'$2' is said"
  checks=$((checks + 1))
}

refuses() {  # refuses EXPECTED_EXIT_CODE COMMAND...: with one line
  run "$@"
  [[ $(grep -c . "$work/err") == 1 && $(<"$work/err") == 'minimod: error: '* ]] || fail "not one clear line: ${*:2}"
}

builds() {  # builds COMMAND...: it runs the program, and has called CMake before
  rm -f "$work/calls"
  run 0 "$@"
  [[ -e $work/calls ]] || fail "no build by: $*"
}

builds_nothing() {
  rm -f "$work/calls"
  run 0 "$@"
  [[ ! -e $work/calls ]] || fail "built again by: $*"
}

compiler() {  # compiler NAME VERSION: a stand-in among the tools
  # shellcheck disable=SC2016  # the stand-in expands it
  printf '#!/bin/sh\n[ "$1" != --version ] || { echo "%s"; exit; }\ncat >/dev/null\n' "$2" >"$work/tools/$1"
  chmod +x "$work/tools/$1"
}

checkout() {  # checkout FOLDER: a small checkout
  mkdir -p "$1"/{src,kernels,boundary,models,validation/cases}
  cp "$launcher" "$1/minimod"
  touch "$1/CMakeLists.txt"
  echo "text of ${1##*/}" >"$1/src/main.cpp"
}

mkdir "$work/tools" "$work/bare"
root="$work/the checkout"
checkout "$root"

cat >"$work/program" <<'PROGRAM'
printf '[%s]' "$PWD" "$@"
[[ ${1:-} != fail ]] || exit 65
if [[ ${1:-} == roofline && ${2:-} == -o ]]; then echo record >"$3/roofline.json"; fi
if [[ ${1:-} == wait ]]; then read -r _ <"$2"; fi
if [[ ${*: -1} == --strict ]]; then exit 65; fi
PROGRAM
cat >"$work/tools/cmake" <<'CMAKE'
#!/usr/bin/env bash
[[ $1 != --version ]] || { echo 'cmake version 3.25.1'; exit; }
echo "$*" >>"$WORK/calls"
case $1 in
  -S) read -r name _ <"$WORK/missing"
      for word in "$@"; do
        case $word in
          MINIMOD_MISSING_FILE=*) listed=${word#*=} ;;
          MINIMOD_DEPS_DIR=*) deps=${word#*=} ;;
        esac
      done
      mkdir -p "$4"
      : >"$listed"
      if [[ $name && ! -e $deps/$name ]]; then cp "$WORK/missing" "$listed"; exit 1; fi
      if [[ -e $4/CMakeCache.txt ]]; then
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$2" "$4/CMakeCache.txt"
      else
        printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$2" "cxx=$CXX" "nvcc=${CUDACXX-}" "flags=${CXXFLAGS-}" \
          "CMAKE_COMMAND:INTERNAL=$0" "CMAKE_MAKE_PROGRAM:FILEPATH=$(type -P ninja || type -P make)" \
          "CMAKE_CTEST_COMMAND:INTERNAL=${0%/*}/ctest" >"$4/CMakeCache.txt"
      fi
      for word in "$@"; do
        if [[ $word == MINIMOD_MPI=* ]]; then
          sed -i '/^MINIMOD_MPI:/d' "$4/CMakeCache.txt"
          echo "MINIMOD_MPI:BOOL=${word#*=}" >>"$4/CMakeCache.txt"
        fi
      done ;;
  --build) [[ ! -e $WORK/broken ]] || { echo 'main.cpp:1: error'; exit 1; }
      home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$2/CMakeCache.txt") && [[ $home ]] || exit 1
      cxx=$(sed -n 's/^cxx=//p' "$2/CMakeCache.txt")
      tool=$(sed -n 's/^CMAKE_MAKE_PROGRAM:FILEPATH=//p' "$2/CMakeCache.txt")
      type -P "$cxx" "$tool" >/dev/null || exit 1
      mkdir -p "$2/bin" "$2/CMakeFiles"
      object=$2/CMakeFiles/main.o
      if [[ ! -e $object || $(find "$home/src" -newer "$object") ]]; then
        sleep "${SLOWLY:-0}"
        { "$cxx" --version && cat "$home/src/main.cpp"; } >"$object"
      fi
      { printf '#!/usr/bin/env bash\ncat <<FACTS\nhome %s\n' "$home"
        cat "$object"
        sed -n '/^nvcc=/p; /^flags=/p' "$2/CMakeCache.txt"
        echo FACTS
        cat "$WORK/program"; } >"$2/bin/minimod.new"
      chmod +x "$2/bin/minimod.new" && mv "$2/bin/minimod.new" "$2/bin/minimod" ;;
esac
CMAKE
compiler c++ 'c++ 12'
printf '#!/bin/sh\n' >"$work/tools/ninja"
printf '#!/bin/sh\necho "ctest $*"\n' >"$work/tools/ctest"
chmod +x "$work/tools"/*
: >"$work/missing"

# Tools that any system has, and nothing to build with.
for tool in bash sh env cat cp mv rm rmdir mkdir touch find grep sed awk head tail sort comm cut readlink ls nproc \
            chown mkfifo setpriv getconf flock timeout date chmod dirname sleep ln mktemp stat tar gzip id \
            true; do
  if path=$(type -P $tool); then ln -s "$path" "$work/bare/$tool"; fi
done
PATH="$work/tools:$work/bare"
cd "$work"
