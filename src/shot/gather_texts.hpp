/// The checksum of a gather's texts.
#pragma once

#include <cstdint>

#include "src/base/hdf5.hpp"

namespace minimod::gather_file {

/// Attribute of the root that holds it.
inline constexpr const char* texts_checksum_name = "texts_checksum";

/// FNV-1a (64 bits) over all attributes of variable-length text, those of the root and then those of each
/// object beside it in the order of names: Python takes only such texts as texts, and HDF5 keeps them in a
/// heap that has no checksum of its own.
[[nodiscard]] std::int64_t texts_checksum(const hdf5::Handle& file);

/// Whether the texts are those that were written; a file without a checksum is taken at its word.
[[nodiscard]] bool texts_are_whole(const hdf5::Handle& file);

}  // namespace minimod::gather_file
