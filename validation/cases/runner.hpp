/// Where the cases run: the device and the kernels of the command line, chosen for each grid as for any run.
#pragma once

#include <set>
#include <string>

#include "src/device_choice.hpp"
#include "validation/cases/domain.hpp"

namespace minimod {

/// A domain on its device. (The propagator uses the backend to its end.)
struct Simulation {
  std::unique_ptr<Backend> backend;
  Propagator propagator;
};

class Runner {
 public:
  /// Errors: 64 unknown kernels and contradictions, 69 a GPU that is not there.
  explicit Runner(const Options& options);

  /// The domain at rest, with the kernels of the options or with the set given. Error 69 where the device
  /// does not run the kernels or the schedule that were asked for: another in their stead would prove
  /// nothing.
  [[nodiscard]] Simulation start(const Domain& domain);
  [[nodiscard]] Simulation start(const Domain& domain, const KernelSet& kernels);

  /// Starts it with a point source of `samples` and runs `steps` steps: traces [receiver][step], the state of
  /// rest first.
  [[nodiscard]] std::vector<std::vector<double>> traces(const Domain& domain, Index3 source,
                                                        const std::vector<double>& samples,
                                                        const std::vector<Index3>& receivers, int steps);

  [[nodiscard]] const DeviceInfo& device() const { return device_; }
  [[nodiscard]] bool on_gpu() const { return device_.kind == "cuda"; }
  [[nodiscard]] const Options& options() const { return options_; }

  /// The kernels that simulations have used since the last call, joined by ", "; empty for none.
  [[nodiscard]] std::string take_kernels_used();

 private:
  [[nodiscard]] DeviceChoice choose(const Domain& domain, const Options& options) const;
  [[nodiscard]] Simulation start(const Domain& domain, const KernelSet& kernels,
                                 std::unique_ptr<Backend> backend);

  Options options_;
  DeviceInfo device_;
  std::set<std::string> used_;
};

}  // namespace minimod
