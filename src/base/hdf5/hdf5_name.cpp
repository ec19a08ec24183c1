#include "src/base/hdf5/hdf5_name.hpp"

#include "src/base/files/file_suffix.hpp"

namespace minimod::hdf5 {

DatasetName parse_dataset_name(const std::string& name, const std::string& otherwise) {
  const std::size_t colon = name.rfind(":/");
  if (colon != std::string::npos && is_hdf5_name(name.substr(0, colon))) {
    return {name.substr(0, colon), name.substr(colon + 1)};
  }
  return {name, otherwise};
}

}  // namespace minimod::hdf5
