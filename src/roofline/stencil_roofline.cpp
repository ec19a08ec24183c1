#include <algorithm>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/screen.hpp"
#include "src/device/profiling.hpp"
#include "src/measure/stencil_measurement.hpp"
#include "src/roofline/roofline_subject.hpp"
#include "src/stencil/kernel_source.hpp"
#include "src/stencil/shipped.hpp"

namespace minimod {

namespace {

constexpr const char* whole_grid = "grid";  // the part of a step that a kernel of a stencil computes

/// A specification under the word that finds it, with the kernels that it can have.
struct RooflineStencil {
  std::string word;
  stencil::Specification specification;
  std::vector<stencil::KernelName> kernels;
};

std::string shape_of(const RooflineStencil& of, const stencil::KernelName& kernel) {
  return text(escaped(of.specification.name, 40), '/', kernel.text());
}

class StencilRoofline final : public RooflineSubject {
 public:
  explicit StencilRoofline(const RooflineOptions& options)
      : asked_(*options.stencil), warmup_(options.measure.warmup.value_or(roofline_warmup)) {
    for (const std::string& word : stencil::matching_stencils(asked_.stencils)) {
      stencil::Specification specification = stencil::find_specification(word);
      if (asked_.precision) {
        specification = stencil::with_precision(std::move(specification), *asked_.precision);
      }
      stencils_.push_back({word, std::move(specification), {}});
    }
    device_ = device_for_names(asked_);
    info_ = device_.backend->info();
    const auto kernels = device_.measured(asked_.kernels);
    plays_ = device_.plays_one_of(kernels);
    n_ = asked_.grid.value_or(device_.usual_grid(kernels));
    find_kernels(kernels);
  }

  [[nodiscard]] const DeviceInfo& device() const override { return info_; }
  [[nodiscard]] std::vector<Ceiling> ceilings() override { return device_.backend->measure_ceilings(); }
  [[nodiscard]] std::string title() const override {
    return text(n_.x, " x ", n_.y, " x ", n_.z, " points", plays_ ? text(", ", played_rate) : "");
  }
  [[nodiscard]] Json facts() const override {
    Json stencils = Json::array();
    for (const RooflineStencil& of : stencils_) stencils.push_back(escaped(of.specification.name));
    return {{"grid", {{"n", {n_.x, n_.y, n_.z}}}}, {"stencils", stencils}};
  }
  [[nodiscard]] double points() const override { return static_cast<double>(n_.points()); }

  /// Each stencil has arrays of its own.
  void prepare() override {
    PlayedWork work;
    for (const RooflineStencil& of : stencils_) {
      add_played(work, device_, of.specification, of.kernels, n_,
                 warmup_ + MeasuredStencil::steps_of_timed_runs(1, roofline_launches));
    }
    work.announce();
  }

  [[nodiscard]] MeasuredRows measure() override {
    MeasuredRows measured;
    measured.not_run = not_run_;
    for (const RooflineStencil& of : stencils_) {
      try {
        measure_stencil(of, measured);
      } catch (const Error& refusal) {
        if (refusal.code() != ExitCode::resource) throw;
        measured.not_run.push_back({escaped(of.specification.name), refusal.what()});
      }
    }
    return measured;
  }

  [[nodiscard]] std::string why_not_counted() const override {
    return plays_ ? "a host that plays threads moves other bytes" : "";
  }

  [[nodiscard]] std::vector<std::string> small_command() const override {
    return command(stencils_.front(), device_.is_gpu ? "naive" : "rows", {45, 35, 27}, {0, 1});
  }

  [[nodiscard]] std::vector<ProfiledBatch> batches(const std::vector<Row>& rows) const override {
    std::vector<ProfiledBatch> all;
    for (const RooflineStencil& of : stencils_) {
      ProfiledBatch batch;
      for (const stencil::KernelName& kernel : of.kernels) {
        if (std::ranges::find(rows, shape_of(of, kernel), &Row::shape) == rows.end()) continue;
        batch.push_back({shape_of(of, kernel), {{whole_grid}, 1}});
        if (batch.size() == most_profiled) all.push_back(std::exchange(batch, {}));
      }
      if (!batch.empty()) all.push_back(batch);
    }
    return all;
  }

  [[nodiscard]] std::vector<std::string> profiled_command(const ProfiledBatch& batch,
                                                          StepRange range) const override {
    const RooflineStencil* of_batch = nullptr;
    std::string kernels;
    for (const RooflineStencil& of : stencils_) {
      for (const stencil::KernelName& kernel : of.kernels) {
        if (std::ranges::find(batch, shape_of(of, kernel), &ProfiledShape::name) == batch.end()) continue;
        of_batch = &of;
        kernels += (kernels.empty() ? "" : ",") + kernel.text();
      }
    }
    return command(*of_batch, kernels, n_, range);
  }

