# build_info.cpp: what a record says of the program that wrote it. The commit is read at every build.
set(MINIMOD_BUILD_INFO_SOURCE ${PROJECT_BINARY_DIR}/generated/build_info.cpp)
list(JOIN MINIMOD_LIBRARIES ", " libraries)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
add_custom_target(minimod_build_info
  COMMAND ${CMAKE_COMMAND}
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
    -DTEMPLATE=${PROJECT_SOURCE_DIR}/src/base/build_info.cpp.in
    -DOUTPUT=${MINIMOD_BUILD_INFO_SOURCE}
    -DVERSION=${PROJECT_VERSION}
    "-DCXX_COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "-DCUDA_COMPILER=${gpu_compiler}"
    "-DFLAGS=${CMAKE_CXX_FLAGS_${build_type_upper}} -ffp-contract=off"
    "-DLIBRARIES=${libraries}"
    "-DCUDA_ARCHITECTURES=${architectures_text}"
    -P ${PROJECT_SOURCE_DIR}/src/cmake/write_build_info.cmake
  BYPRODUCTS ${MINIMOD_BUILD_INFO_SOURCE}
  COMMENT "Reading the commit")
# This file is made often.
set_source_files_properties(${MINIMOD_BUILD_INFO_SOURCE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
