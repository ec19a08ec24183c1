/// How the launches of a step follow each other. A schedule is a file in src/solver/schedules/ and a line in
/// src/solver/schedules.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "boundary/decomposition.hpp"
#include "src/device/stopwatch.hpp"
#include "src/solver/fields/fields.hpp"
#include "src/solver/fields/workspace.hpp"
#include "src/solver/layer_corrections.hpp"
#include "src/solver/neighbours.hpp"
#include "src/solver/receivers.hpp"
#include "src/solver/source.hpp"
#include "src/solver/step_plan.hpp"

namespace minimod {

/// A part of a time step that takes a time of its own.
struct TimedPart {
  /// Name of the part: of a launch; "pml", "inner"; "layer"; "step" where all run beside each other; of a
  /// slab "halos", what it waits for the neighbours.
  std::string name;
  Formula formula = Formula::inner;
  std::int64_t points = 0;
  double seconds = 0;
};

/// The parts of a step to which the launches of one period belong, in order; a period is a step, or two steps
/// where two are one launch.
struct LaunchOrder {
  std::vector<std::string> parts;
  int steps = 1;
};

/// Parts that a step works on and with.
struct StepParts {
  Backend& backend;
  Fields& fields;
  LayerCorrections& corrections;
  const Sources& sources;
  const StepPlan& plan;
  Workspace& workspace;
  Receivers& receivers;
  Stopwatch& laps;                        ///< laps of the last step that was timed
  Neighbours* neighbours = nullptr;       ///< null: the whole domain, or kernels that are tried on a slab
  FieldRole earlier = FieldRole::before;  ///< role of u⁻, whose place u⁺ takes or not

  /// Arguments of every launch.
  [[nodiscard]] LaunchArgs args() const;
  /// Whether the launches add the source to u⁺.
  [[nodiscard]] bool serve_source() const { return plan.serves_shot() && sources.is_one(); }
  /// Arguments of every launch of step `number`, with what it serves of the shot.
  [[nodiscard]] LaunchArgs args_of_shot(int number) const;
  /// Behind the launches of the rims: makes u⁺ there, and sends it to the neighbours beside what follows.
  void send_rims(int number) const;
  /// Behind all launches: the sources in u⁺, but for those in rims that were sent and those served.
  void inject(int number) const;
  /// Ends a step whose launches have made u⁺ where u⁻ was: the boundary's corrections, a lap of them where
  /// there are some and the step is timed, the sources, the free surface; u⁺ becomes u.
  void finish_step(int number, bool timed) const;
};

/// Advances the fields; made by a schedule for a plan.
class Stepper {
 public:
  Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;
  virtual ~Stepper() = default;

  /// u at tₙ becomes u at tₙ₊₁, n = `number`. With `timed`, takes the laps that timed_parts reads.
  virtual void step(const StepParts& parts, int number, bool timed) = 0;
  /// Parts of the last step that was timed.
  [[nodiscard]] virtual std::vector<TimedPart> timed_parts(const StepParts& parts) const = 0;
  /// Role of u⁻ behind a step that has left it in place.
  [[nodiscard]] virtual FieldRole earlier() const { return FieldRole::next; }
  /// Role of the newest field of the last step, which may be ahead.
  [[nodiscard]] virtual FieldRole newest() const { return FieldRole::state; }
  /// When the planes of it that a neighbour above wants are there.
  [[nodiscard]] virtual Ready edge_above() const { return {}; }
  /// Whether the next step is computed already, of which step() only takes the fields.
  [[nodiscard]] virtual bool is_ahead() const { return false; }
  /// Says so of fields that have been put back, or drops the step.
  virtual void set_ahead(bool /*ahead*/) {}
  /// Forgets the launches' arguments, which have changed.
  virtual void forget() {}
};

class Schedule {
 public:
  Schedule() = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  virtual ~Schedule() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string summary() const = 0;
  /// Need of the schedule that a run does not meet; empty where there is none.
  [[nodiscard]] virtual std::string why_not(const StepProblem& /*problem*/) const { return ""; }
  /// Whether a problem has what it needs, room for its ghosts included.
  [[nodiscard]] bool takes(const StepProblem& problem) const {
    return why_not(problem).empty() && has_room(problem);
  }
  /// Whether the cuts of a slab's domain leave room for its ghosts.
  [[nodiscard]] bool has_room(const StepProblem& problem) const {
    return !problem.boundary.is_cut() || ghosts() <= problem.room_for_ghosts;
  }
  /// Error 70 when it cannot have the problem, which the options are checked for.
  void check(const StepProblem& problem) const;
  /// Why a kernel does not do, of the inner box or of the PML; empty where it does.
  [[nodiscard]] virtual std::string why_not(const LaunchPlanners& /*kernel*/) const { return ""; }
  /// Whether such an inner kernel is made for it.
  [[nodiscard]] virtual bool is_made_for(const LaunchPlanners& /*inner*/) const { return false; }
  /// Whether it begins the step of a slab with the launches of its rims.
  [[nodiscard]] virtual bool computes_rims_first() const { return false; }
  /// Steps that an exchange with the neighbours of a slab serves. The first of them computes all, and its
  /// stepper is ahead until the last.
  [[nodiscard]] virtual int steps_of_exchange() const { return 1; }
  /// Planes beyond each cut that a slab computes as its neighbour does: what the steps between two exchanges
  /// reach beyond the first one's halo.
  [[nodiscard]] int ghosts() const { return (steps_of_exchange() - 1) * stencil_radius; }
  /// Whether the launches of a step run beside each other.
  [[nodiscard]] virtual bool launches_at_once() const { return false; }
  /// Whether the host, where one launch has all cores, gains nothing by it.
  [[nodiscard]] virtual bool is_for_gpus() const { return true; }

