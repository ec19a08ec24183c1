/// The state of a shot on disk, so that it goes on where it was interrupted.
///
/// A shot's checkpoints (checkpoint_file.hpp) have `traces` [receiver, sample] so far, and the fields that
/// the future depends on, of one dimension each, in the precision of the run. Their heads have the step, what
/// the watch has seen, and which shot it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/base/json.hpp"
#include "src/device/backend.hpp"
#include "src/io/checkpoint/checkpoint_file.hpp"
#include "src/io/gather/trace_buffer.hpp"
#include "src/job/shot/configuration.hpp"
#include "src/solver/fields/checkpoint.hpp"
#include "src/solver/propagator.hpp"
#include "src/solver/watch.hpp"

namespace minimod {

/// The array of a checkpoint that a part of a field is.
inline NamedArray array_of(const FieldPart& part) {
  return {part.name, part.size};
}

/// Where a domain is cut the first rank has the files, of the whole domain, and all ranks restore and save.
class ShotCheckpoints {
 public:
  /// Looks what is there; damaged checkpoints count for nothing. Other ranks than the first see nothing.
  /// Errors: 73 for another file, which is kept; 77.
  explicit ShotCheckpoints(const std::filesystem::path& base);

  /// Differences of whole checkpoints of another configuration, with their name; empty where there are none.
  [[nodiscard]] std::string other_shot(const Configuration& here) const;
  /// Error 73 for those; with `force` they count for nothing and will be replaced, as will those whose fields
  /// turn out to lie otherwise (restore).
  void check(const Configuration& here, bool force);
  /// Whether the file is of the shot that they are of, and of this configuration, left by a call that was
  /// killed before it could remove its checkpoints: then it may be replaced, by its like.
  [[nodiscard]] bool belong_to(const std::filesystem::path& output, const Configuration& here) const;
  /// Where the newest goes on; nothing where there is none, or one without a state (save_identity).
  [[nodiscard]] std::optional<int> step() const;
  /// The date of the shot's first start, where one is there.
  [[nodiscard]] std::optional<std::string> date() const;
  /// Notes of what is damaged or does not count, a line each, for the user.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Takes what goes into the next ones. Removes what counts for nothing. The date of the shot's first start:
  /// that of what is left of it, or `date`.
  const std::string& begin(Configuration configuration, const std::string& date);
  /// Puts the newest that can be read back; false where none can: then the fields are lost and the traces as
  /// they were. Error 73 for one of a schedule or decomposition whose fields lie otherwise.
  [[nodiscard]] bool restore(Propagator& propagator, TraceBuffer& traces, Watch& watch);
  /// Replaces the older one. Errors: 73, 74, 77, and 65 from the watch.
  void save(const Propagator& propagator, const TraceBuffer& traces, Watch& watch);
  /// One without a state, which says whose the files are that are about to get their names, should the call
  /// be killed in between. Of the first rank. Errors: 73, 74, 77.
  void save_identity();
  /// Whether a file is of the shot that was begun.
  [[nodiscard]] bool are_of(const std::filesystem::path& output) const;
  /// When the shot's files are there.
  void remove();

 private:
  [[nodiscard]] Json head_of_step(int step, std::size_t samples, const Watch::State& watched) const;

  CheckpointPair files_;
  std::vector<std::string> notes_;
  bool may_start_anew_ = false;
  Configuration configuration_;
  std::string date_;
};

}  // namespace minimod
