/// The transpose of a shot on disk, so that a gradient that takes hours goes on where it was interrupted.
///
/// A checkpoint (checkpoint_file.hpp) has the transposed fields, the sums and the misfit of the traces. The
/// shot itself is not in it: its first steps, those that the transpose has not come to, are computed once
/// more, with the same bits. Of a domain that is cut all ranks make the same calls, and the first one has
/// the files, which any number of ranks goes on from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/base/timer.hpp"
#include "src/device/backend.hpp"
#include "src/io/checkpoint/checkpoint_file.hpp"
#include "src/job/gradient/misfit.hpp"
#include "src/ranks/ranks.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

class GradientCheckpoints {
 public:
  /// Looks what is there of a gradient whose bits depend on `identity` alone; what is of others, or damaged,
  /// counts for nothing and will be replaced. `every`: s between two of them, 0: at a signal alone. Errors:
  /// 73 for another file, which is kept; 77.
  GradientCheckpoints(const std::filesystem::path& base, std::string identity, double every,
                      Ranks& ranks = Ranks::world());

  /// Steps of the transpose that the newest has behind it; 0 where there is none.
  [[nodiscard]] int steps_done() const { return steps_done_; }
  /// The misfit of the newest, of so many samples of all traces, on the first rank. Error 65.
  [[nodiscard]] Misfit misfit(std::size_t samples) const;
  /// Puts fields and sums of the newest back. Error 65.
  void restore(Propagator& adjoint, const std::vector<FieldPart>& sums, Backend& backend) const;

  /// Whether so many seconds have gone since the last one, or since the transpose began.
  [[nodiscard]] bool is_due() const;
  void begin_to_count() { since_last_ = Timer(); }
  /// Replaces the older one by the state between two steps. Errors: 73, 74, 77.
  void save(const Propagator& adjoint, const std::vector<FieldPart>& sums, Backend& backend,
            const Misfit& misfit);
  /// Saves a checkpoint, or notes why it cannot be written: a gradient does not end by that.
  void save_or_tell(const Propagator& adjoint, const std::vector<FieldPart>& sums, Backend& backend,
                    const Misfit& misfit);
  /// When the shot's part is there.
  void remove();

 private:
  void look();

  CheckpointPair files_;
  std::string identity_;
  double every_;
  Ranks& ranks_;
  int steps_done_ = 0;
  Timer since_last_;
};

}  // namespace minimod
