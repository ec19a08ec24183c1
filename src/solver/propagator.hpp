/// The wavefield and its time step.
#pragma once

#include "src/solver/neighbours.hpp"
#include "src/solver/receivers.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

/// Composes the fields of a domain, or of a slab of one, with the plan of a step and the schedule that runs
/// it, the source and the receivers. Knows no files and no options. Of a slab, nodes, boxes and planes count
/// z from the first one that is no ghost, and what is found is that of its own points.
class Propagator {
 public:
  /// Fields at rest. `neighbours`: of a slab whose halos they fill; all slabs make the same calls then. Error
  /// 71 when the device's memory does not hold them, or a kernel does not take the grid.
  Propagator(Backend& backend, const StepProblem& problem, const Boundary& boundary, const KernelSet& kernels,
             Neighbours* neighbours = nullptr);

  /// Goes on with other kernels and another schedule; steps on where a step is computed ahead. Error 71 when
  /// they need more memory than there is or do not take the grid: then the present ones stay, unless the
  /// fields are lost (Fields::change_to) and the simulation has ended. Where the fields lie otherwise for
  /// them, receivers must be set anew, and those of a slab with neighbours, who know where they lie, are
  /// refused.
  void set_kernels(const KernelSet& kernels);
  /// Whether the fields lie as these kernels have them, with the ghosts that there are. Error 71 when they do
  /// not take the grid.
  [[nodiscard]] bool lies_for(const KernelSet& kernels) const;
  [[nodiscard]] const StepPlan& plan() const { return *plan_; }

  /// As Fields has it; of a slab's ghosts, too.
  void set_columns(const MediumColumns& columns) { fields_.set_columns(columns); }
  void set_velocity(double dt, const std::function<void(int z, float* plane)>& fill,
                    const std::function<bool(int z)>& repeats = {});
  void set_velocity(double dt, const PlacedNodes& model);
  /// Code of the 16-bit (V Δt)² where the inner kernel reads that, which it does with an error.
  [[nodiscard]] std::optional<VelocityCode> velocity_code() const { return fields_.velocity_code(); }
  /// Gives the inner box the medium in which a kernel that reads codes computes, for another kernel to be
  /// compared with it. After set_velocity and the sources.
  void round_velocity_to_codes() { fields_.round_velocity_to_codes(problem_.regions().inner); }

  /// As Sources and Receivers have it, the sources all, the receivers those of this slab; after set_velocity.
  /// Takes the place of what was set before.
  void set_source(Index3 node, const std::vector<double>& samples);
  void set_source_between(const NodeWeights& place, const std::vector<double>& samples);
  void set_sources(const std::vector<FedSource>& given);
  void set_sources(FedSources sources);
  void set_receivers(std::vector<Index3> nodes, int batch);
  void set_receivers_between(NodePlaces places, int batch);

  /// Puts u and the layer to rest, and empties the batch. A step that was computed ahead is dropped, not
  /// counted.
  void set_at_rest();
  /// From rest, puts the same random values in [-1, 1) into u at this and the previous step.
  void set_random_field(std::uint32_t seed);

  /// Has the next step leave u⁻ in place, for its drive. Error 70 where the problem has no drives.
  void keep_earlier();
  /// Fields of such a step behind it.
  [[nodiscard]] StepFields step_fields() const;
  struct BoxOfDrive {
    DriveField drive;
    Box3 box;
  };
  /// Makes the parts of its drive in boxes that have no point in common (boundary/adjoint/drive.hpp).
  void make_drives(const std::vector<BoxOfDrive>& drives) const;
  /// Makes it over all points, a slab's ghosts, too.
  void make_drive(const DriveField& drive) const { make_drives({{drive, all_points()}}); }
  /// Behind a step, adds to u what a change of (V Δt)² scatters of the drive: `ratios` of it, in the drive's
  /// layout.
  void scatter(const DriveField& drive, RealsAt ratios) const;
  /// Behind a step of the transpose, whose field is p, adds p times that step's drive, which boxes make up,
  /// to the sum, x fastest over all points.
  void correlate(const std::vector<DriveWithin>& drives, double* sum) const;
  /// Adds p times the drive and the squares of both to such sums, in one sweep.
  void illuminate(const std::vector<DriveWithin>& drives, double* sum, RealsAt of_drive, RealsAt of_p) const;
  [[nodiscard]] Box3 all_points() const;

