# shellcheck shell=bash
# Options of a build, from its cache: sourced by tests that build beside it, with its folder in $build.

# cached NAME: its value.
# shellcheck disable=SC2154  # who sources this sets build
cached() { sed -n "s/^$1:[^=]*=//p" "$build/CMakeCache.txt"; }

# same_options [NAME...]: options, for a build by the same generator on the same libraries, and with the same NAMEs.
same_options() {
  local name value
  options=()
  for name in MINIMOD_DEPS_DIR Kokkos_DIR CLI11_DIR nlohmann_json_DIR CMAKE_PREFIX_PATH CMAKE_CXX_COMPILER_LAUNCHER \
              CMAKE_GENERATOR "$@"; do
    value=$(cached "$name")
    if [[ $value && $value != *-NOTFOUND ]]; then options+=("-D$name=$value"); fi
  done
  options=("${options[@]/#-DCMAKE_GENERATOR=/-G}")
}
