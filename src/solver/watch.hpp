/// Sees to it that a run does not go on with a wavefield that is lost.
#pragma once

#include <string>
#include <utility>

#include "src/device/field_kernels.hpp"
#include "src/solver/propagator.hpp"

namespace minimod {

/// Looks for the greatest |u| every so many steps. The device does so behind the steps that it has been
/// given; the host takes what was found when it is there, and waits at the next look only.
class Watch {
 public:
  static constexpr int steps_between_looks = 100;
  /// The greatest |u| after the source's end, over the greatest of the looks up to the first one behind it.
  static constexpr float most_growth = 100;

  /// The source adds nothing of note from step `source_end` on. `remedy`: what a run that grows may do.
  /// `scale`: what |u| is over the field's, in words of it.
  Watch(Backend& backend, int source_end, std::string remedy, double scale = 1)
      : backend_(backend), source_end_(source_end), remedy_(std::move(remedy)), scale_(scale) {
    static_cast<void>(backend.field_kernels().take_peak(true));  // forgets the peak of a failed run
  }

  /// After each step. Error 65 for what looks have found by now: u that is not finite, which names the shape,
  /// its launch and block where threads with shared memory are emulated, or has grown by more than
  /// `most_growth`.
  void after_step(const Propagator& propagator);
  /// After the last step: looks once more, and waits for what is found. Error 65.
  void after_last_step(const Propagator& propagator);

  /// State that the watch will go by.
  struct State {
    float reference = 0;      ///< the greatest |u| that growth is counted from
    bool is_settled = false;  ///< a look behind the source's end has been taken into it
  };
  /// Waits for what the last look finds. Error 65 for that.
  [[nodiscard]] State state(const Propagator& propagator) {
    judge(propagator, true);
    return state_;
  }
  void resume(const State& state) { state_ = state; }

 private:
  void look(const Propagator& propagator);
  void judge(const Propagator& propagator, bool wait);

  Backend& backend_;
  int source_end_;
  std::string remedy_;
  double scale_;
  int step_ = 0;  ///< step of the last look
  State state_;
};

}  // namespace minimod
