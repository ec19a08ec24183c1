#!/usr/bin/env bash
#
# The launcher without network and compiler: it runs in a small checkout of its own, whose `cmake` and `c++` are
# stand-ins that note how they were called and "build" a program that prints its arguments.

set -euo pipefail
launcher=$(cd "$(dirname "$0")/../.." && pwd)/minimod
work=$(mktemp -d)
work=$(cd "$work" && pwd -P)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
unset MINIMOD_BUILD_DIR MINIMOD_NO_INSTALL CXX CUDACXX
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

cmake_calls() { grep -c . "$work/calls" 2>/dev/null || true; }

# ---- A checkout in a folder with a space, and tools that only pretend ----------------------------------------------

root="$work/the checkout"
mkdir -p "$root"/{src,kernels,boundary,models,validation} "$work/tools" "$work/bare"
cp "$launcher" "$root/minimod"
touch "$root/CMakeLists.txt" "$root/src/main.cpp"

cat >"$work/program" <<'PROGRAM'
#!/usr/bin/env bash
printf '[%s]' "$PWD" "$@"
[[ ${1:-} != fail ]] || exit 65
if [[ ${1:-} == roofline && ${2:-} == -o ]]; then echo record >"$3/roofline.json"; fi
if [[ ${*: -1} == --strict ]]; then exit 65; fi
PROGRAM
cat >"$work/tools/cmake" <<'CMAKE'
#!/usr/bin/env bash
[[ $1 != --version ]] || { echo 'cmake version 3.25.1'; exit; }
echo "$*" >>"$WORK/calls"
case $1 in
  -S) cp "$WORK/missing" "$4/launcher/missing" && [[ ! -s $WORK/missing ]] || exit 1
      echo "CMAKE_HOME_DIRECTORY:INTERNAL=$2" >"$4/CMakeCache.txt" ;;
  --build) [[ ! -e $WORK/broken ]] || { echo 'main.cpp:1: error'; exit 1; }
      mkdir -p "$2/bin" && cp "$WORK/program" "$2/bin/minimod" ;;
