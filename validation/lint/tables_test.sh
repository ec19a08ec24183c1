#!/usr/bin/env bash
#
# perf/tables.py writes a table, keeps it, and names a page whose figures are not those of the records.
#   tables_test.sh PYTHON

set -euo pipefail
tables=$(cd "$(dirname "$0")/../.." && pwd)/perf/tables.py
page=$(mktemp -d)/page.md
trap 'rm -rf "$(dirname "$page")"' EXIT

answers() {  # answers CODE TEXT ARGUMENT...: tables.py ends with this code, and says this
  local code=0 expected=$1 text=$2 said
  shift 2
  said=$("$python" -B "$tables" "$@" "$page" 2>&1) || code=$?
  if ((code != expected)) || [[ $said != *"$text"* ]]; then
    printf 'FAILED: exit %s and\n%s\ninstead of %s and %s\n' "$code" "$said" "$expected" "$text"
    exit 1
  fi
}

python=$1
printf '%s\n' before '<!-- table: h200-two-steps -->' '<!-- end -->' behind >"$page"
answers 1 "not as its records" --check
answers 0 "written"
answers 0 "" --check
grep -q '^| 1000³ | 265.2 | 285.7 | 287.2 | 111 % | 281.9 | 700 | 1918 |$' "$page"
grep -q '^behind$' "$page"
sed -i 's/285\.7/284.0/' "$page"
answers 1 "not as its records" --check
echo '<!-- table: no-such-table --><!-- end -->' >"$page"
answers 1 "without its end" --check
printf '%s\n' '<!-- table: no-such-table -->' '<!-- end -->' >"$page"
answers 1 "no table no-such-table" --check
