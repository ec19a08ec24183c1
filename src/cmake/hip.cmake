# Kernels for AMD's GPUs, compiled by hipcc from the sources that nvcc compiles for NVIDIA's. By commands of their own:
# CMake 3.25 looks for the language HIP in ROCm's folders alone, and not where Debian has it.
include(${CMAKE_CURRENT_LIST_DIR}/gpu_architectures.cmake)

# GPUs of AMD that `wanted` stands for: a list such as "gfx90a gfx1100"; `all`, those below that `hipcc` compiles for;
# `native`, this machine's.
function(minimod_choose_gfx out wanted hipcc)
  if(wanted STREQUAL "all")
    set(chosen "")
    file(WRITE ${PROJECT_BINARY_DIR}/generated/no_work.cu "#include <hip/hip_runtime.h>\n__global__ void no_work() {}\n")
    foreach(gfx gfx90a gfx942 gfx1100)
      execute_process(COMMAND ${hipcc} --offload-arch=${gfx} -c no_work.cu -o no_work.o OUTPUT_QUIET ERROR_QUIET
                      WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/generated RESULT_VARIABLE failed)
      if(failed EQUAL 0)
        list(APPEND chosen ${gfx})
      endif()
    endforeach()
    if(NOT chosen)
      message(FATAL_ERROR "MINIMOD_ARCHITECTURES is all, and ${hipcc} compiles for none of gfx90a, gfx942, gfx1100; "
                          "give the GPU's name, or a list such as 'gfx906 gfx908'")
    endif()
  elseif(wanted STREQUAL "native")
    execute_process(COMMAND rocm_agent_enumerator OUTPUT_VARIABLE agents ERROR_QUIET)
    string(REGEX MATCHALL "gfx[1-9][0-9a-f]+" chosen "${agents}")  # a processor is gfx000
    list(REMOVE_DUPLICATES chosen)
    if(NOT chosen)
      message(FATAL_ERROR "MINIMOD_ARCHITECTURES is native, and rocm_agent_enumerator names no GPU here; "
                          "give all, or a list such as 'gfx90a gfx1100'")
    endif()
  else()
    minimod_split_architectures(chosen "${wanted}" "^gfx[0-9a-f]+" "gfx90a gfx1100")
  endif()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()

# Has the sources that nvcc compiles speak HIP, by its headers for NVIDIA's GPUs in `folder`.
function(minimod_speak_hip folder)
  target_compile_definitions(minimod_flags INTERFACE MINIMOD_HIP $<$<COMPILE_LANGUAGE:CUDA>:__HIP_PLATFORM_NVIDIA__>)
  target_include_directories(minimod_flags SYSTEM INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:${folder}>)
  target_compile_options(minimod_flags INTERFACE  # HIP wants each answer looked at, CUDA does not
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-diag-suppress=2810 -Xcompiler=-Wno-unused-result>")
endfunction()

# Has hipcc compile `sources`, and adds the objects to the list `out`. As with nvcc no other multiply-add than the
# formulas' is one, and denormals are zero.
function(minimod_hip_objects out)
  list(TRANSFORM MINIMOD_GFX PREPEND "--offload-arch=" OUTPUT_VARIABLE targets)
  list(JOIN MINIMOD_GFX " " text)
  set(objects ${${out}})
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET source STEM name)
    set(object ${PROJECT_BINARY_DIR}/hip/${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${MINIMOD_HIPCC} ${targets} -std=c++20 -O3 -fPIC -ffp-contract=off -fgpu-flush-denormals-to-zero
              -Wall -Wextra -Wno-unknown-pragmas -Wno-unused-result -Wno-sign-compare
              -Wno-unused-command-line-argument -Wno-deprecated-declarations -Wno-pass-failed -Wno-unused-function
              -DNDEBUG -DMINIMOD_HIP -DMINIMOD_SHAPE_PARTS=${MINIMOD_SHAPE_PARTS}
              "-DMINIMOD_GPU_ARCHITECTURES=\"${text}\"" -I ${PROJECT_SOURCE_DIR}
              -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d VERBATIM COMMENT "Building HIP object ${name}.o")
    list(APPEND objects ${object})
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