  /// Launches that a step is cut into: those of the decomposition, unless it makes others of the whole
  /// domain.
  [[nodiscard]] virtual std::vector<RegionLaunch> launches(const StepProblem& problem) const {
    return problem.launches();
  }
  /// The problem with its grid lying in memory as the launches want it: as it is, the inner box on a line.
  [[nodiscard]] virtual StepProblem laid_out(const StepProblem& problem) const {
    StepProblem ours = problem;
    const Grid& grid = problem.grid;
    ours.grid.layout = make_grid(grid.n, grid.spacing, problem.boundary, grid.radius).layout;
    return ours;
  }
  /// Whether fields may lie in chunks by the sides of an L2 for it (kernels/layouts/chunks.hpp), where its
  /// kernels and the device have them so.
  [[nodiscard]] virtual bool gains_by_sides() const { return false; }
  /// The arrays of every run of a problem, as they lie under it in rows.
  [[nodiscard]] FieldTable fields(const StepProblem& problem) const;
  /// Roles of those that it wants beside them.
  [[nodiscard]] virtual std::vector<FieldRole> more_fields() const { return {}; }
  /// Name of a shape's order of sums in it: shapes with the same give the same bits.
  [[nodiscard]] virtual std::string sums(const CodeShape& shape) const { return shape.sums; }
  /// Multiprocessors for a launch whose blocks stay, of `all`; 0: as many as fit. `share`: its part of the
  /// points of the launches with its formula.
  [[nodiscard]] virtual int blocks_of(Formula /*formula*/, double /*share*/, int /*all*/) const { return 0; }
  /// The planner, of a shape's, for a region's launch by that formula.
  [[nodiscard]] virtual const LaunchPlanner& planner_of(const LaunchPlanners& shape, Formula formula) const {
    return shape.of(formula);
  }
  /// Bytes that a point of the inner box moves at least, a step; `value`: bytes of one, `velocity`: of V².
  [[nodiscard]] virtual double inner_bytes(double value, double velocity) const {
    return 3 * value + velocity;
  }
  /// Bytes that a point of the PML moves: φ is read and written, too.
  [[nodiscard]] virtual double pml_bytes(double value) const { return 6 * value; }

  /// The part of a step ("inner", "top", …) that the timings show a launch under.
  [[nodiscard]] virtual std::string part_of(const RegionLaunch& launch) const { return launch.name; }
  /// The order in which it launches `launches`; empty boxes have none.
  [[nodiscard]] virtual LaunchOrder order_of(const std::vector<RegionLaunch>& launches) const;

  [[nodiscard]] virtual std::unique_ptr<Stepper> make_stepper() const = 0;
};

}  // namespace minimod