  void run_for_profiler(StepRange range) override {
    for (const RooflineStencil& of : stencils_) {
      const auto kernels = stencil::compile_kernels(of.specification, of.kernels, n_, device_.gpu());
      MeasuredStencil measured(of.specification, n_, device_);
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        ProfiledSteps profiled(*device_.backend, range);
        for (int step = 0; step < range.end; ++step) {
          profiled.before(step);
          static_cast<void>(measured.seconds_of_steps(kernels[i], 1));
        }
        profiled.before(range.end);
        std::printf("%s: profiler on for steps %d to %d\n", shape_of(of, of.kernels[i]).c_str(), range.begin,
                    range.end - 1);
      }
    }
  }

 private:
  void find_kernels(const std::vector<stencil::KernelName>& kernels) {
    bool has_any = false;
    for (RooflineStencil& of : stencils_) {
      for (const stencil::KernelName& kernel : kernels) {
        const std::string why = stencil::why_not(kernel, of.specification);
        if (why.empty()) {
          of.kernels.push_back(kernel);
        } else {
          not_run_.push_back({shape_of(of, kernel), why});
        }
      }
      has_any = has_any || !of.kernels.empty();
    }
    if (has_any) {
      const auto least = std::ranges::min_element(stencils_, {}, [&](const RooflineStencil& of) {
        return stencil::bytes_of_arrays(of.specification, n_);
      });
      return check_stencil_memory(least->specification, n_, device_);
    }
    throw Error(ExitCode::usage,
                text("none of the ", not_run_.size(), " kernels can be: ", not_run_.front().why),
                "take another family or tile");
  }

  void measure_stencil(const RooflineStencil& of, MeasuredRows& measured) const {
    std::vector<stencil::KernelName> right;
    std::vector<stencil::Verdict> verdicts;
    stencil::verify_all({of.specification}, of.kernels, {}, device_.gpu(),
                        [&](std::size_t, const auto& all) { verdicts = all; });
    for (const stencil::Verdict& verdict : verdicts) {
      if (verdict.passed()) {
        right.push_back(verdict.kernel);
        continue;
      }
      measured.not_run.push_back(
          {shape_of(of, verdict.kernel), text("disagrees with the equations by ", verdict.error)});
      ++measured.wrong;
    }
    if (right.empty()) return;
    const auto kernels = stencil::compile_kernels(of.specification, right, n_, device_.gpu());
    MeasuredStencil stencil(of.specification, n_, device_);
    for (std::size_t i = 0; i < right.size(); ++i) {
      for (int step = 0; step < warmup_; ++step) static_cast<void>(stencil.seconds_of_steps(kernels[i], 1));
      const auto seconds = stencil.timed_runs(kernels[i], 1, roofline_launches);
      measured.rows.push_back(row_of(of, right[i], kernels[i], spread(seconds)));
    }
  }

  [[nodiscard]] Row row_of(const RooflineStencil& of, const stencil::KernelName& name,
                           const stencil::Kernel& kernel, const Spread& seconds) const {
    const stencil::Facts facts = stencil::facts_of(of.specification);
    PartTimes times;
    times.part = {whole_grid, Formula::inner, n_.points(), seconds.median};
    times.seconds = seconds;
    PartModel model;
    model.points = points();
    model.flop = model.formula_flop = points() * facts.operations();
    model.dram_bytes = points() * facts.compulsory_bytes;
    model.extra_work = extra_work_of(name, facts);
    const auto launches = kernel.facts ? std::vector{*kernel.facts} : std::vector<LaunchFacts>{};
    Row row =
        make_row(shape_of(of, name), times, model, launches, stencil::working_precision(of.specification));
    row.played = device_.plays(name);
    return row;
  }

  /// Why a kernel's operations are others than those of the equations.
  static std::string extra_work_of(const stencil::KernelName& kernel, const stencil::Facts& facts) {
    if (facts.is_linear && kernel.family->name == std::string("in_plane_full")) {
      return "values of one weight are added plane by plane before they are multiplied";
    }
    return facts.divisions > 0 ? "a division takes several operations" : "";
  }

  [[nodiscard]] std::vector<std::string> command(const RooflineStencil& of, const std::string& kernels,
                                                 Extent3 n, StepRange range) const {
    std::vector<std::string> all = own_roofline(asked_.device);
    all.insert(all.end(), {"--stencil", of.word, "--kernel", kernels, "--grid", text(n.x, ',', n.y, ',', n.z),
                           "--profile-range", text(range.begin, ':', range.end)});
    if (asked_.precision) {
      all.insert(all.end(), {"--precision", precision_name(*asked_.precision)});
    }
    return all;
  }

  const StencilMeasureOptions& asked_;
  int warmup_;
  std::vector<RooflineStencil> stencils_;
  StencilDevice device_;
  DeviceInfo info_;
  Extent3 n_;
  bool plays_ = false;  ///< the threads of a kernel
  std::vector<NotRun> not_run_;
};

}  // namespace

std::unique_ptr<RooflineSubject> make_stencil_roofline(const RooflineOptions& options) {
  return std::make_unique<StencilRoofline>(options);
}

}  // namespace minimod
