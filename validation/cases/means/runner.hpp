/// Where the cases run: the ranks, the device and the kernels of the command line, chosen for each grid as
/// for any run.
#pragma once

#include <set>
#include <string>

#include "src/choice/device_choice.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "validation/cases/means/simulation.hpp"

namespace minimod {

/// A shot as a user runs it.
struct UserShot {
  const SurveyPlan plan;
  std::vector<std::vector<double>> traces;  ///< [receiver][sample]

  /// Times of the samples, s.
  [[nodiscard]] std::vector<double> times() const;
};

class Runner {
 public:
  /// Reads the options of a run in one line.
  using ReadShot = ShotOptions (*)(const std::string& line);

  /// Every domain is cut among the ranks that there are. Errors: 64 unknown kernels and contradictions, 69 a
  /// GPU that is not there.
  Runner(const KernelOptions& options, const RankOptions& rank_options, ReadShot read_shot);

  /// The domain at rest, in the precision, of the order and with the kernels of the options. Where the host
  /// will emulate `steps` steps of theirs for long, it says so. Errors: 69 where the device does not run the
  /// kernels or the schedule that were asked for, as others in their stead would prove nothing; 71 where they
  /// do not fit; 64 where the domain has too few planes for the ranks.
  [[nodiscard]] Simulation start(const Domain& domain, int steps);
  /// With that schedule, where the options name no kernels and no schedule, the device gains by one and the
  /// domain, or a slab of it, can have it.
  [[nodiscard]] Simulation start(const Domain& domain, int steps, const Schedule& schedule);
  /// With that shape instead, on the host also where it has to emulate the shape's threads.
  [[nodiscard]] Simulation start(const Domain& domain, int steps, const CodeShape& shape);

  /// Starts it with a point source of `samples` and runs `steps` steps: traces [receiver][step], the state of
  /// rest first.
  [[nodiscard]] std::vector<std::vector<double>> traces(const Domain& domain, Index3 source,
                                                        const std::vector<double>& samples,
                                                        const std::vector<Index3>& receivers, int steps);

  /// The same with positions between nodes, in nodes from node (0, 0, 0).
  [[nodiscard]] std::vector<std::vector<double>> traces_between(const Domain& domain, Point3 source,
                                                                const std::vector<double>& samples,
                                                                const std::vector<Point3>& receivers,
                                                                int steps);

  /// Plans and runs what a user writes behind `minimod`, on the device and with the kernels of the runner; no
  /// gather is written. Errors: as run_shot.
  [[nodiscard]] UserShot shot(const std::string& line);

  [[nodiscard]] const DeviceInfo& device() const { return device_; }
  [[nodiscard]] bool on_gpu() const { return device_.is_gpu(); }
  [[nodiscard]] const KernelOptions& options() const { return options_; }
  [[nodiscard]] bool names_kernel() const;

  /// The kernels that simulations have used since the last call, joined by ", "; empty for none.
  [[nodiscard]] std::string take_kernels_used();

  /// The domain with the precision and the order of the options.
  [[nodiscard]] Domain adapted(Domain domain) const {
    domain.radius = options_.radius();
    domain.precision = options_.precision;
    domain.equation = options_.equation;
    return domain;
  }

 private:
  [[nodiscard]] Simulation start_adapted(const Domain& domain, int steps, const KernelOptions& options);
  [[nodiscard]] Simulation start_adapted(const Domain& domain, const Problem& problem, int steps,
                                         const KernelSet& kernels, DeviceChoice choice);
  /// Cut among the ranks that there are.
  [[nodiscard]] Problem problem_of(const Domain& domain) const;
  void announce_emulated(const KernelSet& kernels, Extent3 n, int steps) const;
  /// On all ranks. Error 69 where others take the place of the kernels.
  [[nodiscard]] DeviceChoice choose(const KernelOptions& options, const StepProblem& problem,
                                    const ShotSize& shot = {}) const;

  Ranks& ranks_;
  KernelOptions options_;
  RankOptions rank_options_;
  ReadShot read_shot_;
  DeviceInfo device_;
  std::set<std::string> used_;
};

}  // namespace minimod
