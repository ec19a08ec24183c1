#include "src/shot/gather_file.hpp"

#include "src/base/hdf5.hpp"
#include "src/shot/gather.hpp"
#include "src/shot/gather_texts.hpp"

namespace minimod {

namespace gather_file {

const FileKind kind{"a shot gather", [](const std::filesystem::path& file) {
                      try {
                        const hdf5::Handle texts = open_texts(hdf5::open_for_reading(file), file);
                        const std::string format = hdf5::read_text_attribute(texts, "format");
                        return format == format_name || format == sections_format_name;
                      } catch (const Error&) {
                        return false;
                      }
                    }};

}  // namespace gather_file

void check_can_create(const std::filesystem::path& file, bool overwrite) {
  hdf5::initialize();
  check_can_create(file, gather_file::kind, overwrite);
}

}  // namespace minimod
