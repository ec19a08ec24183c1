/// What the files of hdf5.hpp share: names in messages, and what a dataset says of its size.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/hdf5.hpp"

namespace minimod::hdf5 {

/// In quotes, printable and cut to a line's share.
[[nodiscard]] std::string shown_name(const std::string& name);

/// Dimensions as declared, of a simple dataspace; empty for any other.
[[nodiscard]] std::vector<hsize_t> declared_dims(const Handle& dataset);

/// Dimensions of a chunk; empty for a contiguous dataset.
[[nodiscard]] std::vector<hsize_t> chunk_dims(const Handle& dataset);

}  // namespace minimod::hdf5
