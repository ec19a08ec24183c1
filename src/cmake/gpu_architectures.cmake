# GPUs that the kernels are compiled for. Functions alone, so that a script can try them (cmake -P).

# The names in a list such as "80 90", each of which is of that form. `example` is another list, for who gives a wrong one.
function(minimod_split_architectures out wanted form example)
  string(REGEX MATCHALL "[^ ;,]+" chosen "${wanted}")
  list(TRANSFORM chosen REPLACE "-(real|virtual)$" "")  # CMake's words, which choose nothing here
  list(REMOVE_DUPLICATES chosen)
  foreach(architecture ${chosen})
    if(NOT architecture MATCHES "${form}")
      message(FATAL_ERROR "MINIMOD_ARCHITECTURES is '${wanted}'; give all, native, or a list such as '${example}'")
    endif()
  endforeach()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()

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

# The capabilities of this machine's GPUs that `nvcc` compiles for; empty where there is none.
function(minimod_native_capabilities out nvcc)
  set(found "")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap,name --format=csv,noheader
                  OUTPUT_VARIABLE gpus ERROR_QUIET RESULT_VARIABLE no_gpu)
  if(no_gpu EQUAL 0)
    minimod_compiled_capabilities(compiled ${nvcc})
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+, [^\n]+" gpus "${gpus}")
    list(REMOVE_DUPLICATES gpus)
    foreach(gpu ${gpus})
      string(REGEX MATCH "^([0-9]+)\\.([0-9]+), " matched "${gpu}")
      set(capability ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
      if(NOT compiled OR capability IN_LIST compiled)
        list(APPEND found ${capability})
      else()
        message(STATUS "CUDA: a GPU is left out, since this nvcc does not compile for it (${gpu})")
      endif()
    endforeach()
    list(REMOVE_DUPLICATES found)
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# The capabilities, in order, that `wanted` stands for: a list such as "80 90"; `native`, this machine's GPUs; `all`, the
# first of each generation from 80 on that `nvcc` compiles for. Machine code runs on the later ones of its generation
# (80 on 86 and 89, 100 on 103), so that one program serves all that share a home, whichever built it.
function(minimod_choose_architectures out wanted nvcc)
  if(wanted STREQUAL "native")
    minimod_native_capabilities(chosen ${nvcc})
    if(NOT chosen)
      message(FATAL_ERROR "MINIMOD_ARCHITECTURES is native, and nvidia-smi names no GPU here that this nvcc compiles for; "
                          "give all, or a list such as '80 90'")
    endif()
  elseif(wanted STREQUAL "all")
    set(chosen 80 90 100 120)
    minimod_compiled_capabilities(compiled ${nvcc})
    list(JOIN compiled "|" compiled_pattern)
    if(compiled)
      list(FILTER chosen INCLUDE REGEX "^(${compiled_pattern})$")
    else()
      set(chosen 80)  # an nvcc that does not say; later GPUs run its PTX
    endif()
  else()
    minimod_split_architectures(chosen "${wanted}" "^[0-9]+$" "80 90")
  endif()
  list(SORT chosen COMPARE NATURAL)
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()

# The option of nvcc for `architectures`: PTX of the lowest is made once, the machine code of each from it, and the PTX
# stays for GPUs that come later. That takes two thirds of the time that a PTX of each takes, and the kernels here use
# nothing that would make their machine code another.
function(minimod_code_option out architectures)
  list(GET architectures 0 lowest)
  list(TRANSFORM architectures PREPEND "sm_" OUTPUT_VARIABLE codes)
  list(JOIN codes "," codes)
  set(${out} "--generate-code=arch=compute_${lowest},code=[${codes},compute_${lowest}]" PARENT_SCOPE)
endfunction()

# The machine code and PTX that a program for `architectures` has in it, in cuobjdump's words.
function(minimod_code_text out architectures hopper)
  list(GET architectures 0 lowest)
  list(TRANSFORM architectures PREPEND "sm_")
  if(hopper)
    list(APPEND architectures sm_90a)
  endif()
  list(JOIN architectures " " text)
  set(${out} "${text}, PTX of compute_${lowest}" PARENT_SCOPE)
endfunction()

# Whether the shapes for Hopper are built for `architectures` by nvcc `version`.
function(minimod_choose_hopper out architectures version)
  string(REGEX MATCHALL "[0-9]+" generations "${architectures}")
  set(chosen OFF)
  if("90" IN_LIST generations)
    if(version VERSION_LESS 12.5)  # older ones cannot ask the driver for an entry point by its version
      message(STATUS "CUDA ${version}: the shapes for Hopper, tma_*, are left out: they need CUDA 12.5")
    else()
      set(chosen ON)
    endif()
  endif()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()
