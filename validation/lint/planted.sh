# Faults planted in a small tree, for the tests of lints in Python, which source this and define `checks`.

lint=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

finds() {  # finds LINE...: these and no others, with exit code 1 if there are any
  local expected code=0 found
  expected=$(printf '%s\n' "$@")
  found=$(checks) || code=$?
  if [[ $found != "$expected" ]] || ((code != ($# > 0))); then
    printf 'FAILED: exit %s and\n%s\ninstead of\n%s\n' "$code" "$found" "$expected"
    exit 1
  fi
}
