# A Kokkos with a back end for GPUs: what is compiled by whom. One for CUDA has nvcc compile the sources that include it,
# and all others stay with the C++ compiler; one for HIP or SYCL wants its own compiler for all of them.

# Sources that include Kokkos.
function(minimod_kokkos_sources)
  if(Kokkos_ENABLE_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  endif()
endfunction()

# Gives minimod_kokkos the installed Kokkos. Its options for CUDA are those of a C++ compiler that passes on to nvcc; nvcc
# itself gets them here.
function(minimod_link_kokkos)
  if(NOT Kokkos_ENABLE_CUDA)
    target_link_libraries(minimod_kokkos INTERFACE Kokkos::kokkos)
    if(Kokkos_ENABLE_HIP)  # denormals are zero, as elsewhere
      target_compile_options(minimod_kokkos INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fgpu-flush-denormals-to-zero>)
    endif()
    return()
  endif()
  target_link_libraries(minimod_kokkos INTERFACE $<LINK_ONLY:Kokkos::kokkos> OpenMP::OpenMP_CXX)
  target_include_directories(minimod_kokkos SYSTEM INTERFACE
                             $<TARGET_PROPERTY:Kokkos::kokkoscore,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_options(minimod_kokkos INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--extended-lambda -Xcompiler=${OpenMP_CXX_FLAGS}>")
endfunction()
