#!/usr/bin/env bash
#
# The launcher brings what was pinned, and looks at it before any of it runs. Packages are of an index that is a folder,
# some of them altered. Packages of the system are brought without root. Needs a Python with pip and venv, or ends with
# code 77.

python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || true)  # behind a shim, which wants PATH
# shellcheck source-path=SCRIPTDIR source=launcher_tools.sh
. "$(dirname "$0")/launcher_tools.sh"

# ---- Every line of the pins has a version and a hash ---------------------------------------------------------------

for pins in "${launcher%/*}"/src/cmake/pins/*.txt; do
  awk -v file="$pins" '
    /^#/ || /^-r / { next }
    { sub(/ ;.*\\$/, " \\"); text = text " " $0 }
    !/\\$/ { if (text !~ /^ [a-z0-9-]+==[0-9.]+ (\\ +)?--hash=sha256:[0-9a-f]+( \\ +--hash=sha256:[0-9a-f]+)*$/) {
               print file ": " text; bad = 1 }
             text = "" }
    END { exit bad || text != "" }' "$pins" || fail "$pins has a line without version and hash"
  checks=$((checks + 1))
done

# ---- Package lists -------------------------------------------------------------------------------------------------

# apt-get notes its lists, which it clears of other files; it installs the stand-in of CMake, and has a Catch2.
cat >"$work/tools/apt-get" <<'APT'
#!/usr/bin/env bash
for argument in "$@"; do
  case $argument in
    Dir::State::Lists=*) lists=${argument#*=} ;;
    Dir::Etc::SourceList=*) cat "${argument#*=}" >"$WORK/sources" ;;
    update | install | download | indextargets) command=$argument ;;
  esac
done
if [[ $command == indextargets ]]; then
  . /etc/os-release
  echo "$VERSION_CODENAME main http://127.0.0.1/debian"
  exit
fi
echo "$command ${lists:-/of the system}" >>"$WORK/apt"
case $command in
  update) [[ ! ${lists:-} ]] || find "$lists" -maxdepth 1 -type f -delete ;;
  install) mv "$WORK/cmake" "$WORK/tools/cmake" ;;
  download) touch catch2.deb ;;
esac
APT
# shellcheck disable=SC2016  # the stand-in expands it
printf '#!/usr/bin/env bash\nwhile [[ ${1:-} == -* ]]; do shift; done\n(($#)) || exit 0\nexec "$@"\n' >"$work/tools/sudo"
printf '#!/bin/sh\necho "catch2 | 3.7.1-1 | somewhere"\n' >"$work/tools/apt-cache"
# shellcheck disable=SC2016  # the stand-in expands it
printf '#!/bin/sh\n[ "$1" != -x ] || { mkdir -p "$3/usr" && cp "$2" "$3/usr/"; }\n' >"$work/tools/dpkg"
chmod +x "$work/tools"/*

calls_apt() {  # calls_apt COMMAND...: these commands of apt-get alone, with lists of our own, which are gone
  local lists
  [[ $(awk '{ print $1 }' "$work/apt") == "$(printf '%s\n' "$@")" ]] || fail "apt-get was called otherwise than: $*"
  while read -r _ lists; do
    [[ $lists == /tmp/minimod-apt.*/lists && ! -e ${lists%/*} ]] || fail "these lists were taken, or left: $lists"
    checks=$((checks + 1))
  done <"$work/apt"
}

mkdir -p "$root/build"
run 0 "$root/minimod"  # claims the folder
mkdir -p "$root/build/deps/apt/system"
chmod 777 "$root/build/deps/apt/system"
mv "$work/tools/cmake" "$work/cmake"
touch "$root/src/main.cpp"
refuses 77 env -u MINIMOD_NO_INSTALL "$root/minimod"  # others could bring what is to be built
chmod 755 "$root/build/deps/apt/system"
run 0 env -u MINIMOD_NO_INSTALL "$root/minimod"
says err 'apt-get: cmake'
[[ $(<"$work/apt") == $'update /of the system\ninstall /of the system' ]] || fail 'CMake was installed otherwise'

rm "$work/apt"
mkdir -p "$root/build/venv/bin"
printf '#!/bin/sh\n' >"$root/build/venv/bin/python"  # has all modules
chmod +x "$root/build/venv/bin/python"
echo "catch2 https://127.0.0.1/catch2.tar.gz 00" >"$work/missing"
run 0 "$root/minimod" test
[[ -e $root/build/deps/catch2/usr/catch2.deb ]] || fail 'Catch2 was not unpacked'
calls_apt update download

if [[ $(. /etc/os-release && echo "${ID:-}") == debian ]]; then  # the backports, which have what the release has not
  grep -q '^deb .*http://127.0.0.1/debian .*-backports main$' "$work/sources" || fail 'the backports were not asked'
fi
rm "$work/tools"/{apt-get,apt-cache,dpkg,sudo}
: >"$work/missing"

# ---- An index that is a folder -------------------------------------------------------------------------------------

if [[ ! $python ]] || ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
  echo "$checks checks passed, skipped: no Python with pip and venv"
  exit 77
fi
ln -s "$python" "$work/tools/python3"
mkdir "$work/index" "$work/blind"
for name in ${!PIP_*}; do unset "$name"; done
export PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS=$work/index PIP_DISABLE_PIP_VERSION_CHECK=1
unset https_proxy HTTPS_PROXY all_proxy ALL_PROXY

# The machine's own Python lacks the modules, whatever it has.
cat >"$work/blind/sitecustomize.py" <<'PYTHON'
import sys

class Blind:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("h5py", "matplotlib"):
            raise ModuleNotFoundError(name)

if sys.prefix == sys.base_prefix:
    sys.meta_path.insert(0, Blind)
PYTHON

cat >"$work/make.py" <<'PYTHON'
"""make.py wheel NAME TEXT [REQUIREMENT], make.py source TEXT: a package in index/; prints a line that pins it."""
import hashlib, io, os, pathlib, sys, tarfile, zipfile

work = pathlib.Path(os.environ["WORK"])
if sys.argv[1] == "wheel":
    name, text, requirement = sys.argv[2], sys.argv[3], "".join(f"Requires-Dist: {r}\n" for r in sys.argv[4:])
    file = work / "index" / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}.py", f"text = {text!r}")
        info = f"{name}-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requirement}")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    pinned = f"{name}==1.0"
else:
    backend = f"""
import pathlib
pathlib.Path({str(work / 'ran')!r}).write_text({sys.argv[2]!r})
def get_requires_for_build_wheel(settings=None):
    return []
def prepare_metadata_for_build_wheel(folder, settings=None):
    info = pathlib.Path(folder) / "pykokkos_base-0.0.7.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\\nName: pykokkos-base\\nVersion: 0.0.7\\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    return info.name
"""
    files = {"PKG-INFO": "Metadata-Version: 1.1\nName: pykokkos-base\nVersion: 0.0.7\n", "backend.py": backend,
             "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
             "external/kokkos/CMakeLists.txt": sys.argv[2]}
    file = work / "index" / "pykokkos-base-0.0.7.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"pykokkos-base-0.0.7/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    pinned = "pykokkos-base==0.0.7"
print(f"{pinned} --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}")
PYTHON
make() { "$python" "$work/make.py" "$@"; }

# ---- The source of Kokkos ------------------------------------------------------------------------------------------

pins="$root/src/cmake/pins"
mkdir -p "$pins"
make wheel builder good >"$pins/kokkos_build.txt"
make source good >"$pins/kokkos.txt"
make source altered >/dev/null
rm -rf "$root/build"
echo "kokkos https://127.0.0.1/kokkos.tar.gz 00" >"$work/missing"
run 69 "$root/minimod"
says err 'no source of kokkos could be had'
[[ ! -e $work/ran ]] || fail 'an altered package ran before its hash was looked at'
[[ ! -e $root/build/deps/kokkos ]] || fail 'an altered package was unpacked'
grep -q 'DO NOT MATCH THE HASHES' "$root/build/launcher/download.log" || fail 'pip did not name the hash'

make source good >"$pins/kokkos.txt"
make wheel builder altered >/dev/null  # so are the tools that the package runs with
"$root/build/venv/bin/python" -m pip uninstall --yes builder >/dev/null 2>&1
run 69 "$root/minimod"
[[ ! -e $work/ran ]] || fail 'the package ran with tools that were altered'
make wheel builder good >"$pins/kokkos_build.txt"
run 0 "$root/minimod"
[[ $(<"$root/build/deps/kokkos/CMakeLists.txt") == good ]] || fail 'Kokkos was not unpacked'
: >"$work/missing"

# ---- Packages for Python -------------------------------------------------------------------------------------------

mkdir -p "$root/src/pictures"
echo 'import h5py, matplotlib; print("drawn", h5py.text)' >"$root/src/pictures/plot_gather.py"
plot() { env PYTHONPATH="$work/blind" "$root/minimod" plot "$@"; }
{ make wheel h5py good; make wheel matplotlib good; } >"$pins/drawing.txt"
make wheel h5py altered >/dev/null
run 69 plot gather.h5
says err 'pip could not install them'
make wheel h5py good helper >"$work/h5py.pin"  # wants a package that no line pins
make wheel helper good >/dev/null
{ cat "$work/h5py.pin"; make wheel matplotlib good; } >"$pins/drawing.txt"
run 69 plot gather.h5
grep -q 'all requirements must have their versions pinned' "$root/build/launcher/python.log" ||
  fail 'a package that is not pinned was not named'
{ make wheel h5py good; make wheel matplotlib good; } >"$pins/drawing.txt"
run 0 plot gather.h5
says out 'drawn good'

echo "$checks checks passed"
