# The module of Python, `minimod`, in the build folder's python/ and, for a wheel, beside the sources of the package. It is
# one module for all Pythons from 3.10 on (nanobind's split mode, whose part for each Python is a package of its own).
option(MINIMOD_PYTHON_MODULE "Build the module of Python; nanobind 3.1 and Python 3.10 must be found" OFF)
if(NOT MINIMOD_PYTHON_MODULE)
  return()
endif()

if(MINIMOD_PYTHON AND NOT Python_EXECUTABLE)
  set(Python_EXECUTABLE ${MINIMOD_PYTHON})  # the tests' one, which imports the module
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT nanobind_DIR)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_DIR
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
find_package(nanobind 3.1 REQUIRED CONFIG)

minimod_sources(sources src/python/core/*.cpp)
nanobind_add_module(minimod_python BACKEND_MODULE nanobind_backend NB_SUPPRESS_WARNINGS ${sources})
# Names of nanobind's part stand in module.cpp, where clang-tidy is told that they are words.
get_target_property(definitions minimod_python COMPILE_DEFINITIONS)
list(FILTER definitions EXCLUDE REGEX "NB_BACKEND_")
set_property(TARGET minimod_python PROPERTY COMPILE_DEFINITIONS ${definitions})
target_link_libraries(minimod_python PRIVATE minimod_commands CLI11::CLI11)
target_compile_options(minimod_python PRIVATE ${MINIMOD_NOT_A_LOOP})
# Python finds its one symbol, and nobody else any: another module of the process may have another Kokkos.
set(symbols ${PROJECT_BINARY_DIR}/generated/python_symbols.txt)
file(CONFIGURE OUTPUT ${symbols} CONTENT "{ global: PyInit__core; local: *; };\n")
target_link_options(minimod_python PRIVATE -Wl,--version-script=${symbols})
set(package ${PROJECT_BINARY_DIR}/python/minimod)
set_target_properties(minimod_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${package} UNITY_BUILD OFF)
file(MAKE_DIRECTORY ${package})
# The rest of the package as it stands, so that an edit is there at once.
file(GLOB files CONFIGURE_DEPENDS src/python/minimod/*)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${package}/${name} SYMBOLIC)
endforeach()

# The wheel's part: pyproject.toml names it, and has the package's Python beside it.
install(TARGETS minimod_python LIBRARY DESTINATION minimod COMPONENT wheel EXCLUDE_FROM_ALL)
install(TARGETS minimod RUNTIME DESTINATION minimod/bin COMPONENT wheel EXCLUDE_FROM_ALL)
install(DIRECTORY src/pictures/ DESTINATION minimod/pictures COMPONENT wheel EXCLUDE_FROM_ALL FILES_MATCHING PATTERN *.py)
