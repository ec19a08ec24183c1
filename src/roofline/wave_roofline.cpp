#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "kernels/registry.hpp"
#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"
#include "src/device/profiling.hpp"
#include "src/measure/measurement.hpp"
#include "src/roofline/profilers.hpp"
#include "src/roofline/roofline_subject.hpp"

namespace minimod {

namespace {

constexpr int paper_edge = 1000;  ///< of the grid on a GPU

Setup roofline_setup(MeasureOptions sized) {
  const bool on_gpu = goes_to_gpu(sized.kernels.device);
  if (!sized.grid.grid && on_gpu) sized.grid.grid = Extent3{paper_edge, paper_edge, paper_edge};
  sized.steps = roofline_launches;
  return make_setup(sized);
}

/// For the next set of kernels: noise ebbs away, a source swings on.
void renew_noise(Propagator& propagator, BenchField field) {
  if (field == BenchField::random) propagator.set_random_field(1);
}

/// The options that make this program run one set of kernels.
std::vector<std::string> options_of(const KernelSet& kernels) {
  return {"--kernel",        kernels.inner->name, "--pml-kernel",
          kernels.pml->name, "--schedule",        kernels.schedule->name()};
}

class WaveRoofline final : public RooflineSubject {
 public:
  explicit WaveRoofline(const RooflineOptions& options)
      : asked_(options.measure), setup_(roofline_setup(options.measure)) {
    // Before a trial: behind its large allocations a GPU streams a tenth slower.
    if (asked_.kernels.kernel == "auto" && !options.profile_range) {
      const DeviceOption& device = asked_.kernels.device;
      const auto backend = goes_to_gpu(device) ? make_cuda_backend(device.index) : make_host_backend();
      ceilings_ = backend->measure_ceilings();
    }
    choice_ = choose_measured_device(asked_.kernels, setup_);
    kernels_ = matching_kernels(asked_.kernels, setup_, choice_, not_run_);
    check_measured_memory(setup_, *choice_.backend, kernels_);
  }

  [[nodiscard]] const DeviceInfo& device() const override { return choice_.device; }
  [[nodiscard]] std::vector<Ceiling> ceilings() override {
    return ceilings_.empty() ? choice_.backend->measure_ceilings() : ceilings_;
  }
  [[nodiscard]] std::string title() const override {
    return text(setup_.n.x, " x ", setup_.n.y, " x ", setup_.n.z, " points, PML ", setup_.pml_width);
  }
  [[nodiscard]] Json facts() const override {
    return {{"grid", to_record(setup_, asked_.field)},
            {"decomposition", decomposition_name(setup_.decomposition)}};
  }
  [[nodiscard]] double points() const override { return static_cast<double>(setup_.n.points()); }

  void prepare() override {
    whole_ = make_measured_part(setup_, choice_);
    set_field(*whole_.propagator, asked_.kernels, setup_, choice_, asked_.field);
  }

  [[nodiscard]] MeasuredRows measure() override {
    Verification verification(setup_);
    MeasuredRows measured;
    measured.not_run = not_run_;
    for (const NamedKernels& set : kernels_) {
      const Verification::Outcome outcome = verification.of(*choice_.backend, set.kernels);
      std::string why = outcome.why_not;
      if (why.empty() && outcome.error > Verification::tolerance) {
        why = text("disagrees with the reference by ", outcome.error);
        ++measured.wrong;
      }
      if (why.empty()) why = time_shape(set, measured.rows);
      if (!why.empty()) measured.not_run.push_back({set.name, why});
    }
    if (!whole_.propagator->extremes().finite) {
      throw Error(ExitCode::internal, "the measured wavefield is not finite", "please report this");
    }
    return measured;
  }

  [[nodiscard]] std::string why_not_counted() const override { return ""; }

  [[nodiscard]] std::vector<std::string> small_command() const override {
    Setup small = setup_;
    small.n = {45, 35, 27};
    small.pml_width = 5;
    return command(small, options_of({&find_shape("reference"), &find_shape("reference")}), {0, 1});
  }

  [[nodiscard]] std::vector<ProfiledBatch> batches(const std::vector<Row>& rows) const override {
    std::vector<ProfiledBatch> all;
    for (const NamedKernels& set : kernels_) {
      if (std::ranges::find(rows, set.name, &Row::shape) == rows.end()) continue;
      if (all.empty() || all.back().size() == most_profiled) all.emplace_back();
      const Schedule& schedule = *set.kernels.schedule;
      all.back().push_back({set.name, schedule.order_of(schedule.launches(setup_.problem()))});
    }
    return all;
  }

