/// The texts of a gather's file. Python takes attributes of variable length for texts and others for bytes,
/// but HDF5 keeps them in a heap without a checksum, and crashes where that is damaged. So the program reads
/// copies of fixed length, which are attributes of a group of their own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/base/hdf5/hdf5.hpp"

namespace minimod::gather_file {

inline constexpr const char* texts_group = "texts";

/// The copy's name of a text of a dataset, such as "wavelet:units"; those of the root keep theirs.
[[nodiscard]] inline std::string copy_name(const std::string& dataset, const std::string& name) {
  return dataset + ":" + name;
}

/// Opens the object that has the texts as attributes: the group, or the root of a file that another program
/// or an older one wrote. Error 65 where it is damaged.
[[nodiscard]] hdf5::Handle open_texts(const hdf5::Handle& file, const std::filesystem::path& path);

/// Whether it is an HDF5 file whose text "format" is that.
[[nodiscard]] bool has_format(const std::filesystem::path& file, std::string_view format);

}  // namespace minimod::gather_file
