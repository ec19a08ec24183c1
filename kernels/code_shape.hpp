/// A code shape as plain data: what the registry lists, and how its launches are planned.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/equation_names.hpp"
#include "kernels/launch_args.hpp"
#include "kernels/shape.hpp"
#include "kernels/stream.hpp"

namespace minimod {

/// The formula a launch applies.
enum class Formula {
  inner,
  pml,
  mixed,  ///< both, behind a conditional at every point
  outer,  ///< the same kernel, which passes the points of the inner box over
};

/// Whether its kernels have the PML's formula.
[[nodiscard]] constexpr bool formula_damps(Formula formula) {
  return formula != Formula::inner;
}

/// Resources of a GPU that a launch takes (Table III of the paper).
struct LaunchFacts {
  Extent3 blocks;                ///< blocks of the launch along each axis
  int threads = 0;               ///< threads of a block
  int registers = 0;             ///< registers of a thread
  std::size_t shared_bytes = 0;  ///< shared memory of a block
  std::size_t local_bytes = 0;   ///< stack of a thread, where registers spill
  int active_blocks = 0;         ///< blocks that a multiprocessor holds at once
  double occupancy = 0;          ///< share of the multiprocessor's warps that these are
  friend bool operator==(const LaunchFacts&, const LaunchFacts&) = default;
};

/// A launch of a shape over one box, planned once: tiles, blocks, workspace, what the present GPU says of it.
/// All that is told, counted and launched follows from it.
class PlannedLaunch {
 public:
  PlannedLaunch() = default;
  PlannedLaunch(const PlannedLaunch&) = delete;
  PlannedLaunch& operator=(const PlannedLaunch&) = delete;
  virtual ~PlannedLaunch() = default;

  /// On a GPU; nothing on the host.
  [[nodiscard]] virtual LaunchFacts facts() const { return {}; }
  /// Whether it adds the source to u⁺ and keeps u of receivers, where ShotArgs has some. (One of two steps
  /// adds the source to both in any case.)
  [[nodiscard]] virtual bool serves_shot() const { return false; }
  /// Bytes of BlockArgs::workspace that each launch needs, zeroed.
  [[nodiscard]] virtual std::size_t workspace_bytes() const { return 0; }
  /// How often its blocks add 1 to SlabArgs::rim_done, once for each of their parts of the rim; 0: they do
  /// not tell when it is done.
  [[nodiscard]] virtual int counts_of_rim() const { return 0; }
  /// Whether it corrects u⁺ by the layers that LayerArgs has.
  [[nodiscard]] virtual bool corrects_across_x() const { return false; }
  /// Launches. `args` are those of the plan, with the fields where they are now; `stream` is of its device.
  virtual void run(const LaunchArgs& args, Stream stream) = 0;
};

/// Plans a launch over args.box, which has points, of fields that lie as args says, with at most
/// args.most_blocks blocks that stay. Of fields, shot and workspace nothing is known yet, and LayerArgs says
/// where the layers lie. Error 71 when the shape or the device cannot launch that.
using LaunchPlanner = std::function<std::unique_ptr<PlannedLaunch>(const LaunchArgs& args)>;

/// A launch that the host makes by a function of its LaunchArgs: its own work, or what Kokkos takes
/// elsewhere.
template <class Work>
[[nodiscard]] std::unique_ptr<PlannedLaunch> host_launch(Work work) {
  struct HostLaunch final : PlannedLaunch {
    explicit HostLaunch(Work given) : work(std::move(given)) {}
    void run(const LaunchArgs& args, Stream /*stream*/) override { work(args); }
    Work work;
  };
  return std::make_unique<HostLaunch>(std::move(work));
}

/// The planner of such launches, whose function gets Args: WaveArgs or DomainArgs.
template <class Args, class Kernel>
[[nodiscard]] LaunchPlanner on_host(Kernel kernel) {
  return [kernel](const LaunchArgs& plan) {
    return host_launch([kernel, constants = typename Args::Constants(plan)](const LaunchArgs& args) {
      kernel(Args(args, constants));
    });
  };
}

/// Plans a launch and runs it, for one that is needed once.
inline void run_once(const LaunchPlanner& plan, const LaunchArgs& args, Stream stream = {}) {
  if (!args.box.empty()) plan(args)->run(args, stream);
}

/// Planners of a shape's launches, one a formula; null where it does not run.
struct LaunchPlanners {
  LaunchPlanner inner;
  LaunchPlanner pml;
  LaunchPlanner mixed;
  LaunchPlanner whole;        ///< both formulas twice, over the whole domain
  bool takes_chunks = false;  ///< `whole` has launches of fields in chunks, too
  LaunchPlanner whole_step;   ///< both formulas once, over the whole domain or a part of it along z
  [[nodiscard]] const LaunchPlanner& of(Formula formula) const {
    switch (formula) {
      case Formula::inner:
        return inner;
      case Formula::pml:
        return pml;
      case Formula::mixed:
      case Formula::outer:
        break;
    }
    return mixed;
  }
};

/// "9.0": generation of a GPU.
struct ComputeCapability {
  int major = 0, minor = 0;
  [[nodiscard]] std::string text() const { return std::to_string(major) + '.' + std::to_string(minor); }
  friend bool operator==(const ComputeCapability&, const ComputeCapability&) = default;
};

/// Fields and resources that a shape needs beyond those of every run.
struct ShapeNeeds {
  bool eta_field = false;        ///< the PML kernel reads FieldArgs::eta
  bool v16 = false;              ///< the inner kernel reads FieldArgs::v2dt2_codes instead of v2dt2
  std::size_t shared_bytes = 0;  ///< shared memory of a block
  std::optional<ComputeCapability> capability;  ///< least GPU that its device code is made for; nothing: any
};

struct CodeShape {
  std::string name;
  std::string family;
  std::string summary;                       ///< one line
  int radius = stencil_radius;               ///< radius of its stencil
  Precision precision = Precision::float32;  ///< precision of the fields that its launches take
  Equation equation = Equation::wave;        ///< equation that they step
  Extent3 tile;  ///< points a block works on; z = 0: the block streams along z; all 0: no tile
  bool is_default_tile = false;  ///< the bare family name stands for the first such
  int threads = 0;               ///< threads of a block
  ExtraWork extra_work;          ///< extra work of a point
  std::string sums = "star";     ///< shapes whose sums are called so give the same bits: those of `evaluate`
  ShapeNeeds needs;
  LaunchPlanners host;    ///< on all cores, or, when `emulated`, the device's threads as fibers
  LaunchPlanners device;  ///< null when the program was built without CUDA
  bool emulated = false;
  bool compiled = false;  ///< when it is planned first: it is not built in
};

}  // namespace minimod
