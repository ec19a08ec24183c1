#!/usr/bin/env bash
# A gather as Python sees it: h5py reads all of it, matplotlib draws it.
#   gather_in_python.sh PROGRAM PYTHON
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --grid 60 --spacing 12.3456789,10,6.6666666666666667 --pml-width 10 --steps 100 --device cpu --output "$folder" >/dev/null
"$2" "$here/read_gather.py" "$folder/shot_gather.h5" --spacing 12.3456789 10 6.6666666666666667
"$2" "$here/../../src/shot/plot_gather.py" "$folder/shot_gather.h5" -o "$folder/gather.png"
[[ $(head -c 4 "$folder/gather.png" | tail -c 3) == PNG ]]
