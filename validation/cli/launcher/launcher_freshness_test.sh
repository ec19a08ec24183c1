#!/usr/bin/env bash
#
# When the launcher calls the build tool, and when it builds anew: sources, compilers, CUDA, options, things that are
# gone.

# shellcheck source-path=SCRIPTDIR source=launcher_tools.sh
. "$(dirname "$0")/launcher_tools.sh"
run_it() { "$root/minimod" "$@"; }

with_python() {  # with_python [LACKS]: a Python that has all modules, or all but LACKS, in the build folder
  mkdir -p "$root/build/venv/bin"
  # shellcheck disable=SC2016  # the stand-in expands it
  printf '#!/bin/sh\ncase "$*" in *"%s"*) exit 1 ;; esac\n' "${1:-nothing}" >"$root/build/venv/bin/python"
  chmod +x "$root/build/venv/bin/python"
}

configured_with() {  # configured_with SETTING: in the last configuration
  [[ "$(grep -- '^-S' "$work/calls" | tail -n 1) " == *" $1 "* ]] || fail "not configured with $1"
  checks=$((checks + 1))
}

# ---- Sources -------------------------------------------------------------------------------------------------------

touch -d '3 days ago' "$root/src/main.cpp"
builds run_it
echo 'older' >"$work/older.cpp"
touch -d '5 days ago' "$work/older.cpp"
cp -p "$work/older.cpp" "$root/src/main.cpp"
builds run_it
says out 'older'
says err 'src/main.cpp has changed and is not newer than the last build; building anew'
builds_nothing run_it

mkdir -p "$root/.git/logs"  # a commit is news, and no source
echo first >"$root/.git/logs/HEAD"
builds run_it
says_not err 'anew'
mv "$root/.git" "$work/repository"  # a worktree
echo "gitdir: $work/repository" >"$root/.git"
builds run_it
sleep 0.02
echo second >>"$work/repository/logs/HEAD"
touch -d '2 days ago' "$work/repository/logs/HEAD"
builds run_it
says_not err 'anew'
rm "$root/.git"

sleep 0.02
echo 'olden' >"$root/src/main.cpp"
builds run_it
says out 'olden'
says_not err 'anew'

# ---- Tests ---------------------------------------------------------------------------------------------------------

echo 'one test' >"$root/validation/a_test.cpp"
with_python
builds run_it test -L unit
says out "ctest --test-dir $root/build"
configured_with MINIMOD_PYTHON_MODULE=ON
touch "$root/src/README.md" "$root/src/script.py"
builds_nothing run_it test
mkdir -p "$root/src/python/minimod"
touch "$root/src/python/minimod/shot.py"  # the build folder's package is to have it
for lacks in nanobind Python.h; do
  with_python $lacks
  builds run_it test
  says err 'the tests of the module of Python are left out'
  configured_with MINIMOD_PYTHON_MODULE=OFF
  with_python
  touch "$root/validation/a_test.cpp"
  builds run_it test
  configured_with MINIMOD_PYTHON_MODULE=ON
  touch "$root/validation/a_test.cpp"
done
builds run_it test
builds_nothing run_it
sleep 0.02
touch "$root/validation/a_test.cpp"
builds run_it
builds run_it test
says_not err 'anew'
touch "$root/src/main.cpp"
builds run_it
builds run_it test  # sources of the tests are newer

# ---- The C++ compiler ----------------------------------------------------------------------------------------------

compiler g++-13 'g++ 13.1'
compiler clang++ 'clang 14'
builds_nothing run_it  # another compiler on the machine is no reason
builds env CXX=clang++ "$root/minimod"
says out 'clang 14'
says err 'new since the last build: c++ clang++ is'
builds_nothing env CXX=clang++ "$root/minimod"
builds_nothing run_it  # an unset variable stays as it was
builds env CXX=c++ "$root/minimod"
says out 'c++ 12'
compiler c++ 'c++ 13'  # upgraded
builds run_it
says out 'c++ 13'
builds env CXX= "$root/minimod"  # empty: the default, which it is
says_not err 'anew'

mkdir "$work/with space"
mv "$work/tools/clang++" "$work/with space/clang++"
builds env CXX="$work/with space/clang++" "$root/minimod"
says out 'clang 14'
rm "$work/with space/clang++"  # gone: another is taken
builds run_it
says out 'c++ 13'
refuses 69 env CXX="$work/with space/clang++" "$root/minimod"
says err "CXX is $work/with space/clang++"
builds_nothing run_it

# ---- CUDA ----------------------------------------------------------------------------------------------------------

