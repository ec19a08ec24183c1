/// The name of a dataset in a file on the command line: "file.h5:/group/dataset".
#pragma once

#include <filesystem>
#include <string>

namespace minimod::hdf5 {

struct DatasetName {
  std::filesystem::path file;
  std::string dataset;
};

/// "file.h5:/group/dataset" in its two parts; any other name is a file, with `otherwise` as the dataset.
[[nodiscard]] DatasetName parse_dataset_name(const std::string& name, const std::string& otherwise);

}  // namespace minimod::hdf5
