# The libraries minimod is built on: HDF5, libdeflate, CLI11, nlohmann-json, PEGTL, kissfft, Kokkos and, for the
# tests, Catch2.
#
# Each is taken where it is installed (find_package: CMAKE_PREFIX_PATH, Kokkos_ROOT, HDF5_ROOT, ... are heard).
# Kokkos and Catch2, which few systems have, come otherwise from MINIMOD_DEPS_DIR, where the launcher unpacks
# them, or else as the release at the URLs below.
#
# Targets:   minimod_hdf5  minimod_libdeflate  CLI11::CLI11  nlohmann_json::nlohmann_json  taocpp::pegtl  minimod_kissfft
#            minimod_kokkos  Catch2::Catch2WithMain
# Variables: MINIMOD_LIBRARIES, a list of "name version" of the libraries taken
#
# The launcher sets MINIMOD_MISSING_FILE. What is missing is then fetched by the launcher and not from here: it is
# written to that file, one "name [url sha256]" a line, before the configuration stops.

include_guard(GLOBAL)
include(FetchContent)
include(${CMAKE_CURRENT_LIST_DIR}/kokkos.cmake)

set(MINIMOD_DEPS_DIR "${PROJECT_SOURCE_DIR}/build/deps" CACHE PATH "Where the launcher unpacks what it brings")
set(MINIMOD_MISSING_FILE "" CACHE FILEPATH "Where to list what is missing (set by the launcher)")
mark_as_advanced(MINIMOD_DEPS_DIR MINIMOD_MISSING_FILE)

set(MINIMOD_LIBRARIES "")
set(minimod_missing "")

set(minimod_kokkos_url "https://github.com/kokkos/kokkos/releases/download/5.2.2/kokkos-5.2.2.tar.gz")
set(minimod_kokkos_sha256 "d6557aaef39302282a15f9c770433d1fcdf4e961dfd6d9ed726b9d0d0f546b9f")
set(minimod_catch2_url "https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz")
set(minimod_catch2_sha256 "c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c")

# Notes which library was taken, and says it in the summary.
macro(minimod_took name version where)
  list(APPEND MINIMOD_LIBRARIES "${name} ${version}")
  message(STATUS "minimod: ${name} ${version}, ${where}")
endmacro()

