#!/usr/bin/env bash
#
# The launcher's build folder: whose it is, what is removed from it, and who waits for whom.

# shellcheck source-path=SCRIPTDIR source=launcher_tools.sh
. "$(dirname "$0")/launcher_tools.sh"

in_folder() {  # in_folder FOLDER COMMAND...
  env MINIMOD_BUILD_DIR="$1" "${@:2}"
}

keeps() {  # keeps EXPECTED_EXIT_CODE FOLDER COMMAND...: refused with one line, and nothing in FOLDER changes but its lock
  local before
  before=$(cd "$2" && find . ! -name .lock -printf '%p %y %s %T@\n' | sort)
  refuses "$1" in_folder "$2" "${@:3}"
  [[ $(cd "$2" && find . ! -name .lock -printf '%p %y %s %T@\n' | sort) == "$before" ]] || fail "$2 was changed by: ${*:3}"
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
[[ ! $(find "$work" -name .lock) ]] || fail 'a lock was left in a folder of others'
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
  rm -r "${work:?}/elsewhere/${source%%/*}"
done
mkdir -p "$work/elsewhere"/{deps/kokkos,_deps/x-src,venv,peers,pip,libraries,CMakeFiles/CheckCUDA,mine}
touch "$work/elsewhere"/{pip,libraries}/CMakeCache.txt
touch "$work/elsewhere"/{deps/kokkos,_deps/x-src,CMakeFiles/CheckCUDA}/CMakeLists.txt "$work/elsewhere/mine/gather.h5"
builds in_folder elsewhere env CXXFLAGS=-g "$root/minimod" five
says out 'flags=-g'
[[ -e $work/elsewhere/deps/kokkos/CMakeLists.txt && -e $work/elsewhere/mine/gather.h5 ]] ||
  fail 'a new build removed more than what was built'
run 0 in_folder elsewhere "$root/minimod" clean
[[ ! -e $work/elsewhere ]] || fail 'clean left the build folder'

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
mv "$second" "$work/moved"  # the moved checkout's folder is free for others
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

# A folder that becomes another's while it is looked at: the first look finds no marker, the second a whole build.
mkdir -p "$work/between" "$shared"
printf '#!/bin/sh\nPATH=%s\n%s seven >/dev/null 2>&1\nexec ls "$@"\n' "'$PATH'" "'$root/minimod'" >"$work/between/ls"
chmod +x "$work/between/ls"
run 73 in_folder "$shared" env "PATH=$work/between:$PATH" "$second/minimod" eight
says err "belongs to the checkout $root"
run 0 in_folder "$shared" "$root/minimod" clean

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
builds "$root/minimod" ten  # a build does not wait for it, either
: >"$work/end"
wait

touch "$root/src/main.cpp"
env SLOWLY=2 "$root/minimod" clean-up >"$work/one" 2>&1 &
sleep 0.5
run 0 "$root/minimod" clean  # waits for the build
wait
says err 'is building in '
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
chmod a-w "$root"
builds_nothing as_other "$root/minimod" twelve  # reading is enough for what is built
refuses 73 as_other env CXXFLAGS=-O0 "$root/minimod" twelve
says err "cannot write to $root/build"
refuses 73 as_other "$root/minimod" clean
[[ -x $root/build/bin/minimod ]] || fail 'another user removed the build'
chmod -R u+w "$root"

cp -r "$root" "$work/theirs"  # a lock that another user left
rm -rf "$work/theirs/build"
mkdir "$work/theirs/build"
(umask 333 && : >"$work/theirs/build/.lock")
if ((EUID == 0)); then chown -R 65534 "$work/theirs" && chown 0 "$work/theirs/build/.lock"; fi
run 0 as_other "$work/theirs/minimod" twelve
says out "home $work/theirs"
builds_nothing "$work/theirs/minimod" twelve  # root in the checkout of another

mkdir -m 755 "$work/parent" "$work/parent/build"  # a folder given to a user, in one that is not his
if ((EUID == 0)); then chown 65534 "$work/parent/build"; fi
chmod a-w "$work/parent"
run 0 as_other env MINIMOD_BUILD_DIR="$work/parent/build" "$root/minimod" thirteen
builds_nothing as_other env MINIMOD_BUILD_DIR="$work/parent/build" "$root/minimod" thirteen
run 0 as_other env MINIMOD_BUILD_DIR="$work/parent/build" "$root/minimod" clean
[[ -d $work/parent/build && ! $(ls -A "$work/parent/build") ]] || fail 'clean did not empty a folder that must stay'
run 73 as_other env MINIMOD_BUILD_DIR="$work/parent/new" "$root/minimod" thirteen
says err "cannot write to $work/parent/new"

# ---- Files that others may have put there -----------------------------------------------------------------------------

chmod u+w "$work/parent"
planted="$work/open/planted"
plant() {  # plant FOLDER: a build of this checkout, up to date, but for its program
  rm -rf "$1"
  cp -r "$root/build" "$1"
  printf '#!/bin/sh\necho planted; touch "%s/ran"\n' "$work" >"$1/bin/minimod"
}
refuses_planted() {  # refuses_planted WORDS [COMMAND...]
  refuses 77 in_folder "$planted" "${@:2}" "$root/minimod" five
  says err "$1"
  says err MINIMOD_BUILD_DIR
  [[ ! -e $work/ran ]] || fail 'a program that others planted was run'
}
mkdir -m 1777 "$work/open"
for path in . .minimod launcher launcher/settings launcher/built bin bin/minimod; do
  for mode in o+w g+w; do
    plant "$planted"
    if ((EUID == 0)); then chown -R 0:65534 "$planted"; elif [[ $mode == g+w ]]; then continue; fi
    chmod "$mode" "$planted/$path"
    refuses_planted 'can be changed by others'
  done
  if ((EUID == 0)); then
    plant "$planted"
    chown 65534 "$planted/$path"
    refuses_planted 'is of another user'
  fi
done
plant "$planted"
chmod 777 "$work/open"
refuses_planted "$work/open is of another user or can be changed"
chmod 1777 "$work/open"
run 0 in_folder "$planted" "$root/minimod" five
says out planted  # by the caller
rm "$work/ran"
mkdir -p "$planted/venv/bin"
printf '#!/bin/sh\ntouch "%s/ran"\n' "$work" >"$planted/venv/bin/python"
chmod +x "$planted/venv/bin/python"
chmod o+w "$planted/venv/bin"
refuses 77 in_folder "$planted" "$root/minimod" plot shot_gather.h5
[[ ! -e $work/ran ]] || fail 'a Python that others planted was run'
rm -rf "$planted/venv"
touch "$planted/CMakeFiles/main.o" "$root/src/main.cpp"
chmod o+w "$planted/CMakeFiles/main.o"
refuses 77 in_folder "$planted" "$root/minimod" five  # a build would take it up
says err "$planted/CMakeFiles/main.o is of another user or can be changed"
run 0 in_folder "$planted" "$root/minimod" clean
# shellcheck disable=SC2016  # the inner bash expands it
run 0 in_folder "$planted" env bash -c 'umask 0; exec "$0" five' "$root/minimod"
builds_nothing in_folder "$planted" "$root/minimod" five

# Nobody else holds the lock, and who waits says for whom.
[[ $(stat -c %a "$planted/.lock") == 600 ]] || fail 'others can open the lock'
exec 8<>"$planted/.lock"
flock 8
echo "process $$ of the user $(id -un)" >&8
builds_nothing in_folder "$planted" "$root/minimod" five  # a build with nothing to do needs no lock
touch "$root/src/main.cpp"
in_folder "$planted" "$root/minimod" five >"$work/out" 2>"$work/err" 8>&- &
while ! grep -q waiting "$work/err"; do sleep 0.05; done
says err "process $$ of the user $(id -un) is building in $planted, waiting for it"
exec 8>&-
wait
says out '[five]'

echo "$checks checks passed"