  /// u at tₙ becomes u at tₙ₊₁. With `timed`, takes the laps that timed_parts reads.
  void step(bool timed = false);
  [[nodiscard]] int steps_done() const { return steps_done_; }
  /// Parts of the last step that was timed.
  [[nodiscard]] std::vector<TimedPart> timed_parts();
  /// Error 71 that names the shape when a launch has given up since the last call; the field is lost then.
  /// All that reads the field calls it.
  void check_status() const { workspace_.check(plan_->kernels().inner->name); }

  /// Keeps u at the receivers as the next sample of the batch.
  void record();
  /// The batch's samples, [sample][receiver], until the next call, and empties it. Waits for the device.
  [[nodiscard]] const Reals& fetch_batch();
  /// Extremes of u at the present time over all points of the domain.
  [[nodiscard]] Extremes extremes() const;
  [[nodiscard]] Neighbours* neighbours() const { return neighbours_; }
  /// u at the present time over the points of `box`, x fastest.
  [[nodiscard]] std::vector<double> wavefield(Box3 box) const;
  [[nodiscard]] const Fields& fields() const { return fields_; }
  /// Adds to u at the present time at a node; where no step is computed ahead.
  void add(Index3 node, double value);

  /// Parts that the future depends on, where the next step is computed already or not
  /// (src/solver/fields/checkpoint.hpp).
  [[nodiscard]] std::vector<FieldPart> state(bool ahead) const { return fields_.state(ahead); }
  [[nodiscard]] bool is_ahead() const { return stepper_->is_ahead(); }
  /// Whether launches compute two steps.
  [[nodiscard]] bool may_be_ahead() const { return plan_->kernels().schedule->steps_of_exchange() > 1; }
  /// Turns time round: the steps that follow, up to `resume`, go from the last one done to the first. Within
  /// `box`, where they must be the inner formula and sources alone, u takes the values that it had, if they
  /// are put back where the stencil reads others; corrections of layers and launches that have no point of
  /// the box are left out. Of a whole domain, by a schedule that computes no step ahead. Error 71 as
  /// set_kernels.
  void turn_round(const Box3& box);
  /// Goes on from a state that has been put back.
  void resume(int steps_done, bool ahead);

 private:
  [[nodiscard]] StepParts parts() {
    return {backend_, fields_, corrections_, sources_, *plan_, workspace_, receivers_, laps_, neighbours_};
  }
  void for_all_points(const PointWork& work) const;
  /// Brings the edges of u, which has been changed, to the neighbours.
  void share_edges() const;
  void take_halos(bool timed);
  /// Records what waits for the launches of the next step.
  void record_what_waits();
  /// Has steps compute what is in a box, at least; nothing: all points. Errors: those of set_kernels.
  void compute_within(const std::optional<Box3>& box);
  /// Behind a move of theirs.
  void follow_fields();
  /// Planes above the first of its own.
  [[nodiscard]] int ghosts_above() const { return problem_.grid.ghosts_above; }

  Backend& backend_;
  Neighbours* neighbours_;
  StepProblem problem_;
  std::unique_ptr<StepPlan> plan_;
  Workspace workspace_;
  Fields fields_;
  LayerCorrections corrections_;
  std::unique_ptr<Stepper> stepper_;
  FedSources fed_;  ///< sources as they are fed
  Sources sources_;
  Receivers receivers_;
  Stopwatch laps_{backend_}, halo_laps_{backend_};  ///< times of steps, and of their waits for neighbours
  int steps_done_ = 0;
  bool keeps_earlier_ = false;  ///< in the next step
};

}  // namespace minimod
