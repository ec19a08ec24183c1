# How everything is compiled: warnings, floating point, CPU and GPU targets. Sets MINIMOD_CUDA_ENABLED (whether nvcc
# compiles the kernels), MINIMOD_HIP_ENABLED (whether hipcc does), MINIMOD_KOKKOS_ENABLED (whether the GPU is the
# default execution space of Kokkos), MINIMOD_HOPPER (whether the shapes for compute capability 9.0 are built),
# gpu_compiler (for records, what compiles the kernels) and the target minimod_flags.
include(${CMAKE_CURRENT_LIST_DIR}/gpu_architectures.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/hip.cmake)

# One rounding everywhere: only the fma that the formulas write is one, so that fields are bitwise equal over
# shapes, repeats and devices.
add_library(minimod_flags INTERFACE)
target_compile_options(minimod_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wno-unknown-pragmas -ffp-contract=off -fno-math-errno>)
# Intel's compiler takes sums for associative, unless it is told otherwise.
target_compile_options(minimod_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,IntelLLVM>:-fp-model=precise>)
# No other library takes the place of a function here, which would cost the calls and what is inlined.
target_compile_options(minimod_flags INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fno-semantic-interposition>)
# GCC looks for garbage less often: a tenth of its time, for some 200 MiB more of memory.
target_compile_options(minimod_flags INTERFACE
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param ggc-min-heapsize=500000>")
# clang would tell of each loop that its hint makes no vectors of.
target_compile_options(minimod_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:-Wno-pass-failed>)

# Sources for the level of x86-64 that their names say, by themselves. The program's are optimized in every build, or their
# vectors would live in memory.
function(minimod_at_level optimization)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(v3 ${optimization} -mavx2 -mfma)
    set(v4 ${v3} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl)
    foreach(source ${ARGN})
      string(REGEX REPLACE "^.*_(v[34])\\.cpp$" "\\1" level ${source})
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${${level}}")
    endforeach()
  endif()
endfunction()

# Sources of emulated shapes, each by itself. What a thread does is inlined whole into a function of the level that its
# arithmetic needs (at_cpu_level_v3). GCC inlines pieces that have been made small first in half the time; -O1 takes
# it no longer than -Og, and its shapes a quarter less.
function(minimod_emulated_shapes)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS
    "$<$<CONFIG:Release>:-O1>;$<$<CXX_COMPILER_ID:GNU>:--param=early-inlining-insns=100>")
endfunction()

set(MINIMOD_CUDA_ENABLED OFF)
set(MINIMOD_HIP_ENABLED OFF)
set(MINIMOD_KOKKOS_ENABLED OFF)
if(NOT MINIMOD_GPU MATCHES "^(auto|cuda|hip|kokkos|none)$")
  message(FATAL_ERROR "MINIMOD_GPU is '${MINIMOD_GPU}'; give auto, cuda, hip, kokkos or none")
endif()
set(gpu ${MINIMOD_GPU})
if(gpu STREQUAL "auto" AND "${MINIMOD_ARCHITECTURES} $ENV{MINIMOD_ARCHITECTURES}" MATCHES "gfx")
  set(gpu hip)
endif()
set(HIP_PLATFORM "$ENV{HIP_PLATFORM}" CACHE STRING "Whose GPUs HIP is for, as hipcc hears it: amd, or nvidia, through nvcc")
set(hip_on_cuda OFF)
if(gpu STREQUAL "hip" AND HIP_PLATFORM STREQUAL "nvidia")
  set(hip_on_cuda ON)
endif()
if(gpu MATCHES "^(auto|cuda)$" OR hip_on_cuda OR Kokkos_ENABLE_CUDA)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(MINIMOD_NVCC nvcc HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)
    if(MINIMOD_NVCC)
      set(CMAKE_CUDA_COMPILER ${MINIMOD_NVCC})
    endif()
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER AND NOT gpu STREQUAL "kokkos")
    set(MINIMOD_CUDA_ENABLED ON)
  elseif(NOT CMAKE_CUDA_COMPILER AND NOT gpu STREQUAL "auto")
    message(FATAL_ERROR "MINIMOD_GPU is ${gpu}, and no nvcc was found; name it by CUDACXX, or give none")
  endif()
endif()
if(hip_on_cuda)
  find_path(MINIMOD_HIP_HEADERS hip/nvidia_detail/nvidia_hip_runtime.h HINTS ENV HIP_PATH ENV ROCM_PATH /opt/rocm
            PATH_SUFFIXES include DOC "The folder above hip/")
  if(NOT MINIMOD_HIP_HEADERS)
    message(FATAL_ERROR "HIP_PLATFORM is nvidia, and HIP's headers for it were not found; install Debian's libamdhip64-dev "
                        "or ROCm's hip-runtime-nvidia, or name the folder above hip/ by MINIMOD_HIP_HEADERS")
  endif()
