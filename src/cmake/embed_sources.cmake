# Run by the build: writes the files of SOURCES (relative to SOURCE_DIR) into OUTPUT as texts of the program, from which
# it compiles shapes that it was not built with, and how it was compiled itself.
set(texts "")
foreach(source ${SOURCES})
  file(READ ${SOURCE_DIR}/${source} content)
  string(APPEND texts "    {\"${source}\", R\"minimod(${content})minimod\"},\n")
endforeach()
file(WRITE ${OUTPUT}
"#include \"kernels/compiled/build_sources.hpp\"

namespace minimod {

const BuildSources& build_sources() {
  static const BuildSources sources{\"${CXX_COMPILER}\", \"${CXX_FLAGS}\", {
${texts}  }};
  return sources;
}

}  // namespace minimod
")
