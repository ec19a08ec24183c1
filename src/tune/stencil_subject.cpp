#include <algorithm>
#include <limits>

#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/measure/stencil_measurement.hpp"
#include "src/stencil/kernel_source.hpp"
#include "src/stencil/kernel_space.hpp"
#include "src/tune/tune_subject.hpp"

namespace minimod {

namespace {

/// Of a family's name, perhaps with _ro behind it. Error 64 for another.
stencil::KernelName searched_kernels(const std::string& name) {
  const stencil::KernelName kernel = stencil::parse_kernel_name(name);
  const std::string family = kernel.family_text();
  if (kernel.family->is_of_cores) {
    throw Error(ExitCode::usage, text("the kernel ", family, " has no tiles to search"),
                "time it by stencil run or bench, or take another family");
  }
  if (name == family) return kernel;
  throw Error(ExitCode::usage, text("--kernel names the tile ", escaped(name)),
              text("name its family, ", family, ", and tiles by --candidates"));
}

/// Error 64 where there are several.
stencil::Specification tuned_specification(const StencilMeasureOptions& options) {
  auto specifications = measured_specifications(options);
  if (specifications.size() == 1) return std::move(specifications.front());
  throw Error(ExitCode::usage, text("--stencil names ", specifications.size(), " stencils, tune takes one"),
              "name one");
}

class StencilSubject final : public TuneSubject {
 public:
  explicit StencilSubject(const TuneOptions& options)
      : specification_(tuned_specification(*options.stencil)),
        like_(
            searched_kernels(options.stencil->kernels.empty() ? "register_tiled" : options.stencil->kernels)),
        device_(choose_stencil_device(options.stencil->device)),
        info_(device_.backend->info()),
        n_(options.grid.value_or(device_.is_gpu ? tuned_grid_of_gpu : tuned_grid_of_host)) {
    problem_.family = like_.family_text();
    problem_.precision = stencil::working_precision(specification_);
    problem_.grid = n_;
    problem_.device = info_.name;
    problem_.device_kind = info_.kind;
    problem_.build = build_info().git_hash;
    problem_.steps = options.steps;
    problem_.stencil = specification_;
    problem_.stencil->name = escaped(specification_.name);  // as the record has it
  }

  [[nodiscard]] const TuneProblem& problem() const override { return problem_; }
  [[nodiscard]] const DeviceInfo& device() const override { return info_; }
  [[nodiscard]] StreamRates stream_rates() const override {
    return device_.backend->measure_stream_rates(Patience::of_figures);
  }
  [[nodiscard]] std::string naming() const override { return "as " + like_.text(); }

  [[nodiscard]] std::vector<TuneCandidate> candidates() const override {
    std::vector<TuneCandidate> all;
    if (stencil::why_not(like_, specification_).empty()) {
      all.push_back({.name = like_.text(), .is_built_in = true});
    }
    for (const stencil::KernelName& kernel : stencil::kernel_space(like_, specification_)) {
      all.push_back({.name = kernel.text()});
    }
    if (all.empty()) stencil::require(like_, specification_);
    return all;
  }

  void check_memory() const override { check_stencil_memory(specification_, n_, device_); }

  [[nodiscard]] std::string why_not_here(const std::string& name) const override {
    return stencil::why_not(stencil::parse_kernel_name(name), specification_);
  }

  [[nodiscard]] std::optional<LaunchFacts> compile(const std::string& name) const override {
    return compiled(name).facts;
  }

  [[nodiscard]] Verdict verify(const std::string& name) override {
    if (!expected_) expected_.emplace(specification_, stencil::Problem{});
    try {
      const auto verdict = expected_->verdict_of(stencil::parse_kernel_name(name), device_.gpu());
      constexpr double most = std::numeric_limits<double>::max();  // records have numbers
      return {std::min(verdict.error, most), "", verdict.passed()};
    } catch (const Error& refusal) {
      if (refusal.code() != ExitCode::resource) throw;
      return {0, refusal.what(), false};
    }
  }

  void add_played(PlayedWork& work, const std::string& name, double steps) const override {
    const stencil::KernelName kernel = stencil::parse_kernel_name(name);
    minimod::add_played(work, device_, specification_, {&kernel, 1}, n_, steps);
  }

  [[nodiscard]] std::string take(const std::string& name) override {
    try {
      kernel_ = compiled(name);
    } catch (const Error& refusal) {
      if (refusal.code() != ExitCode::resource) throw;
      return refusal.what();
    }
    if (!measured_) measured_.emplace(specification_, n_, device_);
    return "";
  }

  [[nodiscard]] double seconds_of_steps(int steps) override {
    return measured_->seconds_of_steps(kernel_, steps);
  }

  [[nodiscard]] std::string why_not_measured() override { return ""; }  // such a launch does not give up

  void keep_winner(const TuneCandidate&, double) const override {}  // no run takes it unasked

 private:
  [[nodiscard]] stencil::Kernel compiled(const std::string& name) const {
    const stencil::KernelName kernel = stencil::parse_kernel_name(name);
    return stencil::compile_kernels(specification_, {&kernel, 1}, n_, device_.gpu()).front();
  }

  stencil::Specification specification_;
  stencil::KernelName like_;
  StencilDevice device_;
  DeviceInfo info_;
  Extent3 n_;
  TuneProblem problem_;
  std::optional<stencil::Expectation> expected_;  ///< made when it is needed first
  std::optional<MeasuredStencil> measured_;       ///< the same
  stencil::Kernel kernel_;                        ///< whose steps are timed
};

}  // namespace

std::unique_ptr<TuneSubject> make_stencil_subject(const TuneOptions& options) {
  return std::make_unique<StencilSubject>(options);
}

}  // namespace minimod
