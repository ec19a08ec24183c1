#!/usr/bin/env bash
#
# The launcher on machines that have next to nothing: a fresh Debian in a folder, a clone of the commit that is checked
# out, and a first call, for real.  bare_machine.sh SUITE CASE...      (as root; needs debootstrap and a network)
#
#   bare_machine.sh trixie root sudo         the cases root and sudo on Debian 13
#   bare_machine.sh bookworm refusals        all that end without a build
#   bare_machine.sh bullseye too-old
#
# Cases that come to a gather:
#   root         nothing is installed, the caller is root
#   sudo         nothing but sudo, which asks the caller for no password
# A case of two machines:
#   library      one with all packages builds and installs the library, another has it, a compiler and the HDF5 and
#                libdeflate of the system: a stranger's program (install_test/) is built and run there
# Cases that end where the compiler starts:
#   neither      nothing, not even sudo: a refusal; then root runs the line that the refusal names, the caller goes on
#   no-cmake     a compiler, no CMake
#   old-cmake    a CMake 3.16 comes first on PATH
#   clang        clang++ and CMake, no g++
#   tests        as root, what the tests need besides (Catch2, Python's packages)
# Refusals (exit 69):
#   password     sudo asks for a password, and there is no terminal
#   no-install   root, --no-install
#   no-compiler  CMake and Ninja, no compiler; no right to install
#   no-network   root, nothing but the loopback
#   no-source    all packages are there, no network for the source of Kokkos
#   too-old      a distribution whose packages are too old (bullseye)
#
# Each machine has its own mounts and processes, which end with it; the host's files are left alone but for a folder
# under TMPDIR, which is removed at the end. BARE_MACHINES names a folder that keeps the fresh systems for later calls.
#
# The machine takes over from the host, as its way to the network: MIRROR (else http://deb.debian.org/debian), the
# variables *_proxy and PIP_*, apt's settings under Acquire, /etc/resolv.conf, /etc/hosts, /etc/pip.conf and the
# certificates in /usr/local/share/ca-certificates.

