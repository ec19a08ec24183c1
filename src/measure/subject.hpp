/// Subject of a measurement, one interface for waves and specifications: kernels by their names on a problem
/// of a device. It compiles, verifies and times a kernel, and knows its work from the formulas.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/host/emulated_work.hpp"
#include "src/device/backend.hpp"
#include "src/measure/analytic_model.hpp"
#include "src/measure/measurement.hpp"
#include "src/measure/stencils/stencil_measurement.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

/// A part of a step of the kernel that was taken.
struct MeasuredPart {
  PartTimes times;
  PartModel model;
  std::vector<LaunchFacts> launches;  ///< on a GPU
};

class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  [[nodiscard]] virtual Backend& backend() const = 0;
  [[nodiscard]] virtual StreamRates stream_rates() const = 0;
  [[nodiscard]] virtual Extent3 grid() const = 0;
  [[nodiscard]] virtual Precision precision() const = 0;  ///< precision of its arithmetic
  /// Name of the result that its kernels are held against.
  [[nodiscard]] virtual const char* right() const = 0;
  /// The kernel's name among those of other subjects.
  [[nodiscard]] virtual std::string shown(const std::string& name) const = 0;
  /// Heading of a table of its kernels, empty for none.
  [[nodiscard]] virtual std::string heading() const { return ""; }
  /// The kernel's name in that table.
  [[nodiscard]] virtual std::string row_name(const std::string& name) const { return name; }
  /// By which a record knows the kernel, and what it says of it ahead of figures.
  [[nodiscard]] virtual Json identity(const std::string& name) const = 0;
  [[nodiscard]] virtual Json described(const std::string& name) const = 0;
  /// Error 71 where the problem does not fit the device's memory.
  virtual void check_memory() const = 0;

  /// Why there is no such kernel on the device, empty where there may be.
  [[nodiscard]] virtual std::string why_not_here(const std::string& name) const = 0;
  /// Facts of a kernel as compiled, nothing on the host; from several threads at once. Errors: 69 and 71, by
  /// which it is refused.
  [[nodiscard]] virtual std::optional<LaunchFacts> compile(const std::string& name) const = 0;

  /// Verdict on the kernel over a small awkward grid.
  [[nodiscard]] virtual Verdict verify(const std::string& name) = 0;

  /// Whether the host emulates the kernel's threads.
  [[nodiscard]] virtual bool emulates(const std::string& name) const = 0;
  /// Adds so many steps of a kernel that is emulated.
  virtual void add_emulated(EmulatedWork& work, const std::string& name, double steps) const = 0;

  /// Does all work that can be done before these kernels are measured.
  virtual void prepare(const std::vector<std::string>& names) = 0;
  /// Has the steps below be those of a kernel. Why not, empty where they are.
  [[nodiscard]] virtual std::string take(const std::string& name) = 0;
  /// For the next kernel, fields that the steps of others have changed.
  virtual void renew() {}
  virtual void step() = 0;
  [[nodiscard]] double seconds_of_steps(int steps) {
    return minimod::seconds_of_steps(backend(), steps, [this] { step(); });
  }
  /// Runs of `steps` steps behind `warm_up` others, by the slowest rank.
  [[nodiscard]] virtual TimedRuns timed_runs(int steps, int warm_up, const RunsWanted& wanted) = 0;
  /// Nothing where ranks tell each other nothing.
  [[nodiscard]] virtual std::optional<Transport> transport() const = 0;
  /// Adds what follows of such runs to the record of a bench, which has their seconds and points a second.
  virtual void add_figures(Json& record, const TimedRuns& runs, int steps, const StreamRates& stream) = 0;
  /// Parts of a step, timed over `launches` launches of each.
  [[nodiscard]] virtual std::vector<MeasuredPart> time_parts(int launches) = 0;
  /// Why the steps since it was taken are no measurement, empty where they are.
  [[nodiscard]] virtual std::string why_not_measured() = 0;
  /// When all kernels were measured: gives arrays back. Error 70 for fields that are not finite.
  virtual void end() = 0;

  /// The launches of a kernel's step, by the parts that they are of.
  [[nodiscard]] virtual LaunchOrder order_of(const std::string& name) const = 0;
};

/// A subject, and those of its kernels that are measured.
struct MeasuredGroup {
  std::unique_ptr<Subject> subject;
  std::vector<std::string> names;
};

/// The wave equation's code shapes on a homogeneous medium. `named`: the sets that names stand for; another
/// name is that of an inner shape beside the reference.
[[nodiscard]] std::unique_ptr<Subject> make_wave_subject(Problem setup, DeviceChoice choice,
                                                         const KernelOptions& options, BenchField field,
                                                         std::vector<NamedKernels> named = {});

/// Stencils and their kernels that are asked for.
struct MeasuredStencils {
  std::vector<stencil::Specification> specifications;
  std::shared_ptr<const StencilDevice> device;
  std::vector<stencil::KernelName> kernels;
  Extent3 n;

  explicit MeasuredStencils(const StencilMeasureOptions& asked);
  /// Checks the memory of the smallest: where one fits, others are left out when their turn comes. Error 71.
  void check_memory() const;
};

/// A specification's kernels; the device may be that of other specifications, too. Of a grid that is cut all
/// ranks make the same calls; take() and what times what it took, no others, know of the cut.
[[nodiscard]] std::unique_ptr<Subject> make_stencil_subject(stencil::Specification specification, Extent3 n,
                                                            std::shared_ptr<const StencilDevice> device,
                                                            DomainCut cut = {});

}  // namespace minimod