esac
CMAKE
printf '#!/bin/sh\ncat >/dev/null\n' >"$work/tools/c++"
printf '#!/bin/sh\n' >"$work/tools/ninja"
chmod +x "$work/program" "$work/tools"/*
: >"$work/missing"
export WORK=$work

# What any system has, and nothing to build with.
for tool in bash sh env cat cp mv rm mkdir touch find grep sed awk head tail sort readlink ls nproc getconf flock \
            timeout date chmod dirname sleep ln; do
  ln -s "$(command -v $tool)" "$work/bare/$tool"
done
PATH="$work/tools:$work/bare"
cd "$work"

# ---- Nothing to build with -----------------------------------------------------------------------------------------

run 69 env PATH="$work/bare" "$root/minimod" --no-install info
says err 'nothing is installed with --no-install'
says err 'CMake 3.22 or newer'
says err 'a C++20 compiler'
run 69 env PATH="$work/bare" MINIMOD_NO_INSTALL=1 "$root/minimod" info
run 69 env PATH="$work/bare" "$root/minimod" info
says err 'installs with apt-get only'

echo hdf5 >"$work/missing"
run 69 "$root/minimod" --no-install info
says err 'HDF5'
: >"$work/missing"

# ---- The first call builds, the next ones do not -------------------------------------------------------------------

run 0 "$root/minimod" --grid '20 30' --no-install ''
says out "[$work][--grid][20 30][]"
rm "$work/calls"
run 0 "$root/minimod" one
[[ $(cmake_calls) == '' ]] || fail 'the second call started the build tool'
run 65 "$root/minimod" fail
run 0 "$root/minimod" verify green --plot "$work/nothing written"
says out "[$work][verify][green][--plot][$work/nothing written]"

ln -s "$root/minimod" "$work/a link"
cd "$root/src"
run 0 "$work/a link" two
says out "[$root/src][two]"
cd "$work"

start=$(date +%s%N)
for _ in 1 2 3 4 5; do "$root/minimod" >/dev/null; done
milliseconds=$((($(date +%s%N) - start) / 5000000))
echo "a call of a built program takes $milliseconds ms"
((milliseconds < 200)) || fail "a call takes $milliseconds ms"

# ---- Sources change, come and go -----------------------------------------------------------------------------------

for change in 'touch src/main.cpp' 'touch kernels/new.hpp' 'rm kernels/new.hpp' 'touch CMakeLists.txt'; do
  rm -f "$work/calls"
  sleep 0.02
  (cd "$root" && $change)
  run 0 "$root/minimod" three
  [[ $(cmake_calls) ]] || fail "no build after: $change"
done

rm -f "$work/calls"
touch "$root/src/shot/plot_gather.py" && touch -r "$root/CMakeLists.txt" "$root/src/shot"
run 0 "$root/minimod" three
[[ $(cmake_calls) == '' ]] || fail 'a Python script made the program build'

sleep 0.02
touch "$root/src/main.cpp" "$work/broken"
run 70 "$root/minimod" four
says err 'main.cpp:1: error'
says err 'minimod: error: the build failed'
[[ ! -s $work/out ]] || fail 'a stale program ran'
rm "$work/broken"
run 0 "$root/minimod" four

sleep 0.02
touch "$root/src/main.cpp"
rm -f "$work/calls"
for _ in 1 2 3; do "$root/minimod" >/dev/null 2>&1 & done
wait
[[ $(grep -c -e --build "$work/calls") == 1 ]] || fail 'three calls at a time built more than once'

# ---- The picture of a roofline report ------------------------------------------------------------------------------

mkdir -p "$work/report" "$work/lacking" "$root/build/venv/bin"
echo 'raise ImportError' >"$work/lacking/matplotlib.py"
run 65 env PYTHONPATH="$work/lacking" "$root/minimod" --no-install roofline -o "$work/report" --strict
says err 'minimod: no picture'
printf '#!/bin/sh\n[ "$1" = -c ] || echo "drawn $*"\n' >"$root/build/venv/bin/python"
chmod +x "$root/build/venv/bin/python"
run 65 "$root/minimod" roofline -o "$work/report" --strict
says out "drawn $root/perf/plot_roofline.py $work/report/roofline.json -o $work/report/roofline.svg"
run 0 "$root/minimod" roofline --output="$work/report"  # an old record is not drawn again
! grep -q drawn "$work/out" || fail 'a record of an earlier call was drawn'

# ---- Pictures before a run ask the program --------------------------------------------------------------------------

# shellcheck disable=SC2016  # the stand-in expands it
printf '#!/bin/sh\n[ "$1" = -c ] || echo "drawn $* by ${MINIMOD_PROGRAM:-none}"\n' >"$root/build/venv/bin/python"
run 0 "$root/minimod" plot --model constant:2000
says out "drawn $root/src/shot/plot_gather.py --model constant:2000 by $root/build/bin/minimod"
run 0 "$root/minimod" plot shot_gather.h5
says out "drawn $root/src/shot/plot_gather.py shot_gather.h5 by none"
rm -r "$root/build/venv"

# ---- Build folders -------------------------------------------------------------------------------------------------

mkdir "$work/documents"
touch "$work/documents/thesis"
run 73 env MINIMOD_BUILD_DIR="$work/documents" "$root/minimod" five
run 73 env MINIMOD_BUILD_DIR="$work/documents" "$root/minimod" clean
[[ -e $work/documents/thesis ]] || fail 'a folder of others was removed'
run 0 env MINIMOD_BUILD_DIR=elsewhere "$root/minimod" five
[[ -x $work/elsewhere/bin/minimod ]] || fail 'MINIMOD_BUILD_DIR was not heard'
run 73 env MINIMOD_BUILD_DIR=/dev/null/build "$root/minimod" five
says err 'cannot write to /dev/null/build'

cp -r "$root" "$work/a copy"
sleep 0.02
touch "$work/a copy/src/main.cpp"
run 0 "$work/a copy/minimod" six
says err 'starting anew'

run 64 "$root/minimod" clean all
run 0 "$root/minimod" clean
[[ ! -e $root/build ]] || fail 'clean left the build folder'
run 0 "$root/minimod" clean

echo "$checks checks passed"
