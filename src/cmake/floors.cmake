# A static library a floor of src/floors.txt, each of which knows those below it alone. `minimod_floors`, which a test
# builds, links each floor without those above it.

# Sources are those of a floor's folder and what is below it: adding a file adds no line here.
function(minimod_sources list)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${ARGN})
  list(FILTER found EXCLUDE REGEX "/(no_[a-z_]+|device_table|kokkos_devices?)\\.cpp$")  # taken where they are needed
  set(${list} ${found} PARENT_SCOPE)
endfunction()

# Loops, over points and over the values of signals and models, are optimized. All else compiles with -Og in half the
# time: what is asked once a run or a step, and the emulated shapes, whose fibers cost more than -O3 saves.
set(MINIMOD_NOT_A_LOOP $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Og>)

# Headers of C++ that most files have are read once, with the lowest floor, for the files of all floors that are compiled
# like it. A compiler's cache would keep none of those, so that whoever has one (ccache) goes without.
set(MINIMOD_READ_ONCE <algorithm> <chrono> <complex> <filesystem> <functional> <iomanip> <map> <memory> <mutex> <numeric>
                      <optional> <sstream> <string> <unordered_map> <variant> <vector>)
if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

add_custom_target(minimod_floors)

# The floor `name` above the floor that was made last, of `sources`, those of them optimized that MINIMOD_LOOPS names.
function(minimod_floor name)
  set(sources ${ARGN})
  set(loops ${sources})
  list(REMOVE_ITEM sources ${MINIMOD_LOOPS})
  list(REMOVE_ITEM loops ${sources} "")
  get_property(below GLOBAL PROPERTY MINIMOD_FLOOR)
  set(objects ${sources})
  list(FILTER objects INCLUDE REGEX "TARGET_OBJECTS|\\.o$")  # hipcc's are files
  list(APPEND objects $<TARGET_OBJECTS:minimod_${name}>)
  add_library(minimod_${name} STATIC ${sources})
  target_compile_options(minimod_${name} PRIVATE ${MINIMOD_NOT_A_LOOP} $<$<COMPILE_LANGUAGE:CUDA>:${MINIMOD_GPU_CODE}>)
  target_link_libraries(minimod_${name} PUBLIC ${below})
  if(below STREQUAL minimod_ground)
    target_precompile_headers(minimod_${name} PRIVATE ${MINIMOD_READ_ONCE})
    set_property(GLOBAL PROPERTY MINIMOD_LOWEST_FLOOR minimod_${name})
  else()
    get_property(lowest GLOBAL PROPERTY MINIMOD_LOWEST_FLOOR)
    target_precompile_headers(minimod_${name} REUSE_FROM ${lowest})
  endif()
  if(loops)
    add_library(minimod_${name}_loops OBJECT ${loops})
    target_link_libraries(minimod_${name}_loops PRIVATE ${below})
    target_sources(minimod_${name} PRIVATE $<TARGET_OBJECTS:minimod_${name}_loops>)
    list(APPEND objects $<TARGET_OBJECTS:minimod_${name}_loops>)
  endif()
  add_library(minimod_${name}_alone MODULE EXCLUDE_FROM_ALL ${objects})
  target_link_libraries(minimod_${name}_alone PRIVATE $<TARGET_PROPERTY:minimod_${name},LINK_LIBRARIES>)
  target_link_options(minimod_${name}_alone PRIVATE -Wl,--no-undefined)
  add_dependencies(minimod_floors minimod_${name}_alone)
  set_property(GLOBAL PROPERTY MINIMOD_FLOOR minimod_${name})
endfunction()
