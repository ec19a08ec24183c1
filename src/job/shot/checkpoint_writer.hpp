/// What a checkpoint has of arrays, as it is written.
#pragma once

#include <array>
#include <filesystem>
#include <optional>

#include "src/base/hdf5/hdf5.hpp"
#include "src/job/shot/checkpoint_file.hpp"
#include "src/solver/fields/checkpoint.hpp"

namespace minimod {

/// A checkpoint in the making; every call is checked. Error 74.
class CheckpointWriter {
 public:
  /// Leaves `head_bytes` free in front of the arrays. Errors name `target`.
  CheckpointWriter(const std::filesystem::path& temporary, const std::filesystem::path& target,
                   std::size_t head_bytes);

  /// The filled samples of each receiver.
  void write_traces(const TraceBuffer& traces);
  /// The values from `first` on; the first piece of a part comes first.
  void write_piece(const FieldPart& part, hsize_t first, const Reals& values);
  void close();

 private:
  void check(hid_t result, const char* call) const;

  template <std::size_t rank>
  [[nodiscard]] hdf5::Handle make_dataset(const char* name, Precision precision,
                                          const std::array<hsize_t, rank>& dims,
                                          const std::array<hsize_t, rank>& chunk) const;

  std::filesystem::path target_;
  hdf5::Handle file_;
  std::optional<hdf5::Handle> dataset_;  ///< of the present part
  int failed_before_ = hdf5::failed_closes();
};

}  // namespace minimod
