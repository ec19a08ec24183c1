#!/usr/bin/env bash
# A gather as Python sees it: h5py reads all of it, matplotlib draws it.
#   gather_in_python.sh PROGRAM PYTHON
set -euo pipefail
python=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --grid 60 --spacing 12.3456789,10,6.6666666666666667 --pml-width 10 --steps 100 --device cpu --output "$folder" \
  >/dev/null
"$python" "$here/read_gather.py" "$folder/shot_gather.h5" --spacing 12.3456789 10 6.6666666666666667
"$1" --grid 100,20,20 --pml-width 4 --steps 3000 --device cpu --output "$folder/compressed.h5" >/dev/null
"$python" "$here/read_gather.py" "$folder/compressed.h5" --receivers 92 --samples 3001
"$python" "$here/../../../src/pictures/plot_gather.py" "$folder/shot_gather.h5" -o "$folder/gather.png"
[[ $(head -c 4 "$folder/gather.png" | tail -c 3) == PNG ]]

# A picture that is there is kept, to the byte, unless --force says otherwise; what is no file is kept in any case.
plot() { "$python" "$here/../../../src/pictures/plot_gather.py" "$folder/shot_gather.h5" "$@" 2>"$folder/errors"; }
refused() { if plot "$@"; then exit 1; else [[ $? == 73 && $(wc -l <"$folder/errors") == 1 ]]; fi; }
sum=$(sha256sum "$folder/gather.png")
refused -o "$folder/gather.png" --clip 50
[[ $(sha256sum "$folder/gather.png") == "$sum" ]]
grep -q -- --force "$folder/errors"
plot -o "$folder/gather.png" --clip 50 --force
[[ $(sha256sum "$folder/gather.png") != "$sum" ]]
mkdir "$folder/a folder.png"
refused -o "$folder/a folder.png" --force
