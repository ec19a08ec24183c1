#!/usr/bin/env bash
#
# Does alone.py find what a batch hides, and look again at what has changed, and at nothing else?
# alone_test.sh PYTHON CXX

set -euo pipefail
python=$1 cxx=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lint=$work/validation/lint build=$work/build
mkdir -p "$lint" "$work"/{src,kernels,boundary,models} "$build/CMakeFiles/a.dir/Unity"
cp "$(dirname "$0")/alone.py" "$lint"

expect() {  # expect EXIT_CODE TEXT...: all in what alone.py says
  local code=0 text
  "$python" -B "$lint/alone.py" "$build" ${newest:-} >"$work/said" 2>&1 || code=$?
  for text in "${@:2}"; do
    if ((code != $1)) || ! grep -qF "$text" "$work/said"; then
      echo "FAILED: exit $code, or '$text' is missing from:" && cat "$work/said"
      exit 1
    fi
  done
}

printf '#pragma once\nint two();\n' >"$work/src/two.hpp"
printf '#include "src/two.hpp"\nint two() { return 2; }\n' >"$work/src/two.cpp"
printf '#pragma once\n#include <string>\n#include <vector>\nstd::string one();\n' >"$work/src/one.hpp"
printf '#include "src/one.hpp"\nstd::string one() { return std::to_string(two()); }\n' >"$work/src/one.cpp"
printf '#pragma once\nstd::vector<int> three();\n' >"$work/src/three.hpp"
printf '#include "src/one.hpp"\n#include "src/three.hpp"\nint main() { return LIMIT; }\n' >"$work/src/main.cpp"
printf '#include "%s"\n' "$work"/src/{two,one}.cpp >"$build/CMakeFiles/a.dir/Unity/unity_0_cxx.cxx"
database() {  # database FLAGS
  local unit=$build/CMakeFiles/a.dir/Unity/unity_0_cxx.cxx main=$work/src/main.cpp
  cat >"$build/compile_commands.json" <<JSON
[{"directory": "$build", "file": "$unit", "command": "$cxx -I$work $1 -O2 -o a.o -c $unit"},
 {"directory": "$build", "file": "$main", "command": "$cxx -I$work $1 -o main.o -c $main"}]
JSON
}
database -DLIMIT=0

"$cxx" -I"$work" -fsyntax-only "$build/CMakeFiles/a.dir/Unity/unity_0_cxx.cxx"  # the batch compiles
expect 1 'src/one.cpp does not compile alone' 'src/three.hpp does not compile alone' '3 units, 3 of them looked at, 2 fail'
sed -i '1a #include "src/two.hpp"' "$work/src/one.cpp"
sed -i '1a #include <vector>' "$work/src/three.hpp"
expect 0 '3 units, 2 of them looked at, 0 fail'
expect 0 '3 units, 0 of them looked at, 0 fail'
sleep 0.02
touch "$work/src/two.hpp"
expect 0 '3 units, 2 of them looked at, 0 fail'
database -DLIMIT=1
expect 0 '3 units, 3 of them looked at, 0 fail'

newest=1 expect 0 '3 units, 0 of them looked at, 0 fail'  # git knows nothing
git -C "$work" init -q
commit() { git -C "$work" -c user.name=one -c user.email=one@example.com commit -q -m "$1"; }
git -C "$work" add src/one.?pp && commit one
git -C "$work" add src && commit others
printf 'int later() { return two(); }\n' >>"$work/src/one.cpp"
newest=1 expect 0 '1 units, 1 of them looked at, 0 fail'
sed -i '2d' "$work/src/one.cpp"
newest=1 expect 1 'src/one.cpp does not compile alone'
git -C "$work" checkout -q src/one.cpp
newest=1 expect 0 '1 units, 0 of them looked at, 0 fail'  # one of the others
git -C "$work" mv src/one.cpp src/uno.cpp  # a name that is not committed is new, too
sed -i 's|/one.cpp|/uno.cpp|' "$build/CMakeFiles/a.dir/Unity/unity_0_cxx.cxx"
newest=1 expect 0 '1 units, 1 of them looked at, 0 fail'
git -C "$work" mv src/uno.cpp src/one.cpp
sed -i 's|/uno.cpp|/one.cpp|' "$build/CMakeFiles/a.dir/Unity/unity_0_cxx.cxx"

for number in 1 2 3 4 5; do  # as many as are given a precompiled header
  printf '#include "src/one.hpp"\nstd::string f%s();\n' $number >"$work/src/like_$number.cpp"
  echo "#include \"$work/src/like_$number.cpp\"" >>"$build/CMakeFiles/a.dir/Unity/unity_0_cxx.cxx"
done
echo 'std::ostringstream stream;' >>"$work/src/like_5.cpp"
expect 1 'src/like_5.cpp does not compile alone' '1 fail'
ls "$build"/lint/alone/*.gch >/dev/null
