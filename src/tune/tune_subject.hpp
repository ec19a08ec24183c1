/// What a search is of: a problem on a device, and the tiles of a family, by their names, that can solve it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/played_work.hpp"
#include "src/device/backend.hpp"
#include "src/tune/tune.hpp"
#include "src/tune/tune_record.hpp"

namespace minimod {

inline constexpr Extent3 tuned_grid_of_gpu{512, 512, 256};  ///< that of Tang et al. 2013
inline constexpr Extent3 tuned_grid_of_host{64, 64, 64};    ///< which plays threads

class TuneSubject {
 public:
  TuneSubject() = default;
  TuneSubject(const TuneSubject&) = delete;
  TuneSubject& operator=(const TuneSubject&) = delete;
  virtual ~TuneSubject() = default;

  [[nodiscard]] virtual const TuneProblem& problem() const = 0;
  [[nodiscard]] virtual const DeviceInfo& device() const = 0;
  [[nodiscard]] virtual StreamRates stream_rates() const = 0;
  /// The names of the family's tiles that a search may try: those to compare the fastest with, which are
  /// built in, and the space. Error 64 where there is none.
  [[nodiscard]] virtual std::vector<TuneCandidate> candidates() const = 0;
  /// How the tiles are named.
  [[nodiscard]] virtual std::string naming() const = 0;
  /// Error 71 where the problem does not fit the device's memory.
  virtual void check_memory() const = 0;

  /// Why there is no such kernel on the device, empty where there may be.
  [[nodiscard]] virtual std::string why_not_here(const std::string& name) const = 0;
  /// What the compiler makes of a kernel, nothing on the host; from several threads at once. Errors: 69 and
  /// 71, by which it is refused.
  [[nodiscard]] virtual std::optional<LaunchFacts> compile(const std::string& name) const = 0;

  struct Verdict {
    double error = 0;     ///< relative L2
    std::string why_not;  ///< what it was refused for, empty when it ran
    bool is_right = false;
  };
  /// Of a small awkward grid.
  [[nodiscard]] virtual Verdict verify(const std::string& name) = 0;

  /// Adds so many steps of a kernel where the host plays its threads.
  virtual void add_played(PlayedWork& work, const std::string& name, double steps) const = 0;

  /// Has the steps below be those of a kernel. Why not, empty where they are.
  [[nodiscard]] virtual std::string take(const std::string& name) = 0;
  [[nodiscard]] virtual double seconds_of_steps(int steps) = 0;
  /// Why the steps since it was taken are no measurement, empty where they are.
  [[nodiscard]] virtual std::string why_not_measured() = 0;

  /// The fastest of a search that has ended.
  virtual void keep_winner(const TuneCandidate& best, double gpt_per_s) const = 0;
};

/// The kernels of the inner box, of fields without a layer. Errors: 64 no such family, one without tiles; 69.
[[nodiscard]] std::unique_ptr<TuneSubject> make_wave_subject(const TuneOptions& options);
/// The kernels of a specification. Errors: 64 no such family, 66 no such stencil, 69.
[[nodiscard]] std::unique_ptr<TuneSubject> make_stencil_subject(const TuneOptions& options);

}  // namespace minimod