set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${MIRROR:-http://deb.debian.org/debian}
with_build=(root sudo library)
up_to_build=(neither no-cmake old-cmake clang tests)
refusals=(password no-install no-compiler no-network no-source)
everything=(cmake g++ ninja-build libhdf5-dev libdeflate-dev libcli11-dev nlohmann-json3-dev tao-pegtl-dev libkissfft-dev python3-venv)
all_of_it="apt-get install ${everything[*]}"

die() { echo "bare_machine.sh: $*" >&2; exit 2; }

(($# >= 2)) || die "usage: bare_machine.sh SUITE CASE...; the cases stand at the script's head"
((EUID == 0)) || die "making a system in a folder needs root"
command -v debootstrap >/dev/null || die "debootstrap is not here"
suite=$1
shift

work=$(mktemp -d "${TMPDIR:-/tmp}/minimod-machine.XXXXXX")
chmod 755 "$work"
machine=$work/machine
bases=${BARE_MACHINES:-$work}
child=
# shellcheck disable=SC2317  # the trap calls it
cleanup() {
  trap '' INT TERM HUP  # a second one does not end it half way
  if [[ $child ]]; then
    kill -KILL "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# ---- A machine -----------------------------------------------------------------------------------------------------

environment() {  # environment USER: as NAME=VALUE lines
  local home=/home/$1
  if [[ $1 == root ]]; then home=/root; fi
  printf '%s\n' "HOME=$home" "USER=$1" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    "PATH=${tools:+$tools:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
  env | grep -iE '^([a-z]+_proxy|PIP_[A-Z_]+)=' || true
}

# Mounts and processes live in namespaces of the command's own: nothing is left mounted however it ends.
inside() {  # inside USER COMMAND...
  local variables
  mapfile -t variables < <(environment "$1")
  # shellcheck disable=SC2016  # the inner shell expands it
  exec unshare --mount --pid --fork --kill-child ${offline:+--net} sh -c '
    mount -t proc proc "$0/proc" && user=$1 && shift && exec chroot --userspec="$user" "$0" env -i "$@"' \
    "$machine" "$1" "${variables[@]}" sh -c 'cd && exec "$@"' - "${@:2}"
}

# In the background, so that a signal to this script is heard at once.
as_root() {
  offline='' tools='' inside root "$@" >>"$work/log" 2>&1 </dev/null &
  wait_for "$!"
}

wait_for() {  # wait_for PROCESS, which writes to $work/log
  child=$1
  wait "$child" || { tail "$work/log" >&2; return 1; }
  child=
}

add_packages() { as_root apt-get install -y --no-install-recommends "$@"; }

make_base() {
  local base=$bases/$suite.tar
  if [[ ! -e $base ]]; then
    echo "making a fresh $suite"
    mkdir -p "$bases"
    unshare --mount --pid --fork --kill-child --mount-proc \
      debootstrap --variant=minbase "$suite" "$work/base" "$mirror" >"$work/log" 2>&1 </dev/null &
    wait_for "$!"
    tar -C "$work/base" -cf "$base.part" . && mv "$base.part" "$base"
    rm -rf "$work/base"
  fi
}

make_machine() {  # a fresh system with the host's way to the network, a user, and empty lists of packages
  local file
  rm -rf --one-file-system "$machine"
  mkdir "$machine"
  tar -C "$machine" -xpf "$bases/$suite.tar"
  apt-config dump | grep -iE '^Acquire::(https?|ftp|Check|Retries|Force)' >"$machine/etc/apt/apt.conf.d/99host" || true
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
    if [[ -e $file ]]; then cp -L "$file" "$machine$file"; fi
  done
  mkdir -p "$machine/usr/local/share/ca-certificates"
  find /usr/local/share/ca-certificates -name '*.crt' -exec cp -L -t "$machine/usr/local/share/ca-certificates" {} +
  as_root useradd --create-home somebody
  as_root apt-get update
}

clone_for() {  # clone_for USER
  local home=home/$1
  if [[ $1 == root ]]; then home=root; fi
  git clone --quiet --no-hardlinks "$root" "$machine/$home/minimod"
  as_root chown -R "$1": "/$home/minimod"
}

# ---- The launcher in it --------------------------------------------------------------------------------------------

stamped() { while IFS= read -r line; do printf '%s %s\n' "$EPOCHREALTIME" "$line"; done; }

moment() { awk -v pattern="$1" 'index($0, pattern) { print $1; exit }' "$work/said"; }

compiles='Building C'  # how Ninja and make begin their line of a compiler

story() {  # words of the launcher, and after how many seconds
  awk -v began="$began" '!/^[^ ]+ (minimod: building )?\[ *[0-9]+[%\/]/ {
    time = $1 - began
    sub(/^[^ ]+ /, "")
    printf "%6.1f  %s\n", time, $0 }' "$work/said"
}

seconds() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.0f s", to - from }'; }

# Words of the launcher go to $work/said with the times. Sets code, began and ended; 'compiling' stops it where that
# starts.
launch() {  # launch all|compiling USER ARGS...
  local until=$1 user=$2
  shift 2
  : >"$work/said"
  code=0 began=$EPOCHREALTIME
  inside "$user" sh -c 'cd minimod && exec ./minimod "$@"' - "$@" > >(stamped >>"$work/said") 2>&1 </dev/null &
  child=$!
  if [[ $until == compiling ]]; then
    while kill -0 "$child" 2>/dev/null && ! grep -q "$compiles" "$work/said"; do sleep 0.2; done
    if grep -q "$compiles" "$work/said"; then kill -KILL "$child" 2>/dev/null || true; fi
  fi
  wait "$child" 2>/dev/null || code=$?
  child=
  ended=$EPOCHREALTIME
  sleep 0.2  # for the last line
}

wrong() {
  echo "FAILED $suite $name: $*"
  failed=1
}

versions() {
  # shellcheck disable=SC2016  # the inner shell expands it
  (tools='' offline='' inside root sh -c '. /etc/os-release; echo "$PRETTY_NAME ($(cat /etc/debian_version))"
    for tool in cmake c++ python3; do $tool --version 2>/dev/null | head -n 1; done') </dev/null | paste -sd ';'
}

gathers() {  # gathers USER: from nothing to a gather, and once more
  local installing configuring building first
  launch all "$1" --grid 60 --steps 50
  story
  if ((code)); then wrong "exit $code"; return; fi
  installing=$(moment 'installing with') configuring=$(moment 'configuring in') building=$(moment "$compiles")
  first=$(find "$machine" -xdev -name 'shot_gather.h5' -size +0 | head -n 1)
  if [[ ! $first ]]; then wrong 'no gather'; return; fi
  if [[ ! $installing ]]; then wrong 'nothing was installed'; return; fi
  echo "$suite $name: packages $(seconds "$installing" "$configuring"), the rest of configuring" \
    "$(seconds "$configuring" "$building"), build and run $(seconds "$building" "$ended")," \
    "to the first gather $(seconds "$began" "$ended")"
  rm "$first"
  launch all "$1" --grid 60 --steps 50
  ((code == 0)) || wrong "a second call: exit $code"
  echo "$suite $name: a second call $(awk -v a="$began" -v b="$ended" 'BEGIN { printf "%.2f s", b - a }')"
}

comes_to_compile() {  # comes_to_compile USER ARGS...
  launch compiling "$@"
  story
  if [[ ! $(moment "$compiles") ]]; then wrong "no compiler started, exit $code"; return; fi
  echo "$suite $name: the compiler starts after $(seconds "$began" "$(moment "$compiles")")"
}

refuses() {  # refuses USER TEXT... -- ARGS...: exit 69, with these lines
  local user=$1 texts=() text
  shift
  while [[ $1 != -- ]]; do texts+=("$1"); shift; done
  launch all "$user" "${@:2}"
  echo "$suite $name: exit $code after $(seconds "$began" "$ended")"
  story
  ((code == 69)) || wrong "exit $code instead of 69"
  for text in "${texts[@]}"; do grep -qF -- "$text" "$work/said" || wrong "'$text' is not said"; done
}

serves_strangers() {  # serves_strangers USER: the library, installed, on a machine that has no more of minimod
  launch all "$1" info
  story
  if ((code)); then wrong "exit $code"; return; fi
  as_root sh -c "cd /home/$1/minimod && cmake --build build --target minimod_shared --parallel $(nproc) &&
    cmake --install build --prefix /opt/minimod && cp -r validation/install_test /opt/minimod/"
  tar -C "$machine/opt" -cf "$work/library.tar" minimod
  make_machine
  add_packages g++ cmake make libhdf5-dev libdeflate0
  tar -C "$machine/opt" -xpf "$work/library.tar"
  as_root sh -c 'cmake -S /opt/minimod/install_test -B build -D CMAKE_PREFIX_PATH=/opt/minimod && cmake --build build &&
    build/stranger_c && build/stranger_cpp && /opt/minimod/bin/minimod --version' || wrong 'see above'
  tail -n 3 "$work/log"
}

# ---- The cases -----------------------------------------------------------------------------------------------------

run_case() {
  local user=root offline='' tools='' line
  case $name in
    sudo | library | neither | password | no-compiler | no-source) user=somebody ;;
  esac
  make_machine
  clone_for "$user"
  case $name in
    root) gathers root ;;
    sudo)
      add_packages sudo
      echo 'somebody ALL=(ALL) NOPASSWD: ALL' >"$machine/etc/sudoers.d/somebody"
      gathers somebody ;;
    library) add_packages "${everything[@]}"; serves_strangers somebody ;;
    neither)
      refuses somebody 'installing needs root or sudo' "Debian, Ubuntu: $all_of_it" -- info
      line=$(sed -n 's/.*Debian, Ubuntu: apt-get install //p' "$work/said")
      # shellcheck disable=SC2086  # the names are words
      add_packages $line
      comes_to_compile somebody info ;;
    no-cmake) add_packages g++ make; comes_to_compile root info ;;
    old-cmake)
      add_packages "${everything[@]}"
      mkdir "$machine/opt/old"
      printf '#!/bin/sh\necho "cmake version 3.16.3"\n' >"$machine/opt/old/cmake"
      chmod +x "$machine/opt/old/cmake"
      tools=/opt/old comes_to_compile root info ;;
    clang) add_packages clang cmake; comes_to_compile root info ;;
    tests) comes_to_compile root test -L unit ;;
    password)
      add_packages sudo
      echo 'somebody ALL=(ALL) ALL' >"$machine/etc/sudoers.d/somebody"
      refuses somebody 'sudo asks for a password, and there is no terminal to give it' "$all_of_it" -- info ;;
    no-install) refuses root 'nothing is installed with --no-install' "$all_of_it" -- --no-install info ;;
    no-compiler)
      add_packages cmake ninja-build
      refuses somebody 'a C++20 compiler' 'libhdf5-dev' -- info ;;
    no-network) offline=1 refuses root 'perhaps there is no network' "$all_of_it" -- info ;;
    no-source)
      add_packages "${everything[@]}"
      offline=1 refuses somebody 'no source of kokkos could be had' 'set Kokkos_ROOT' -- info ;;
    too-old) refuses root 'it is too old' 'a C++20 compiler' 'CMake 3.22' -- info ;;
    *) die "no case '$name'" ;;
  esac
  versions
}

failed=0
cases=()
for name in "$@"; do
  case $name in
    all) cases+=("${with_build[@]}" "${up_to_build[@]}" "${refusals[@]}") ;;
    refusals) cases+=("${refusals[@]}") ;;
    *) cases+=("$name") ;;
  esac
done
make_base
for name in "${cases[@]}"; do run_case; done
exit "$failed"
