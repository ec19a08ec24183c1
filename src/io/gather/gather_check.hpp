/// Reading back what a gather's file, or one like it, has been given.
#pragma once

#include <filesystem>
#include <vector>

#include "src/io/gather/gather_datasets.hpp"

namespace minimod::gather_file {

/// Error 74, which names `target`, where the file `temporary` does not hold the values of the datasets bit by
/// bit, or its texts are not their copies: a full disk can make HDF5 lose values without an error, and only
/// reading them tells.
void verify(const std::vector<Dataset>& datasets, const std::filesystem::path& temporary,
            const std::filesystem::path& target);

}  // namespace minimod::gather_file
