#!/usr/bin/env bash
#
# The launcher without network and compiler: what it says when tools are missing, when it builds, how it starts the
# program, and its commands.

# shellcheck source-path=SCRIPTDIR source=launcher_tools.sh
. "$(dirname "$0")/launcher_tools.sh"
unset MINIMOD_NO_INSTALL
cmake_calls() { grep -c . "$work/calls" 2>/dev/null || true; }

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

milliseconds=1000  # the least of ten: others may be busy here
for _ in 1 2 3 4 5 6 7 8 9 10; do
  start=$(date +%s%N)
  "$root/minimod" >/dev/null
  took=$((($(date +%s%N) - start) / 1000000))
  if ((took < milliseconds)); then milliseconds=$took; fi
done
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

mkdir -p "$work/report" "$work/lacking"
cat >"$work/lacking/sitecustomize.py" <<'PYTHON'
import sys

class Blind:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "matplotlib":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blind)
PYTHON
run 65 env PYTHONPATH="$work/lacking" PIP_NO_INDEX=1 "$root/minimod" --no-install roofline -o "$work/report" --strict
says err 'minimod: no picture'
rm -rf "$root/build/venv"
mkdir -p "$root/build/venv/bin"
# shellcheck disable=SC2016  # the stand-in expands it
printf '#!/bin/sh\n[ "$1" = -c ] || echo "drawn $*"\n' >"$root/build/venv/bin/python"
chmod +x "$root/build/venv/bin/python"
run 65 "$root/minimod" roofline -o "$work/report" --strict
says out "drawn $root/perf/plot_roofline.py $work/report/roofline.json -o $work/report/roofline.svg"
run 0 "$root/minimod" roofline --output="$work/report"  # an old record is not drawn again
! grep -q drawn "$work/out" || fail 'a record of an earlier call was drawn'

# ---- Pictures before a run ask the program -------------------------------------------------------------------------

# shellcheck disable=SC2016  # the stand-in expands it
printf '#!/bin/sh\n[ "$1" = -c ] || echo "drawn $* by ${MINIMOD_PROGRAM:-none}"\n' >"$root/build/venv/bin/python"
run 0 "$root/minimod" plot --model constant:2000
says out "drawn $root/src/pictures/plot_gather.py --model constant:2000 by $root/minimod"
run 0 "$root/minimod" survey --sources s.csv --workers 2 --plot=map.png --share-gpu --rate=3 --worker 0/2 --force
says out "[$work][survey][--sources][s.csv][--workers][2][--share-gpu][--rate=3][--worker][0/2][--force]"
says out "drawn $root/src/pictures/plot_gather.py --survey --sources s.csv --workers 2 --plot=map.png --share-gpu --rate=3 --worker 0/2 --force by $root/build/bin/minimod"
rm -r "$root/build/venv"

run 64 "$root/minimod" clean all
run 0 "$root/minimod" clean
[[ ! -e $root/build ]] || fail 'clean left the build folder'
run 0 "$root/minimod" clean

echo "$checks checks passed"