endif()
# By itself only where AMD's driver is: compiling for its GPUs takes minutes.
if((gpu STREQUAL "hip" AND NOT hip_on_cuda) OR (gpu STREQUAL "auto" AND NOT MINIMOD_CUDA_ENABLED AND EXISTS /dev/kfd))
  find_program(MINIMOD_HIPCC hipcc HINTS ENV ROCM_PATH /opt/rocm PATH_SUFFIXES bin)
  find_library(MINIMOD_HIP_LIBRARY amdhip64 HINTS ENV ROCM_PATH /opt/rocm PATH_SUFFIXES lib)
  if(MINIMOD_HIPCC AND MINIMOD_HIP_LIBRARY)
    set(MINIMOD_HIP_ENABLED ON)
  elseif(gpu STREQUAL "hip")
    message(FATAL_ERROR "AMD's GPUs are asked for, and no hipcc with libamdhip64 was found; install ROCm, or Debian's "
                        "packages hipcc and libamdhip64-dev, or give MINIMOD_GPU=none")
  endif()
endif()
if(NOT MINIMOD_HIP_ENABLED)
  unset(MINIMOD_HIP_LIBRARY CACHE)
endif()
if(gpu STREQUAL "kokkos")
  set(MINIMOD_KOKKOS_ENABLED ON)
  target_compile_definitions(minimod_flags INTERFACE MINIMOD_KOKKOS)
endif()

if(MINIMOD_CUDA_ENABLED OR Kokkos_ENABLE_CUDA)
  set(wanted all)
  foreach(given "${Kokkos_CUDA_ARCHITECTURES}" "$ENV{CUDAARCHS}" "${CMAKE_CUDA_ARCHITECTURES}" "$ENV{MINIMOD_ARCHITECTURES}")  # the last one counts
    if(given)
      set(wanted "${given}")
    endif()
  endforeach()
  set(MINIMOD_ARCHITECTURES "${wanted}" CACHE STRING "GPUs to compile for: all, native, or a list such as 80 90")
  minimod_choose_architectures(architectures "${MINIMOD_ARCHITECTURES}" ${CMAKE_CUDA_COMPILER})
  minimod_code_option(MINIMOD_GPU_CODE "${architectures}")
  set(CMAKE_CUDA_ARCHITECTURES OFF)  # MINIMOD_GPU_CODE says it
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  enable_language(CUDA)
  set(gpu_compiler "nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
  minimod_choose_hopper(MINIMOD_HOPPER "${architectures}" ${CMAKE_CUDA_COMPILER_VERSION})
  if(hip_on_cuda)
    minimod_speak_hip(${MINIMOD_HIP_HEADERS})
    string(APPEND gpu_compiler " for HIP")
    set(MINIMOD_HOPPER OFF)  # HIP does not reach its copy engine
  endif()
  minimod_code_text(architectures_text "${architectures}" ${MINIMOD_HOPPER})
  target_compile_definitions(minimod_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:MINIMOD_GPU_ARCHITECTURES="${architectures_text}">)
  # CMake 3.25 knows no C++20 for CUDA: the flag is given by hand. Denormals are zero, as on the host.
  set(CMAKE_CUDA_STANDARD_REQUIRED OFF)
  target_compile_options(minimod_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-std=c++20 -fmad=false -ftz=true -lineinfo -Xcompiler=-Wall,-Wextra,-Wshadow,-Wno-unknown-pragmas,-ffp-contract=off>")
  if(MINIMOD_KOKKOS_ENABLED)
    target_compile_options(minimod_kokkos INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${MINIMOD_GPU_CODE}>")
  endif()
  message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION}: ${CMAKE_CUDA_COMPILER}, for ${architectures_text}")
  if(hip_on_cuda)
    message(STATUS "HIP: the headers in ${MINIMOD_HIP_HEADERS}, on CUDA")
  endif()
elseif(MINIMOD_HIP_ENABLED)
  set(wanted all)
  if(NOT "$ENV{MINIMOD_ARCHITECTURES}" STREQUAL "")
    set(wanted "$ENV{MINIMOD_ARCHITECTURES}")
  endif()
  set(MINIMOD_ARCHITECTURES "${wanted}" CACHE STRING "GPUs to compile for: all, native, or a list such as gfx90a gfx1100")
  minimod_choose_gfx(MINIMOD_GFX "${MINIMOD_ARCHITECTURES}" ${MINIMOD_HIPCC})
  list(JOIN MINIMOD_GFX " " architectures_text)
  target_compile_definitions(minimod_flags INTERFACE MINIMOD_HIP)
  execute_process(COMMAND ${MINIMOD_HIPCC} --version OUTPUT_VARIABLE version ERROR_QUIET)
  string(REGEX REPLACE ".*HIP version: ([^\n]*)\n.*" "hipcc \\1" gpu_compiler "${version}")
  message(STATUS "HIP: ${MINIMOD_HIPCC}, for ${architectures_text}")
elseif(MINIMOD_KOKKOS_ENABLED AND "${Kokkos_DEVICES}" MATCHES "HIP|SYCL|OPENMPTARGET|OPENACC")
  message(STATUS "GPUs: through Kokkos, for ${Kokkos_DEVICES}")
elseif(MINIMOD_KOKKOS_ENABLED)
  message(STATUS "GPUs: through Kokkos, which has a back end for none: its device is the cores")
elseif(gpu STREQUAL "none")
  message(STATUS "GPUs: switched off, kernels for the CPU only")
else()
  message(STATUS "CUDA: no nvcc found, kernels for the CPU only")
endif()
