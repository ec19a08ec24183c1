# Which GPUs the kernels are compiled for. Functions alone, so that a script can try them (cmake -P).

# The capabilities that `nvcc` compiles for, as 75 80 90; empty where it does not say.
function(minimod_compiled_capabilities out nvcc)
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listed ERROR_QUIET RESULT_VARIABLE failed)
  set(capabilities "")
  if(failed EQUAL 0)
    string(REGEX MATCHALL "compute_[0-9]+" capabilities "${listed}")
    list(TRANSFORM capabilities REPLACE "compute_" "")
  endif()
  set(${out} ${capabilities} PARENT_SCOPE)
endfunction()

# CMAKE_CUDA_ARCHITECTURES for the GPUs of this machine that `nvcc` compiles for; for any where there is none.
function(minimod_choose_architectures out nvcc)
  set(chosen "")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap,name --format=csv,noheader
                  OUTPUT_VARIABLE gpus ERROR_QUIET RESULT_VARIABLE no_gpu)
  if(no_gpu EQUAL 0)
    minimod_compiled_capabilities(compiled ${nvcc})
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+, [^\n]+" gpus "${gpus}")
    list(REMOVE_DUPLICATES gpus)
    foreach(gpu ${gpus})
      string(REGEX MATCH "^([0-9]+)\\.([0-9]+), " found "${gpu}")
      set(capability ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
      if(NOT compiled OR capability IN_LIST compiled)
        list(APPEND chosen ${capability})
      else()
        message(STATUS "CUDA: a GPU is left out, since this nvcc does not compile for it (${gpu})")
      endif()
    endforeach()
    list(REMOVE_DUPLICATES chosen)
  endif()
  if(NOT chosen)
    set(chosen 80-real 90)  # 90 with PTX, which newer GPUs compile when the program starts
  endif()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()

# Whether the shapes for Hopper are built for `architectures` by nvcc `version`.
function(minimod_choose_hopper out architectures version)
  string(REGEX MATCHALL "[0-9]+" generations "${architectures}")
  set(chosen OFF)
  if("90" IN_LIST generations)
    if(version VERSION_LESS 12.5)  # which cannot ask the driver for an entry point by its version
      message(STATUS "CUDA ${version}: the shapes for Hopper, tma_*, are left out: they need CUDA 12.5")
    else()
      set(chosen ON)
    endif()
  endif()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()
