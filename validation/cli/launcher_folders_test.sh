#!/usr/bin/env bash
#
# The launcher's build folder: whose it is, what is removed from it, and who waits for whom.

# shellcheck source-path=SCRIPTDIR source=launcher_tools.sh
. "$(dirname "$0")/launcher_tools.sh"

in_folder() {  # in_folder FOLDER COMMAND...
  env MINIMOD_BUILD_DIR="$1" "${@:2}"
}

keeps() {  # keeps EXPECTED_EXIT_CODE FOLDER COMMAND...: refused with one line, and nothing in FOLDER changes
  local before
  before=$(cd "$2" && find . -printf '%p %y %s %T@\n' | sort)
  refuses "$1" in_folder "$2" "${@:3}"
  [[ $(cd "$2" && find . -printf '%p %y %s %T@\n' | sort) == "$before" ]] || fail "$2 was changed by: ${*:3}"
}

# ---- Folders of others ---------------------------------------------------------------------------------------------

mkdir "$work/documents"
touch "$work/documents/thesis"
keeps 73 "$work/documents" "$root/minimod" five
keeps 73 "$work/documents" "$root/minimod" clean

other="$work/other"  # a project that is built in its sources
mkdir -p "$other/src" "$other/CMakeFiles" "$other/launcher" "$work/empty"
touch "$other/CMakeLists.txt" "$other/src/precious.cpp"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$other" >"$other/CMakeCache.txt"
checkout "$work/holder/nested"
for folder in "$other" "$root" "$root/src"; do
  keeps 73 "$folder" "$root/minimod" five
  keeps 73 "$folder" "$root/minimod" clean
done
says err 'holds other things than a build'
keeps 73 "$work/holder" "$work/holder/nested/minimod" five
keeps 73 "$work/holder" "$work/holder/nested/minimod" clean
[[ ! $(find "$work" -name '.*.lock') ]] || fail 'a lock was left beside a folder of others'
rmdir "$other/launcher"
keeps 73 "$other" "$root/minimod" clean
keeps 73 "$other" "$root/minimod" five
ln -s "$other" "$work/a link"
refuses 73 in_folder "$work/a link" "$root/minimod" clean
[[ -L "$work/a link" && -e $other/src/precious.cpp ]] || fail 'clean followed a link'
refuses 73 in_folder / "$root/minimod" clean
says err 'holds this checkout'
run 0 in_folder "$work/empty" "$root/minimod" clean
[[ -d $work/empty ]] || fail 'an empty folder of others was removed'

# ---- Our own -------------------------------------------------------------------------------------------------------

run 0 in_folder elsewhere "$root/minimod" five
says out "home $root"
[[ -x $work/elsewhere/bin/minimod ]] || fail 'MINIMOD_BUILD_DIR was not heard'
run 0 in_folder "$work/empty" "$root/minimod" five
run 0 in_folder "$work/empty" "$root/minimod" clean
[[ ! -e $work/empty ]] || fail 'clean left a folder that was claimed empty'

mkdir "$work/scratch"
ln -s "$work/scratch" "$root/build"
run 0 "$root/minimod" five
[[ -x $work/scratch/bin/minimod ]] || fail 'a link as build folder was not followed'
run 0 "$root/minimod" clean
[[ -L $root/build && ! -e $work/scratch ]] || fail 'clean removed a link instead of the folder'
run 0 "$root/minimod" five
run 0 "$root/minimod" clean
rm "$root/build"

for source in project/.git/HEAD project/CMakeLists.txt deps/.git/HEAD worktree/.git code/.hg/branch \
              theirs/CMakeCache.txt; do
  mkdir -p "$(dirname "$work/elsewhere/$source")"
  touch "$work/elsewhere/$source"
  keeps 73 "$work/elsewhere" "$root/minimod" clean
  says err "of others (${source%%/*}/"
  refuses 73 in_folder elsewhere env CXXFLAGS=-g "$root/minimod" five  # would clear what was built
  [[ -e $work/elsewhere/$source && -e $work/elsewhere/CMakeFiles/main.o ]] || fail "a plain run removed $source"
  rm -r "${work:?}/elsewhere/${source%%/*}"
done
mkdir -p "$work/elsewhere"/{deps/kokkos,_deps/x-src,venv,peers,CMakeFiles/CheckCUDA,mine}
touch "$work/elsewhere"/{deps/kokkos,_deps/x-src,CMakeFiles/CheckCUDA}/CMakeLists.txt "$work/elsewhere/mine/gather.h5"
builds in_folder elsewhere env CXXFLAGS=-g "$root/minimod" five
says out 'flags=-g'
[[ -e $work/elsewhere/deps/kokkos/CMakeLists.txt && -e $work/elsewhere/mine/gather.h5 ]] ||
  fail 'a new build removed more than what was built'
run 0 in_folder elsewhere "$root/minimod" clean
[[ ! -e $work/elsewhere ]] || fail 'clean left the build folder'

# ---- Folders of older launchers, which left no marker --------------------------------------------------------------

mkdir -p "$root/build/launcher" "$root/build/CMakeFiles" "$root/build/bin"
cp "$work/program" "$root/build/bin/minimod"
touch "$root/build/CMakeFiles/main.o" "$root/build/launcher/program.stamp"
printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$root" 'cxx=gone' >"$root/build/CMakeCache.txt"
builds "$root/minimod" six
says err 'the last build left no fingerprint'
says out "home $root"
builds_nothing "$root/minimod" six
rm "$root/build/.minimod"
run 0 "$root/minimod" clean
[[ ! -e $root/build ]] || fail 'clean left the folder of an older launcher'
mkdir -p "$root/build/launcher"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$other" >"$root/build/CMakeCache.txt"
keeps 73 "$root/build" "$root/minimod" clean
keeps 73 "$root/build" "$root/minimod" six
rm -r "$root/build"

