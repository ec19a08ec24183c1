#include "src/roofline/profiled_run.hpp"

#include <cstdio>
#include <filesystem>

#include "src/base/error.hpp"
#include "src/device/profiling.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

/// The options that make this program run the same sets of kernels; the names of several stand for sets that
/// follow from the options.
std::vector<std::string> kernel_options(const KernelOptions& options, Batch batch) {
  if (batch.size() == 1) {
    const KernelSet& kernels = batch[0].kernels;
    return {"--kernel",        kernels.inner->name, "--pml-kernel",
            kernels.pml->name, "--schedule",        kernels.schedule->name()};
  }
  std::string names;
  for (const NamedKernels& set : batch) names += (names.empty() ? "" : ",") + set.name;
  std::vector<std::string> all{"--kernel", names};
  if (!options.pml_kernel.empty()) all.insert(all.end(), {"--pml-kernel", options.pml_kernel});
  if (options.schedule != nullptr) all.insert(all.end(), {"--schedule", options.schedule->name()});
  return all;
}

}  // namespace

bool goes_to_gpu(const DeviceOption& device) {
  return device.kind != DeviceOption::Kind::cpu && find_cuda_devices().count > 0;
}

std::vector<std::string> profiled_command(const Setup& setup, const MeasureOptions& options, Batch batch,
                                          StepRange range) {
  const DeviceOption& device = options.kernels.device;
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe").string(),
                                   "roofline",
                                   "--device",
                                   goes_to_gpu(device) ? text("cuda:", device.index) : "cpu",
                                   "--decomposition",
                                   decomposition_name(setup.decomposition),
                                   "--grid",
                                   text(setup.n.x, ',', setup.n.y, ',', setup.n.z),
                                   "--pml-width",
                                   text(setup.pml_width),
                                   "--spacing",
                                   text(setup.spacing.x, ',', setup.spacing.y, ',', setup.spacing.z),
                                   "--field",
                                   field_name(options.field)};
  const std::vector<std::string> kernels = kernel_options(options.kernels, batch);
  command.insert(command.end(), kernels.begin(), kernels.end());
  command.insert(command.end(), {"--profile-range", text(range.begin, ':', range.end)});
  return command;
}

void renew_noise(Propagator& propagator, BenchField field) {
  if (field == BenchField::random) propagator.set_random_field(1);
}

void run_for_profiler(const RooflineOptions& options, const Setup& setup, const DeviceChoice& choice,
                      Batch kernels) {
  const MeasureOptions& asked = options.measure;
  const StepRange range = *options.profile_range;
  const DomainPart whole = make_measured_part(setup, choice);
  Propagator& propagator = *whole.propagator;
  set_field(propagator, asked.kernels, setup, choice, asked.field);
  for (const NamedKernels& set : kernels) {
    if (const std::string why = why_not_taken(propagator, set.kernels); !why.empty()) {
      std::printf("%s: left out: %s\n", set.name.c_str(), why.c_str());
      continue;
    }
    renew_noise(propagator, asked.field);
    ProfiledSteps profiled(*choice.backend, range);
    for (int step = 0; step < range.end; ++step) {
      profiled.before(step);
      propagator.step();
    }
    profiled.before(range.end);
    std::printf("%s: profiler on for steps %d to %d\n", set.name.c_str(), range.begin, range.end - 1);
  }
}

}  // namespace minimod
