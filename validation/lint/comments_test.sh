#!/usr/bin/env bash
#
# comments.py passes a small tree and names each comment that is planted in it.  comments_test.sh PYTHON

set -euo pipefail
. "$(dirname "$0")/planted.sh"
checks() { "$python" -B "$lint/comments.py" "$tree"; }
mkdir -p "$tree"/{src/base,perf}

python=$1
cat >"$tree/src/base/right.hpp" <<'END'
/// Extents along each axis, and
/// what they are of.
int n = 10'000;  ///< points
const char* text = "// of a string", *raw = R"(// of a raw one)";  // whether it ends: 'n'
int of;  // `of` is a name
END
printf '%s\n' '"""Bytes of a record,' 'of which none is lost."""' 'TEXT = """' '# of a text' '"""' >"$tree/perf/right.py"
# shellcheck disable=SC2016  # the text of a script
printf '%s\n' 'echo "# of a string" ${#words}  # prints' "echo '# what'" '# Words are printed,' '# of all lines.' \
  >"$tree/perf/right.sh"
finds

cat >"$tree/src/base/wrong.cu" <<'END'
/// Of each axis.
int n = 0;  ///< which are points
int m = 1;  ///< those, too
/// Points of a box.
///
/// That is all.
int k;
/* What is left */
END
printf '%s\n' '"""What a record has."""' 'def f():' '    """Its bytes."""' 'N = 1  # of a record' >"$tree/perf/wrong.py"
printf '%s\n' '# ---- What is said' >"$tree/perf/wrong.sh"
echo 'set(A 1)  # such as these' >"$tree/CMakeLists.txt"
finds "CMakeLists.txt:1: begins with 'such': such as these" \
  "perf/wrong.py:1: begins with 'What': What a record has." \
  "perf/wrong.py:3: begins with 'Its': Its bytes." \
  "perf/wrong.py:4: begins with 'of': of a record" \
  "perf/wrong.sh:1: begins with 'What': ---- What is said" \
  "src/base/wrong.cu:1: begins with 'Of': Of each axis." \
  "src/base/wrong.cu:2: begins with 'which': which are points" \
  "src/base/wrong.cu:3: begins with 'those': those, too" \
  "src/base/wrong.cu:6: begins with 'That': That is all." \
  "src/base/wrong.cu:8: begins with 'What': What is left"