# For a library that is not installed: sets FETCHCONTENT_SOURCE_DIR_<NAME> where the launcher has unpacked it, or else
# minimod_<name>_archive to the release, downloaded. What cannot be had joins minimod_missing; ExternalProject, left to
# itself, would try an unreachable host for half an hour.
function(minimod_find_source name url sha256)
  string(TOUPPER ${name} upper)
  set(archive "${PROJECT_BINARY_DIR}/_deps/${name}.tar.gz")
  if(FETCHCONTENT_SOURCE_DIR_${upper})
    return()
  elseif(EXISTS "${MINIMOD_DEPS_DIR}/${name}/CMakeLists.txt")
    set(FETCHCONTENT_SOURCE_DIR_${upper} "${MINIMOD_DEPS_DIR}/${name}" PARENT_SCOPE)
    return()
  elseif(NOT MINIMOD_MISSING_FILE AND NOT EXISTS "${archive}")
    message(STATUS "minimod: downloading ${url}")
    execute_process(COMMAND ${CMAKE_COMMAND} -D "URL=${url}" -D "SHA256=${sha256}" -D "FILE=${archive}"
                            -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/download.cmake" TIMEOUT 150)
  endif()
  if(EXISTS "${archive}")
    set(minimod_${name}_archive "${archive}" PARENT_SCOPE)
  else()
    set(minimod_missing ${minimod_missing} "${name} ${url} ${sha256}" PARENT_SCOPE)
  endif()
endfunction()

# ---- HDF5: the serial C library, with its high-level part for dimension scales ---------------------------------

enable_language(C)  # find_package(HDF5) tries its library with a C program
find_package(HDF5 1.10 QUIET COMPONENTS C HL)
if(HDF5_FOUND AND NOT HDF5_IS_PARALLEL)
  add_library(minimod_hdf5 INTERFACE)
  target_include_directories(minimod_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
  target_link_libraries(minimod_hdf5 INTERFACE ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
  target_compile_definitions(minimod_hdf5 INTERFACE ${HDF5_C_DEFINITIONS})
  list(GET HDF5_C_INCLUDE_DIRS 0 minimod_hdf5_dir)
  minimod_took(HDF5 "${HDF5_VERSION}" "${minimod_hdf5_dir}")
else()
  if(HDF5_FOUND)
    message(STATUS "minimod: HDF5 ${HDF5_VERSION} is left aside: it is the MPI library, the serial one is needed")
  endif()
  list(APPEND minimod_missing "hdf5")
endif()

# ---- libdeflate: its CMake files are younger than the packages of Debian 12 --------------------------------------

find_path(MINIMOD_LIBDEFLATE_DIR libdeflate.h DOC "The folder of libdeflate.h")
find_library(MINIMOD_LIBDEFLATE deflate DOC "The library libdeflate")
if(MINIMOD_LIBDEFLATE_DIR AND MINIMOD_LIBDEFLATE)
  file(STRINGS "${MINIMOD_LIBDEFLATE_DIR}/libdeflate.h" minimod_libdeflate_line REGEX "define LIBDEFLATE_VERSION_STRING")
  string(REGEX MATCH "[0-9.]+" minimod_libdeflate_version "${minimod_libdeflate_line}")
  add_library(minimod_libdeflate INTERFACE)
  target_include_directories(minimod_libdeflate SYSTEM INTERFACE ${MINIMOD_LIBDEFLATE_DIR})
  target_link_libraries(minimod_libdeflate INTERFACE ${MINIMOD_LIBDEFLATE})
  minimod_took(libdeflate "${minimod_libdeflate_version}" "${MINIMOD_LIBDEFLATE}")
else()
  list(APPEND minimod_missing "libdeflate")
endif()

# ---- MPI, where it is --------------------------------------------------------------------------------------------

if(MINIMOD_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
endif()
if(MPI_CXX_FOUND)
  add_library(minimod_mpi INTERFACE)
  target_link_libraries(minimod_mpi INTERFACE MPI::MPI_CXX)
  minimod_took(MPI "${MPI_CXX_VERSION}" "${MPI_CXX_COMPILER}")
endif()

# ---- CLI11, nlohmann-json and PEGTL ----------------------------------------------------------------------------

find_package(CLI11 2.1 QUIET CONFIG)
if(CLI11_FOUND)
  minimod_took(CLI11 "${CLI11_VERSION}" "${CLI11_DIR}")
else()
  list(APPEND minimod_missing "cli11")
endif()

find_package(nlohmann_json 3.9 QUIET CONFIG)
if(nlohmann_json_FOUND)
  minimod_took(nlohmann-json "${nlohmann_json_VERSION}" "${nlohmann_json_DIR}")
else()
  list(APPEND minimod_missing "nlohmann-json")
endif()

find_package(pegtl 3.2 QUIET CONFIG)
if(pegtl_FOUND)
  minimod_took(PEGTL "${pegtl_VERSION}" "${pegtl_DIR}")
else()
  list(APPEND minimod_missing "pegtl")
endif()

# ---- kissfft: its C++ template alone, a header ------------------------------------------------------------------

# The library of kissfft is of one precision and its CMake files ask for that library, so the header is looked for by
# itself; a version that none has lists those that are here and loads none.
find_path(MINIMOD_KISSFFT_DIR kissfft/kissfft.hh DOC "The folder above kissfft/kissfft.hh")
if(MINIMOD_KISSFFT_DIR)
  find_package(kissfft 9999 QUIET CONFIG)
  list(APPEND kissfft_CONSIDERED_VERSIONS "of unknown version")
  list(GET kissfft_CONSIDERED_VERSIONS 0 minimod_kissfft_version)
  add_library(minimod_kissfft INTERFACE)
  target_include_directories(minimod_kissfft SYSTEM INTERFACE ${MINIMOD_KISSFFT_DIR})
  minimod_took(kissfft "${minimod_kissfft_version}" "${MINIMOD_KISSFFT_DIR}/kissfft")
else()
  list(APPEND minimod_missing "kissfft")
endif()

# ---- Kokkos ------------------------------------------------------------------------------------------------------

# Sets Kokkos_DIR to an installed Kokkos that will do: 3.4 to 5.x with OpenMP and no GPU backend, or with one where
# MINIMOD_GPU asks for it. A Kokkos with CUDA cannot start on a machine without a GPU, and its configuration alters how
# everything is compiled, so it is judged by its text before it is loaded: asking for a version that none has lists the
# candidates and loads none.
function(minimod_find_kokkos)
  set(Kokkos_DIR "${Kokkos_DIR}")
  find_package(Kokkos 999 QUIET CONFIG)
  set(chosen "Kokkos_DIR-NOTFOUND")
  set(seen "")
  foreach(config version IN ZIP_LISTS Kokkos_CONSIDERED_CONFIGS Kokkos_CONSIDERED_VERSIONS)
    get_filename_component(folder "${config}" DIRECTORY)
    if(folder IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${folder}")
    set(devices "")
    if(EXISTS "${folder}/KokkosConfigCommon.cmake")
      file(STRINGS "${folder}/KokkosConfigCommon.cmake" devices REGEX "[ (]Kokkos_DEVICES ")
    endif()
    if(version VERSION_LESS 3.4 OR version VERSION_GREATER_EQUAL 6)
      message(STATUS "minimod: Kokkos ${version} in ${folder} is left aside: 3.4 to 5.x are known to work")
    elseif(devices MATCHES "CUDA|HIP|SYCL|OPENMPTARGET|OPENACC" AND NOT MINIMOD_GPU STREQUAL "kokkos")
      message(STATUS "minimod: Kokkos ${version} in ${folder} is left aside: its ${CMAKE_MATCH_0} backend cannot "
                     "start without a GPU, a host-only Kokkos can; -D MINIMOD_GPU=kokkos takes it")
    elseif(NOT devices MATCHES "OPENMP")
      message(STATUS "minimod: Kokkos ${version} in ${folder} is left aside: it was built without OpenMP")
    else()
      set(chosen "${folder}")
      break()
    endif()
  endforeach()
  set(Kokkos_DIR "${chosen}" CACHE PATH "The Kokkos taken" FORCE)
endfunction()

# Builds Kokkos along with minimod, from the source that minimod_find_source found.
function(minimod_build_kokkos)
  set(Kokkos_ENABLE_SERIAL ON CACHE BOOL "")
  set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "")
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(BUILD_SHARED_LIBS OFF)
  set(CMAKE_UNITY_BUILD OFF)
  set(CMAKE_EXPORT_COMPILE_COMMANDS OFF)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_WARN_DEPRECATED OFF CACHE INTERNAL "")
    set(CMAKE_SUPPRESS_DEVELOPER_WARNINGS ON CACHE INTERNAL "")
  endif()

  # A part of what is installed, and not installed itself: FetchContent brings the source, and what is built of it is
  # what minimod asks for.
  FetchContent_Declare(kokkos URL "${minimod_kokkos_archive}" URL_HASH "SHA256=${minimod_kokkos_sha256}"
                       SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(kokkos)
  add_subdirectory("${kokkos_SOURCE_DIR}" "${kokkos_BINARY_DIR}" EXCLUDE_FROM_ALL)
  file(STRINGS "${kokkos_SOURCE_DIR}/CMakeLists.txt" lines REGEX "Kokkos_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
  string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
  list(JOIN numbers "." version)

  foreach(target kokkoscore kokkoscontainers kokkosalgorithms kokkossimd)
    if(TARGET ${target})
      get_target_property(type ${target} TYPE)
      if(NOT type STREQUAL "INTERFACE_LIBRARY")
        target_compile_options(${target} PRIVATE -w $<$<CONFIG:Release>:-O1>)  # loops of Kokkos are compiled with ours
        if(version VERSION_LESS 4)  # since GCC 13 the headers of C++ do not bring this one along
          target_compile_options(${target} PRIVATE "SHELL:-include cstdint")
          set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
          set_source_files_properties("${kokkos_SOURCE_DIR}/core/src/impl/Kokkos_Error.cpp" TARGET_DIRECTORY ${target}
                                      PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # Impl is another one there
        endif()
      endif()
      get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
      set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}")
    endif()
  endforeach()

  set(minimod_kokkos_version "${version}" PARENT_SCOPE)
  set(minimod_kokkos_source "${kokkos_SOURCE_DIR}" PARENT_SCOPE)
endfunction()

find_package(OpenMP QUIET COMPONENTS CXX)
minimod_find_kokkos()
add_library(minimod_kokkos INTERFACE)
if(Kokkos_DIR)
  find_package(Kokkos REQUIRED CONFIG COMPONENTS separable_compilation)
  minimod_link_kokkos()
  minimod_took(Kokkos "${Kokkos_VERSION}" "${Kokkos_DIR}, for ${Kokkos_DEVICES}")
elseif(NOT OpenMP_CXX_FOUND)
  list(APPEND minimod_missing "openmp")
else()
  minimod_find_source(kokkos "${minimod_kokkos_url}" "${minimod_kokkos_sha256}")
  if(FETCHCONTENT_SOURCE_DIR_KOKKOS OR minimod_kokkos_archive)
    minimod_build_kokkos()
    target_link_libraries(minimod_kokkos INTERFACE kokkoscore)  # containers and algorithms need not be built
    minimod_took(Kokkos "${minimod_kokkos_version}" "built here with OpenMP and Serial from ${minimod_kokkos_source}")
  endif()
endif()

# ---- Catch2, for the tests ---------------------------------------------------------------------------------------

if(MINIMOD_TESTS)
  find_package(Catch2 3 QUIET CONFIG HINTS "${MINIMOD_DEPS_DIR}/catch2/usr")
  if(Catch2_FOUND)
    minimod_took(Catch2 "${Catch2_VERSION}" "${Catch2_DIR}")
  else()
    minimod_find_source(catch2 "${minimod_catch2_url}" "${minimod_catch2_sha256}")
    if(FETCHCONTENT_SOURCE_DIR_CATCH2 OR minimod_catch2_archive)
      FetchContent_Declare(catch2 URL "${minimod_catch2_archive}" URL_HASH "SHA256=${minimod_catch2_sha256}")
      FetchContent_MakeAvailable(catch2)
      list(APPEND CMAKE_MODULE_PATH "${catch2_SOURCE_DIR}/extras")
      minimod_took(Catch2 3.7.1 "built here from ${catch2_SOURCE_DIR}")
    endif()
  endif()
endif()

# ---- Missing packages --------------------------------------------------------------------------------------------

if(MINIMOD_MISSING_FILE)
  list(JOIN minimod_missing "\n" minimod_lines)
  file(WRITE "${MINIMOD_MISSING_FILE}" "${minimod_lines}\n")
endif()
if(minimod_missing)
  list(TRANSFORM minimod_missing REPLACE " .*" "")
  list(JOIN minimod_missing ", " minimod_names)
  message(FATAL_ERROR "missing: ${minimod_names}. Install them (Debian, Ubuntu: libhdf5-dev libdeflate-dev "
                      "libcli11-dev nlohmann-json3-dev tao-pegtl-dev libkissfft-dev), or say where they are with CMAKE_PREFIX_PATH. "
                      "./minimod does it for you.")
endif()
