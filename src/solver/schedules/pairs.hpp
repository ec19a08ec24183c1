/// What schedules that compute two steps at once have in common.
#pragma once

#include "src/solver/schedule.hpp"

namespace minimod {

/// Every second step only goes on to what the first has computed.
class PairStepper : public Stepper {
 public:
  void step(const StepParts& parts, int number, bool /*timed*/) override {
    Fields& fields = parts.fields;
    DeviceArray<float>&first = fields.ahead[0], &second = fields.ahead[1];
    if (!is_ahead_) {
      compute(parts, number, first.data(), second.data());
      std::swap(fields.u_before, first);
    }
    std::swap(fields.u, fields.u_before);
    if (is_ahead_) std::swap(fields.u, second);
    is_ahead_ = !is_ahead_;
  }
  [[nodiscard]] float* newest(const Fields& fields) const override {
    return is_ahead_ ? fields.ahead[1].data() : fields.u.data();
  }
  [[nodiscard]] bool is_ahead() const override { return is_ahead_; }
  void set_ahead(bool ahead) override { is_ahead_ = ahead; }
  [[nodiscard]] std::vector<FieldPart> state_ahead(const Fields& fields) const override {
    return {{"u_ahead", fields.ahead[1].data(), fields.ahead[1].size() * sizeof(float)}};
  }

 protected:
  /// u at the two steps after step `number`, into `first` and `second`.
  virtual void compute(const StepParts& parts, int number, float* first, float* second) = 0;

 private:
  bool is_ahead_ = false;  ///< the second step waits for its turn
};

class PairSchedule : public Schedule {
 public:
  /// `does_more`: whether its launch does between its steps what a source between nodes and a free surface
  /// ask.
  explicit PairSchedule(bool does_more) : does_more_(does_more) {}
  using Schedule::why_not;
  [[nodiscard]] std::string why_not(const StepProblem& problem) const override {
    const bool is_part_of_launches =
        problem.boundary.kind == BoundaryKind::pml &&
        (does_more_ || (!problem.boundary.free_surface && !problem.between_nodes));
    if (problem.decomposition == Decomposition::seven && is_part_of_launches && !problem.several_sources)
      return "";
    return does_more_ ? "needs seven, pml and one source"
                      : "needs seven, pml, no free surface, nearest and one source";
  }
  [[nodiscard]] int steps_of_exchange() const override { return 2; }
  [[nodiscard]] int fields_ahead() const override { return 2; }
  /// u, u⁻ and V² read, u⁺ and u⁺⁺ written.
  [[nodiscard]] double inner_bytes(double velocity) const override {
    return (4 * sizeof(float) + velocity) / 2;
  }

 private:
  bool does_more_;
};

}  // namespace minimod