compiler nvcc 'release 12.4'
if ! compgen -G '/dev/nvidia[0-9]*' >/dev/null; then  # without a GPU the program is built for the CPU alone
  mv "$root/build" "$work/before"
  builds run_it
  says_not out 'nvcc=/'
  says err "without kernels for GPUs, $work/tools/nvcc is left aside"
  builds env MINIMOD_ARCHITECTURES=all "$root/minimod"
  says out "nvcc=$work/tools/nvcc"
  builds env MINIMOD_ARCHITECTURES= "$root/minimod"
  says out "nvcc=$work/tools/nvcc"  # a build for GPUs stays one
  with_python
  builds run_it test  # objects for GPUs go, and come, without the rest being built anew
  says err "$work/tools/nvcc is left aside; MINIMOD_ARCHITECTURES=all or test --all builds them"
  says_not err 'anew'
  configured_with MINIMOD_GPU=none
  for words in '--all -R name' '-L gpu' '--label-regex=unit|gpu'; do
    # shellcheck disable=SC2086  # words
    builds run_it test $words
    says_not err 'anew'
    configured_with MINIMOD_GPU=auto
    builds run_it test -R gpu -N
    says out '--parallel'
    says out ' -R gpu -N'
    configured_with MINIMOD_GPU=none
    says_not err 'anew'
  done
  builds run_it test --all
  compiler nvcc 'release 12.5'
  builds run_it test
  says_not err 'anew'  # nothing of an nvcc is built
  builds run_it test --all
  says err "new since the last build: nvcc $work/tools/nvcc is $work/tools/nvcc, release 12.5"
  compiler nvcc 'release 12.4'
  find "$root/build" -mindepth 1 ! -name .minimod -delete
  with_python
  builds run_it test
  configured_with MINIMOD_GPU=none
  builds env MINIMOD_ARCHITECTURES=gfx90a "$root/minimod"  # a GPU of AMD: CMake finds hipcc, nvcc is of no use
  says_not out 'nvcc=/'
  says_not err 'left aside'
  configured_with MINIMOD_GPU=auto
  rm -rf "$root/build"
  mv "$work/before" "$root/build"
fi
printf '#!/bin/sh\necho "GPU 0: a stand-in"\n' >"$work/tools/nvidia-smi"
chmod +x "$work/tools/nvidia-smi"
builds run_it
says_not err 'anew'  # the kernels for GPUs join what is there
configured_with MINIMOD_GPU=auto
builds_nothing run_it
builds run_it test --cpu -L unit
says err "$work/tools/nvcc is left aside"
says out ' -L unit'
says_not out '--cpu'
says_not err 'anew'
configured_with MINIMOD_GPU=none
builds_nothing run_it test --cpu
builds run_it
configured_with MINIMOD_GPU=auto
says_not err 'anew'
compiler nvcc 'release 12.8'
builds run_it
says err 'release 12.8'
mkdir "$work/cuda"
mv "$work/tools/nvcc" "$work/cuda/nvcc"
builds env CUDACXX="$work/cuda/nvcc" "$root/minimod"
says out "nvcc=$work/cuda/nvcc"
builds_nothing run_it  # the module of that nvcc is not loaded
compiler nvcc 'release 11.0'
builds_nothing run_it  # asked for before, and still there
refuses 69 env CUDACXX="$work/none" "$root/minimod"
rm "$work/cuda/nvcc"
builds run_it
says out "nvcc=$work/tools/nvcc"
mkdir "$work/newer"
mv "$work/tools/nvcc" "$work/newer/nvcc"
builds env PATH="$PATH:$work/newer" "$root/minimod"
if [[ ! -e /usr/local/cuda/bin/nvcc ]]; then  # where the launcher looks, too
  builds_nothing run_it  # not on the path any more, and still there
fi
rm "$work/newer/nvcc"
builds run_it
says_not out "nvcc=$work"

# ---- Options -------------------------------------------------------------------------------------------------------

for name in CXXFLAGS CUDAARCHS MINIMOD_ARCHITECTURES CMAKE_PREFIX_PATH Kokkos_ROOT; do
  builds env "$name=a value of $name" "$root/minimod"
  says err "new since the last build: $name=a value of $name"
  builds_nothing env "$name=a value of $name" "$root/minimod"
  builds_nothing run_it
done
says out 'flags=a value of CXXFLAGS'
builds env CXXFLAGS='another value' "$root/minimod"
says err 'new since the last build: CXXFLAGS=another value'
builds env CXXFLAGS= "$root/minimod"
says err 'new since the last build: CXXFLAGS='
says out 'flags='
says_not out 'flags=a'

# ---- Parts of the build that are gone ------------------------------------------------------------------------------

rm "$root/build/CMakeCache.txt"
sleep 0.02
touch "$root/src/main.cpp"
builds run_it
says err 'configuring in'
rm -r "$root/build/launcher"
builds run_it
rm "$root/build/bin/minimod"
builds run_it
mv "$work/tools/ninja" "$work/tools/make"
touch "$root/src/main.cpp"
builds run_it
says err 'the build tool of the last build is gone; building anew'

sleep 0.02
touch "$root/src/main.cpp"
rm "$work/calls"
set -m  # a group of its own: the launcher's subshell would build on alone
SLOWLY=600 "$root/minimod" >/dev/null 2>&1 &
set +m
until grep -q -e --build "$work/calls" 2>/dev/null; do sleep 0.01; done
disown $!
kill -KILL -- -$!
builds run_it  # after a build that was killed
says out 'olden'
builds_nothing run_it

echo "$checks checks passed"
