# minimod as a library of others: minimod::minimod, in this build and, installed, by find_package(minimod). It is one shared
# library that shows the C interface alone. Kokkos and all else that is built here lies within, so that who links it needs
# nothing besides.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library shows the C interface, and what shapes that are compiled at run time take of it.
file(READ kernels/compiled/exported_symbols.txt of_kernels)
string(REGEX MATCH "extern \"C[+][+]\" {[^}]*};" of_kernels "${of_kernels}")
set(symbols ${PROJECT_BINARY_DIR}/generated/library_symbols.txt)
file(CONFIGURE OUTPUT ${symbols} CONTENT "{ global: minimod_*; ${of_kernels} local: *; };\n")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS kernels/compiled/exported_symbols.txt)
add_library(minimod_shared SHARED $<TARGET_OBJECTS:minimod_library>)
add_library(minimod::minimod ALIAS minimod_shared)
target_link_libraries(minimod_shared PRIVATE minimod_library)
target_link_options(minimod_shared PRIVATE -Wl,--version-script=${symbols} -Wl,--no-undefined)
set_target_properties(minimod_shared PROPERTIES
  OUTPUT_NAME minimod EXPORT_NAME minimod LINK_DEPENDS ${symbols}
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(headers ${PROJECT_BINARY_DIR}/generated/include)
configure_file(src/library/version.h.in ${headers}/minimod/version.h @ONLY)
target_include_directories(minimod_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src/library/include> $<BUILD_INTERFACE:${headers}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/minimod)
install(TARGETS minimod_shared EXPORT minimodConfig LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/library/include/ ${headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The targets are all that there is to configure.
install(EXPORT minimodConfig NAMESPACE minimod:: DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/minimodConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/minimodConfigVersion.cmake DESTINATION ${package})
