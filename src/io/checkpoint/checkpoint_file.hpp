/// Files of a state, from which a run goes on: named arrays, and a head of what is no array.
///
/// A checkpoint is an HDF5 file of the format whose metadata are checksummed, with Fletcher32 over every
/// array (checkpoint_arrays.hpp). Two generations, BASE.0.h5 and BASE.1.h5, are written in turn, so that one
/// is whole at any time. In front of the HDF5 data a user block holds a line with the CRC-32 of all that
/// follows, and the head as JSON, whose "step" tells the newer one.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"
#include "src/io/checkpoint/checkpoint_arrays.hpp"

namespace minimod {

/// Names of the two generations.
using CheckpointNames = std::array<std::filesystem::path, 2>;
[[nodiscard]] CheckpointNames checkpoint_names(const std::filesystem::path& base);

/// Bytes of the files that are there under these names.
[[nodiscard]] std::uint64_t bytes_of_checkpoints(const std::filesystem::path& base);

/// Whether a head has a whole number of that name, from 0 on, that an int holds.
[[nodiscard]] bool is_count(const Json& head, const char* name);

struct Checkpoint {
  std::filesystem::path file;
  Json head;  ///< null: the file is not there, or counts for nothing
};

/// The two files of a base.
class CheckpointPair {
 public:
  /// Whether a head has all that its reader needs, each of its kind.
  using IsHead = bool (*)(const Json& head);

  /// Nothing is there until somebody looks.
  explicit CheckpointPair(const std::filesystem::path& base);

  /// Finds whole checkpoints. Returns which are damaged, a line each. Errors: 73 for another file, which is
  /// kept, or one of a later version; 77.
  [[nodiscard]] std::vector<std::string> look(IsHead is_head);
  [[nodiscard]] std::vector<Checkpoint>& both() { return checkpoints_; }
  [[nodiscard]] const std::vector<Checkpoint>& both() const { return checkpoints_; }
  /// Null where none counts.
  [[nodiscard]] Checkpoint* newest();
  [[nodiscard]] const Checkpoint* newest() const;
  /// Where the next one goes, in place of the older one, which goes first if there is no room for both.
  /// Error 73 where there is none.
  [[nodiscard]] Checkpoint& room_for(std::size_t bytes);

  void remove_uncounted();
  void remove();

 private:
  std::vector<Checkpoint> checkpoints_;
};

/// A checkpoint in the making. Errors: 73, 74, 77.
class NewCheckpoint {
 public:
  NewCheckpoint(Checkpoint& place, const Json& head);

  [[nodiscard]] CheckpointWriter& arrays() { return arrays_; }
  /// Puts it in its place.
  void publish();

 private:
  Checkpoint* place_;
  Json head_;
  TemporaryFile temporary_;
  CheckpointWriter arrays_;
};

}  // namespace minimod