# ---- Two checkouts -------------------------------------------------------------------------------------------------

second="$work/second"
checkout "$second"
shared="$work/shared"
run 0 in_folder "$shared" "$root/minimod" seven
says out "home $root"
for command in seven clean; do
  keeps 73 "$shared" "$second/minimod" "$command"
  says err "belongs to the checkout $root"
done
touch -d '2 days ago' "$second/src" "$second/src"/* "$second"/*
keeps 73 "$shared" "$second/minimod" seven
run 0 in_folder "$shared" "$root/minimod" clean
run 0 in_folder "$shared" "$second/minimod" seven
says out "home $second"
mv "$second" "$work/moved"  # its folder is free for others
run 0 in_folder "$shared" "$root/minimod" seven
says out "home $root"
says err 'building anew'
run 0 in_folder "$shared" "$root/minimod" clean
mv "$work/moved" "$second"

# At once: one gets the folder, the other is refused, and nobody runs the other's program.
for round in 1 2 3; do
  in_folder "$shared" env SLOWLY=0.2 "$root/minimod" eight >"$work/one" 2>"$work/one.err" &
  in_folder "$shared" env SLOWLY=0.2 "$second/minimod" eight >"$work/two" 2>"$work/two.err" &
  wait
  cat "$work/one" "$work/two" >"$work/out"
  cat "$work/one.err" "$work/two.err" >"$work/err"
  [[ $(grep -c '^home' "$work/out") == 1 ]] || fail "round $round: not one program ran"
  if [[ -s $work/one ]]; then winner=$root; else winner=$second; fi
  says out "home $winner"
  says out "text of ${winner##*/}"
  says err "belongs to the checkout $winner"
  run 0 in_folder "$shared" "$winner/minimod" clean
done

# A copy with its build, and a checkout that was moved with it, build for themselves.
run 0 "$root/minimod" nine
cp -r "$root" "$work/a copy"
run 0 "$work/a copy/minimod" nine
says err 'building anew'
says out "home $work/a copy"
mv "$work/a copy" "$work/a moved one"
run 0 "$work/a moved one/minimod" nine
says out "home $work/a moved one"
run 0 "$root/minimod" nine
says out "home $root"

# ---- The lock ------------------------------------------------------------------------------------------------------

mkfifo "$work/end"
"$root/minimod" wait "$work/end" >"$work/one" 2>&1 &
while ! grep -q wait "$work/one"; do sleep 0.01; done
start=$(date +%s%N)
builds_nothing "$root/minimod" ten
(($(date +%s%N) - start < 900000000)) || fail 'a program that runs blocks the next call'
touch "$root/src/main.cpp"
builds "$root/minimod" ten  # and a build
: >"$work/end"
wait

touch "$root/src/main.cpp"
env SLOWLY=2 "$root/minimod" clean-up >"$work/one" 2>&1 &
sleep 0.5
run 0 "$root/minimod" clean  # waits for the build
wait
says err 'another call is building'
grep -q '^home' "$work/one" || fail 'a build ended by a clean'
[[ ! -e $root/build ]] || fail 'clean left the build folder'

# ---- Other users, and places that take nothing ---------------------------------------------------------------------

run 73 in_folder /dev/null/build "$root/minimod" five
says err 'cannot write to /dev/null/build'
if ((EUID == 0)) && command -v setpriv >/dev/null; then
  as_other() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
else
  as_other() { "$@"; }
fi

run 0 "$root/minimod" twelve
chmod -R a+rX,go-w "$work"
chmod -R a-w "$root/build"
chmod a-w "$root" "$root/.build.lock"
builds_nothing as_other "$root/minimod" twelve  # reading is enough for what is built
if ((EUID == 0)); then chmod -R u+w "$root"; fi
chmod a+w "$root/build"  # anyone may write there, but not to what was built
refuses 73 as_other env CXXFLAGS=-O0 "$root/minimod" twelve
says err "cannot write to $root/build"
refuses 73 as_other "$root/minimod" clean
[[ -x $root/build/bin/minimod ]] || fail 'another user removed the build'
chmod -R u+w "$root"

cp -r "$root" "$work/theirs"  # a lock that another user left, root after sudo, say
rm -rf "$work/theirs/build" "$work/theirs/.build.lock"
(umask 333 && : >"$work/theirs/.build.lock")
if ((EUID == 0)); then chown -R 65534 "$work/theirs" && chown 0 "$work/theirs/.build.lock"; fi
run 0 as_other "$work/theirs/minimod" twelve
says out "home $work/theirs"

mkdir -m 755 "$work/parent" "$work/parent/build"  # a folder given to a user, in one that is not his
if ((EUID == 0)); then chown 65534 "$work/parent/build"; fi
chmod a-w "$work/parent"
run 0 as_other env MINIMOD_BUILD_DIR="$work/parent/build" "$root/minimod" thirteen
builds_nothing as_other env MINIMOD_BUILD_DIR="$work/parent/build" "$root/minimod" thirteen
run 0 as_other env MINIMOD_BUILD_DIR="$work/parent/build" "$root/minimod" clean
[[ -d $work/parent/build && ! $(ls -A "$work/parent/build") ]] || fail 'clean did not empty a folder that must stay'
sum=$(cksum <<<"$work/parent/build")
lock=/tmp/minimod-${sum// /-}.lock
[[ -e $lock && ! -e $work/parent/.build.lock ]] || fail 'no lock was made outside'
rm "$lock"
run 73 as_other env MINIMOD_BUILD_DIR="$work/parent/new" "$root/minimod" thirteen
says err "cannot write to $work/parent/new"

echo "$checks checks passed"
