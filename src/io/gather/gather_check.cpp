#include "src/io/gather/gather_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "src/base/files/output_file.hpp"
#include "src/base/hdf5/hdf5_detail.hpp"
#include "src/io/gather/gather_texts.hpp"
#include "src/io/gather/gather_writer.hpp"

namespace minimod::gather_file {
namespace {

/// Whether the dataset in the file is `data`, bit by bit.
bool reads_back(const hdf5::Handle& file, const Dataset& data) {
  const hdf5::Handle dataset(H5Dopen2(file, data.name.c_str(), H5P_DEFAULT), H5Dclose);
  if (hdf5::declared_dims(dataset) != data.dims) return false;
  if (const auto packing = packing_of(data)) return packing->hold(dataset, data.values);
  std::vector<std::byte> found(hdf5::product(data.dims, H5Tget_size(data.type)));
  return H5Dread(dataset, data.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()) >= 0 &&
         std::memcmp(found.data(), data.values, found.size()) == 0;
}

/// Whether the file has no names of axes, or ours.
bool axis_names_read_back(const hdf5::Handle& file) {
  if (H5Lexists(file, "axis", H5P_DEFAULT) == 0) return true;
  const hdf5::Handle dataset(H5Dopen2(file, "axis", H5P_DEFAULT), H5Dclose);
  const hdf5::Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
  std::array<char*, axis_names.size()> found{};
  if (H5Sget_simple_extent_npoints(space) != hssize_t{found.size()} ||
      H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()) < 0) {
    return false;
  }
  const bool is_equal = std::ranges::equal(
      found, axis_names, [](const char* is, std::string_view ours) { return is != nullptr && is == ours; });
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, found.data());
  return is_equal;
}

herr_t compare_text(hid_t texts, const char* name, const H5A_info_t*, void* file) {
  const bool of_root = std::string_view(name).find(':') == std::string_view::npos;
  const hdf5::Handle copies(H5Oopen(texts, ".", H5P_DEFAULT), H5Oclose);
  return of_root && hdf5::read_text_attribute(copies, name) !=
                        hdf5::read_text_attribute(*static_cast<const hdf5::Handle*>(file), name);
}

/// Whether the root's texts are their copies.
bool texts_read_back(const hdf5::Handle& file, const std::filesystem::path& path) {
  hdf5::Handle root(H5Oopen(file, "/", H5P_DEFAULT), H5Oclose);
  const hdf5::Handle texts = open_texts(file, path);
  return H5Aiterate2(texts, H5_INDEX_NAME, H5_ITER_INC, nullptr, compare_text, &root) == 0;
}

}  // namespace

void verify(const std::vector<Dataset>& datasets, const std::filesystem::path& temporary,
            const std::filesystem::path& target) {
  try {
    const hdf5::Handle file = hdf5::open_for_reading(temporary);
    for (const Dataset& data : datasets) {
      if (!reads_back(file, data)) throw write_error(target, "/" + data.name + " reads back differently");
    }
    if (!texts_read_back(file, temporary) || !axis_names_read_back(file)) {
      throw write_error(target, "the texts read back differently");
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io || error.kind() == ErrorKind::resource) throw;
    throw write_error(target, "the file cannot be read back");
  }
}

}  // namespace minimod::gather_file
