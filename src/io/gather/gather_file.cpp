#include "src/io/gather/gather_file.hpp"

#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/gather/gather_texts.hpp"

namespace minimod {

namespace gather_file {

const FileKind kind{"a shot gather", [](const std::filesystem::path& file) {
                      hdf5::initialize();
                      return has_format(file, format_name) || has_format(file, sections_format_name);
                    }};

}  // namespace gather_file

}  // namespace minimod