  /// The names of several shapes stand for sets that follow from the options.
  [[nodiscard]] std::vector<std::string> profiled_command(const ProfiledBatch& batch,
                                                          StepRange range) const override {
    if (batch.size() == 1) {
      const auto set = std::ranges::find(kernels_, batch[0].name, &NamedKernels::name);
      return command(setup_, options_of(set->kernels), range);
    }
    std::string names;
    for (const ProfiledShape& shape : batch) names += (names.empty() ? "" : ",") + shape.name;
    std::vector<std::string> options{"--kernel", names};
    const KernelOptions& asked = asked_.kernels;
    if (!asked.pml_kernel.empty()) options.insert(options.end(), {"--pml-kernel", asked.pml_kernel});
    if (asked.schedule != nullptr) options.insert(options.end(), {"--schedule", asked.schedule->name()});
    return command(setup_, options, range);
  }

  void run_for_profiler(StepRange range) override {
    prepare();
    Propagator& propagator = *whole_.propagator;
    for (const NamedKernels& set : kernels_) {
      if (const std::string why = why_not_taken(propagator, set.kernels); !why.empty()) {
        std::printf("%s: left out: %s\n", set.name.c_str(), why.c_str());
        continue;
      }
      renew_noise(propagator, asked_.field);
      ProfiledSteps profiled(*choice_.backend, range);
      for (int step = 0; step < range.end; ++step) {
        profiled.before(step);
        propagator.step();
      }
      profiled.before(range.end);
      std::printf("%s: profiler on for steps %d to %d\n", set.name.c_str(), range.begin, range.end - 1);
    }
  }

 private:
  /// Adds its rows. Why it is left out, empty where it is not.
  [[nodiscard]] std::string time_shape(const NamedKernels& set, std::vector<Row>& rows) {
    Propagator& propagator = *whole_.propagator;
    if (std::string why = why_not_taken(propagator, set.kernels); !why.empty()) return why;
    renew_noise(propagator, asked_.field);
    for (int i = 0; i < asked_.warmup.value_or(roofline_warmup); ++i) propagator.step();
    const int period = set.kernels.schedule->order_of(propagator.plan().launches()).steps;
    const std::vector<PartTimes> parts = time_parts(propagator, roofline_launches * period);
    if (std::string why = why_not_measured(propagator); !why.empty()) {
      set_field(propagator, asked_.kernels, setup_, choice_, asked_.field);
      return why;
    }
    for (const PartTimes& times : parts) {
      if (times.part.points > 0) rows.push_back(row_of(set, times, propagator.plan()));
    }
    return "";
  }

  [[nodiscard]] Row row_of(const NamedKernels& set, const PartTimes& times, const StepPlan& plan) const {
    std::vector<LaunchFacts> launches;
    const bool on_gpu = choice_.device.kind == "cuda";
    for (std::size_t i = 0; on_gpu && i < plan.launches().size(); ++i) {
      const RegionLaunch& launch = plan.launches()[i];
      if (launch.box.empty() || set.kernels.schedule->part_of(launch) != times.part.name) continue;
      launches.push_back(plan.facts(i));
    }
    return make_row(set.name, times, model_of(times.part, set.kernels, setup_.regions()), launches,
                    setup_.precision);
  }

  [[nodiscard]] std::vector<std::string> command(const Setup& setup, const std::vector<std::string>& kernels,
                                                 StepRange range) const {
    std::vector<std::string> all = own_roofline(asked_.kernels.device);
    all.insert(all.end(),
               {"--decomposition", decomposition_name(setup.decomposition), "--grid",
                text(setup.n.x, ',', setup.n.y, ',', setup.n.z), "--pml-width", text(setup.pml_width),
                "--spacing", text(setup.spacing.x, ',', setup.spacing.y, ',', setup.spacing.z), "--field",
                field_name(asked_.field), "--precision", precision_name(setup.precision)});
    all.insert(all.end(), kernels.begin(), kernels.end());
    all.insert(all.end(), {"--profile-range", text(range.begin, ':', range.end)});
    return all;
  }

  const MeasureOptions& asked_;
  Setup setup_;
  std::vector<Ceiling> ceilings_;  ///< where they were measured before all else
  DeviceChoice choice_;
  std::vector<NotRun> not_run_;
  std::vector<NamedKernels> kernels_;
  DomainPart whole_;
};

}  // namespace

std::unique_ptr<RooflineSubject> make_wave_roofline(const RooflineOptions& options) {
  return std::make_unique<WaveRoofline>(options);
}

}  // namespace minimod
