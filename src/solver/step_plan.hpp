/// The launches of a step, planned for a device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.hpp"
#include "boundary/decomposition.hpp"
#include "src/device/backend.hpp"
#include "src/solver/fields/fields.hpp"
#include "src/solver/kernel_set.hpp"
#include "src/solver/layer_corrections.hpp"

namespace minimod {

/// Problem that the steps of a run are made for.
struct StepProblem {
  Grid grid;
  BoundarySpec boundary;
  Decomposition decomposition = Decomposition::seven;
  bool between_nodes = false;    ///< receivers are interpolated
  bool several_sources = false;  ///< in a shot
  int room_for_ghosts = 0;       ///< a slab's most ghost planes beside the cuts of its domain
  Equation equation = Equation::wave;
  std::optional<Box3> within = {};  ///< points that are wanted, where others need not be computed
  bool has_drives = false;          ///< some steps leave u⁻ in place, for their drives

  [[nodiscard]] Regions regions() const { return boundary.regions(grid.n); }
  [[nodiscard]] std::vector<RegionLaunch> launches() const {
    return make_launches(grid, regions(), decomposition);
  }
  /// Rims of a slab: the ghosts and the planes that neighbours want, which may be exchanged when the launches
  /// over them are over: at most two. None where corrections follow the launches, which need all of them.
  [[nodiscard]] std::vector<Box3> rims() const;
  /// The same with so many ghost planes beyond each cut.
  [[nodiscard]] StepProblem with_ghosts(int planes) const;
};

/// Made once for a set of kernels: what is described, counted and launched follows from it.
class StepPlan {
 public:
  /// Takes no memory of the device. Error 71 where a shape has limits that the grid or the device is beyond.
  StepPlan(const Backend& backend, const StepProblem& problem, const KernelSet& kernels);

  [[nodiscard]] const KernelSet& kernels() const { return kernels_; }
  /// With the grid as the schedule has it lie in memory.
  [[nodiscard]] const StepProblem& problem() const { return problem_; }
  [[nodiscard]] const std::vector<RegionLaunch>& launches() const { return launches_; }
  /// Launches of a slab, the first ones, after which its edges may go to the neighbours; 0: after all else.
  [[nodiscard]] std::size_t launches_of_rims() const { return launches_of_rims_; }
  /// Resources of a GPU that the launch takes; nothing over an empty box.
  [[nodiscard]] LaunchFacts facts(std::size_t launch) const;
  /// Fields of every run, and what schedule and kernels want beside them.
  [[nodiscard]] FieldTable fields() const;
  /// Whether every launch adds a source to u⁺ and keeps u of receivers at nodes.
  [[nodiscard]] bool serves_shot() const;
  /// Whether all launches make the layer's corrections across x.
  [[nodiscard]] bool corrects_across_x() const;
  /// How often the launch `number` counts what it has done of its rim above.
  [[nodiscard]] int counts_of_rim(std::size_t number) const {
    return planned_[number].launch->counts_of_rim();
  }
  /// Bytes of the workspace of all launches, whose parts of it must be zero before they run.
  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_bytes_; }

  /// Gives launch `number` to the device. `args`: the fields, and where workspace and status begin.
  void launch(Backend& backend, std::size_t number, LaunchArgs args, int lane = 0) const;

 private:
  struct Planned {
    std::unique_ptr<PlannedLaunch> launch;  ///< null over an empty box
    std::size_t workspace = 0;              ///< first byte of the launch's workspace
    int blocks = 0;
  };
  [[nodiscard]] LaunchArgs args_of(std::size_t number, LaunchArgs args) const;
  void put_rims_first(const std::vector<Box3>& rims);

  StepProblem problem_;
  Regions regions_;
  KernelSet kernels_;
  std::vector<RegionLaunch> launches_;
  std::size_t launches_of_rims_ = 0;
  std::vector<Planned> planned_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace minimod
