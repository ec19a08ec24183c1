#!/usr/bin/env bash
#
# Do the ranks of MPICH end, each time and with their code?  mpich_ranks.sh SOURCES
# Before 4.2 they may not where UCX sends by TCP. Exit 77: skipped, there is no MPICH under Debian's names.

set -euo pipefail
if ! { command -v mpicxx.mpich && command -v mpiexec.hydra; } >/dev/null; then
  echo 'skipped: no MPICH here'
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mpicxx.mpich -std=c++20 -I"$1" -o "$folder/ranks" "$1"/validation/cli/processes/mpich_ranks.cpp \
  "$1"/src/ranks/{ranks,mpi_ranks,rank_watch}.cpp "$1"/src/base/error.cpp

unset UCX_TLS
for _ in {1..8}; do
  code=0
  said=$(timeout 30 mpiexec.hydra -n 2 "$folder/ranks" 2>"$folder/errors") || code=$?
  if [[ $code != 75 || $(<"$folder/errors") != stopped ]]; then
    echo "code $code, said: $said $(<"$folder/errors")"
    exit 1
  fi
done
version=$(mpichversion | sed -n 's/^MPICH Version:[[:space:]]*//p')
if [[ $(printf '%s\n' 4.2 "$version" | sort -V | head -n 1) != 4.2 && $said != '2 ranks, UCX_TLS=^tcp' ]]; then
  echo "MPICH $version may use TCP: $said"
  exit 1
fi
