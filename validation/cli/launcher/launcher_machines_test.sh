#!/usr/bin/env bash
#
# The launcher on machines that lack something, tried with stand-ins: an old CMake, package managers other than
# apt-get or without a network, sudo with a password. validation/machines/ tries real ones.

# shellcheck source-path=SCRIPTDIR source=launcher_tools.sh
. "$(dirname "$0")/launcher_tools.sh"
unset MINIMOD_NO_INSTALL

stand_in() {  # stand_in FOLDER NAME LINE...: a command in $work/FOLDER
  mkdir -p "$work/$1"
  printf '%s\n' '#!/usr/bin/env bash' "${@:3}" >"$work/$1/$2"
  chmod +x "$work/$1/$2"
}

# ---- An old CMake --------------------------------------------------------------------------------------------------

# shellcheck disable=SC2016  # the stand-in expands it
stand_in old cmake '[[ $1 == --version ]] || exit 1' 'echo "cmake version 3.16.3"'
stand_in old ctest 'exit 1'
builds env PATH="$work/old:$PATH" "$root/minimod"  # a newer one stands behind it
mkdir -p "$root/build/venv/bin"
printf '#!/bin/sh\n' >"$root/build/venv/bin/python"  # has all modules
chmod +x "$root/build/venv/bin/python"
run 0 env PATH="$work/old:$PATH" "$root/minimod" test -L unit
says out "ctest --test-dir $root/build"
run 0 "$root/minimod" clean

mkdir "$work/no cmake"
cp "$work/tools"/{c++,ninja} "$work/no cmake"
mkdir "$work/no ninja"
cp "$work/tools"/{c++,cmake,ctest} "$work/no ninja"
run 69 env PATH="$work/old:$work/no cmake:$work/bare" "$root/minimod"
says err 'CMake 3.22 or newer'
says_not err 'a C++20 compiler'
mkdir "$work/make"
cp "$work/tools/ninja" "$work/make/make"
run 69 env PATH="$work/make:$work/bare" "$root/minimod"
says err 'Ninja or make'  # comes with what is to be installed anyway
builds env PATH="$work/make:${PATH/"$work/tools"/$work/no ninja}" "$root/minimod"  # and else is done without

# ---- MPI -----------------------------------------------------------------------------------------------------------

builds "$root/minimod" --ranks 1  # does without
run 69 "$root/minimod" --sources shots.csv --ranks-per-shot=2
run 69 "$root/minimod" --ranks 2
says err 'MPI (Open MPI or MPICH)'
says err 'Debian, Ubuntu: apt-get install libopenmpi-dev openmpi-bin'
builds_nothing "$root/minimod"  # the build that was there stays
stand_in mpi mpicxx
builds env PATH="$work/mpi:$PATH" "$root/minimod" run --ranks=2
builds_nothing env PATH="$work/mpi:$PATH" "$root/minimod" --ranks 4
builds_nothing env PATH="$work/mpi:$PATH" "$root/minimod" --sources shots.csv --ranks-per-shot 2
run 0 "$root/minimod" clean

# ---- Fedora --------------------------------------------------------------------------------------------------------

# shellcheck disable=SC2016  # the stand-ins expand it
stand_in fedora dnf 'echo "dnf $*" >>"$WORK/installed"'
for arguments in info --no-install; do
  run 69 env PATH="$work/fedora:$work/bare" "$root/minimod" "$arguments"
  says err 'Fedora, RHEL with EPEL: dnf install cmake gcc-c++ ninja-build hdf5-devel libdeflate-devel cli11-devel json-devel pegtl-devel kissfft-devel python3-pip'
  says_not err 'apt-get install'
done
echo 'hdf5' >"$work/missing"
run 69 env PATH="$work/fedora:$PATH" "$root/minimod" info
says err 'the HDF5 C library'
says err 'Fedora, RHEL with EPEL: dnf install hdf5-devel'
: >"$work/missing"

# ---- Libraries for builds of others ---------------------------------------------------------------------------------

builds env MINIMOD_NO_INSTALL=1 "$root/minimod" info
builds env PATH="$work/fedora:$PATH" "$root/minimod" libraries
says_not out 'home'  # no program runs
builds_nothing "$root/minimod" info
[[ ! -e $root/build/libraries ]] || fail 'what CMake was asked in is left'
echo 'libdeflate' >"$work/missing"
run 69 "$root/minimod" libraries --no-install
says err 'nothing is installed with --no-install'
says err 'apt-get install libdeflate-dev'
: >"$work/missing"
stand_in python python3 'exit 1'  # without headers
run 69 env PATH="$work/fedora:$PATH" "$root/minimod" libraries "$work/python/python3"
says err 'the headers of Python'
says err 'dnf install python3-devel'
stand_in python python3
run 0 "$root/minimod" libraries "$work/python/python3"
refuses 64 "$root/minimod" libraries one two
builds_nothing "$root/minimod" info
[[ ! -e $work/installed ]] || fail 'dnf was called'

# ---- Debian --------------------------------------------------------------------------------------------------------

# apt-get reaches nothing; or it fails with the text of $work/trouble.
# shellcheck disable=SC2016  # the stand-in expands it
stand_in debian apt-get 'for argument in "$@"; do
  case $argument in
    update) [[ -e $WORK/trouble ]] || echo "W: Failed to fetch http://somewhere/InRelease" ;;
    install) cat "$WORK/trouble" || echo "E: Unable to locate package cmake"; exit 100 ;;
  esac
done'
stand_in debian python3
# shellcheck disable=SC2016  # the stand-in expands it
stand_in debian sudo '[[ $1 != -n ]] || [[ -e $WORK/no-password ]] || exit 1' \
  'while [[ ${1:-} == -* ]]; do shift; done' '(($#)) || exit 0' 'exec "$@"'
debian() { env PATH="$work/debian:$work/no cmake:$work/bare" "$root/minimod" "$@"; }

touch "$work/no-password"
run 69 debian info
says err 'installing with'
says err 'apt-get reaches no package list, perhaps there is no network'
says err 'Debian, Ubuntu: apt-get install cmake'
says_not err 'Unable to locate'
printf 'E: Unable to locate package %s\n' cmake libcli11-dev >"$work/trouble"
run 69 debian info
says err "error: this system's packages lack cmake, libcli11-dev: it is too old"
says_not err 'Unable to locate'
echo 'E: dpkg was interrupted' >"$work/trouble"
run 69 debian info
says err 'E: dpkg was interrupted'
says err 'error: apt-get failed'

rm -r "$root/build" "$work/no-password"
if ((EUID == 0)); then
  ! type -P setpriv >/dev/null || as_other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  chmod -R a+rwX "$work"
else
  as_other=(env)
fi
if [[ ${as_other[*]} ]]; then
  other() { "${as_other[@]}" env PATH="$work/debian:$work/no cmake:$work/bare" "$root/minimod" "$@"; }
  run 69 other info
  says err 'sudo asks for a password, and there is no terminal to give it'
  says err 'Debian, Ubuntu: apt-get install cmake'
  rm "$work/debian/sudo"
  run 69 other info
  says err 'installing needs root or sudo'
fi

echo "$checks checks passed"
