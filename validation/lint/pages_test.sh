#!/usr/bin/env bash
#
# pages.py passes a small tree and names each fault that is planted in it.  pages_test.sh PYTHON PROGRAM

set -euo pipefail
lint=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{src/packaging/spack/packages/minimod,kernels/notes,models,validation,perf}

finds() {  # finds CODE LINE...: these lines and no others, with this exit code
  local expected code=0 found
  expected=$(printf '%s\n' "${@:2}")
  found=$("$python" -B "$lint/pages.py" "$tree" "$program") || code=$?
  if [[ $found != "$expected" ]] || ((code != $1)); then
    printf 'FAILED: exit %s and\n%s\ninstead of\n%s\n' "$code" "$found" "$expected"
    exit 1
  fi
}

lines() { for ((i = 0; i < $1; ++i)); do echo; done; }

python=$1 program=$2
echo 'project(minimod VERSION 1.2.3)' >"$tree/CMakeLists.txt"
echo 'version: 1.2.3' >"$tree/CITATION.cff"
echo '## 1.2.3' >"$tree/CHANGELOG.md"
echo 'version("1.2.3")' >"$tree/src/packaging/spack/packages/minimod/package.py"
echo '# CTest labels: unit, cli.' >"$tree/validation/CMakeLists.txt"
cat >"$tree/README.md" <<'END'
# A page
[here](#a-page) and [there](src/README.md#words-a-list), [elsewhere](https://example.org/none)

    ./minimod --grid 40 \
              --output a.h5   # --none
    ./minimod test -L unit && ./minimod info --json
    mpirun -n 2 ./build/bin/minimod --ranks 2
END
{ echo '## Words: `a` list'; echo; } >"$tree/src/README.md"
lines 300 >"$tree/kernels/notes/old.md"
finds 0 '4 pages, 4 commands'

{ lines 145; echo '[gone](gone.md) [and](src/README.md#gone)'; } >>"$tree/README.md"
printf '%s\n' '' '    ./minimod --gird 40' '    ./minimod bench --kernel none' '    ./minimod test -L none' \
  '    perf/none.py' >>"$tree/src/README.md"
lines 201 >"$tree/perf/README.md"
echo '/// kernels/none/README.md has it.' >"$tree/src/a.hpp"
echo 'version: 1.2.4' >"$tree/CITATION.cff"
finds 1 'src/a.hpp: names kernels/none/README.md, which is not there' \
  'CITATION.cff: version 1.2.4, not 1.2.3' \
  'README.md: 153 lines, at most 150' \
  'README.md: gone.md: is not there' \
  'README.md: src/README.md#gone: has no such heading' \
  'perf/README.md: 201 lines, at most 200' \
  'src/README.md: ./minimod --gird 40: --gird: not an option of run' \
  'src/README.md: ./minimod bench --kernel none: none: no kernel' \
  'src/README.md: ./minimod test -L none: none: no label' \
  'src/README.md: perf/none.py: is not there'
