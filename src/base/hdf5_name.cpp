#include "src/base/hdf5_name.hpp"

#include <algorithm>
#include <cctype>

namespace minimod::hdf5 {

bool is_file_name(const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  return suffix == ".h5" || suffix == ".hdf5";
}

DatasetName parse_dataset_name(const std::string& name, const std::string& otherwise) {
  const std::size_t colon = name.rfind(":/");
  if (colon != std::string::npos && is_file_name(name.substr(0, colon))) {
    return {name.substr(0, colon), name.substr(colon + 1)};
  }
  return {name, otherwise};
}

}  // namespace minimod::hdf5
