/// The making of a gather's file, or of one like it.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/files/output_file.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/hdf5/packed_chunks.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/gather/gather_datasets.hpp"

namespace minimod::gather_file {

/// The values of the dataset "axis".
inline constexpr std::array<const char*, 3> axis_names = {"x", "y", "z"};

/// How the dataset is compressed; nothing where it is not worth the time.
[[nodiscard]] std::optional<hdf5::PackedChunks> packing_of(const Dataset& data);

/// An HDF5 file in the making; every call is checked. Error 74.
class Writer {
 public:
  /// Starts anew the existing file `temporary`; errors name `target`.
  Writer(const std::filesystem::path& temporary, const std::filesystem::path& target);

  /// In packed chunks, or in one as it is.
  void write_dataset(const Dataset& data);
  /// Without values, which come later, in chunks of these extents as they are.
  [[nodiscard]] hdf5::Handle create_dataset(const Dataset& data, const std::vector<hsize_t>& chunk);
  /// The scale of the three coordinates: x, y, z.
  void write_axis_names();
  /// Ties the dimensions of `data` to the datasets of their axes, which are in the file.
  void attach_scales(const Dataset& data);
  /// Writes an attribute of the root; a text with its copy.
  void write_attribute(const std::string& name, const AttributeValue& value);
  /// Brings all to the file and closes it; its datasets must be closed. Nothing can be written any more.
  void close();

  /// Error 74 where a call of the library has failed.
  void check(hid_t result, const char* call) const;

 private:
  [[nodiscard]] hdf5::Handle make_dataset(const Dataset& data, const hdf5::Handle& creation);
  [[nodiscard]] hdf5::Handle creation_list() const;
  void write_values(hid_t object, const std::string& name, hid_t type, const void* values,
                    hsize_t count = 0) const;
  void write_number(hid_t object, const std::string& name, double value) const;
  void write_text(hid_t object, const std::string& name, const std::string& value) const;
  void write_copy(const std::string& name, const std::string& value) const;
  [[nodiscard]] hdf5::Handle text_type(std::size_t bytes) const;

  std::filesystem::path target_;
  hdf5::Handle file_, texts_;
  int failed_before_ = hdf5::failed_closes();
};

/// Makes a whole file of these datasets, and of the metadata as attributes of its root, beside its format:
/// under a temporary name, read back, then under its own. Errors: those of check_target, 74.
void write_whole(std::string_view format, const FileKind& may_replace, const std::vector<Dataset>& datasets,
                 const std::vector<std::pair<std::string, AttributeValue>>& metadata,
                 const std::filesystem::path& file, bool overwrite);

}  // namespace minimod::gather_file
