#include <algorithm>
#include <limits>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/refusal.hpp"
#include "src/job/outputs/record.hpp"
#include "src/measure/subject.hpp"
#include "src/stencil/kernel_source.hpp"

namespace minimod {

namespace {

constexpr const char* whole_grid = "grid";  // the part of a step that a kernel of a stencil computes

class StencilSubject final : public Subject {
 public:
  StencilSubject(stencil::Specification specification, Extent3 n, std::shared_ptr<const StencilDevice> device,
                 DomainCut cut)
      : specification_(std::move(specification)),
        facts_(stencil::facts_of(specification_)),
        n_(n),
        device_(std::move(device)),
        cut_(std::move(cut)) {}

  [[nodiscard]] Backend& backend() const override { return *device_->backend; }
  [[nodiscard]] StreamRates stream_rates() const override {
    return device_->backend->measure_stream_rates(Thoroughness::of_figures);
  }
  [[nodiscard]] Extent3 grid() const override { return n_; }
  [[nodiscard]] Precision precision() const override { return stencil::working_precision(specification_); }
  [[nodiscard]] const char* right() const override { return "equations"; }
  [[nodiscard]] std::string shown(const std::string& name) const override {
    return text(escaped(specification_.name, 40), '/', name);
  }
  [[nodiscard]] std::string heading() const override {
    return text(escaped(specification_.name, 40), " in ", precision_text(specification_), ": ",
                facts_.compulsory_bytes, " bytes, ", facts_.operations(), " operations a point");
  }
  [[nodiscard]] std::string row_name(const std::string& name) const override { return "  " + name; }
  [[nodiscard]] Json identity(const std::string& name) const override {
    return {{"stencil", escaped(specification_.name)}, {"kernel", name}};
  }
  [[nodiscard]] Json described(const std::string&) const override {
    return {{"precision", precision_text(specification_)},
            {"bytes_a_point", facts_.compulsory_bytes},
            {"operations_a_point", facts_.operations()}};
  }
  void check_memory() const override { check_stencil_memory(specification_, n_, *device_); }

  [[nodiscard]] std::string why_not_here(const std::string& name) const override {
    return stencil::why_not(stencil::parse_kernel_name(name), specification_);
  }
  [[nodiscard]] std::optional<LaunchFacts> compile(const std::string& name) const override {
    return compiled(name).facts;
  }

  [[nodiscard]] Verdict verify(const std::string& name) override {
    if (!expected_) expected_.emplace(specification_, stencil::Problem{});
    Verdict verdict;
    verdict.why_not = refusal_of(
        [&] { verdict = expected_->verdict_of(stencil::parse_kernel_name(name), device_->gpu()); });
    verdict.error = std::min(verdict.error, std::numeric_limits<double>::max());  // records have numbers
    return verdict;
  }

  [[nodiscard]] bool emulates(const std::string& name) const override {
    return device_->emulates(stencil::parse_kernel_name(name));
  }
  void add_emulated(EmulatedWork& work, const std::string& name, double steps) const override {
    const stencil::KernelName kernel = stencil::parse_kernel_name(name);
    minimod::add_emulated(work, *device_, specification_, {&kernel, 1}, n_, steps);
  }

  void prepare(const std::vector<std::string>& names) override {
    std::vector<stencil::KernelName> kernels;
    kernels.reserve(names.size());
    for (const std::string& name : names) kernels.push_back(stencil::parse_kernel_name(name));
    stencil::compile_ahead({specification_}, kernels, n_, device_->gpu());
  }

  [[nodiscard]] std::string take(const std::string& name) override {
    return refusal_of([&] {
      taken_ = stencil::parse_kernel_name(name);
      kernel_ = compiled(name);
      if (part_ != nullptr) return;
      const Extent3 slab{n_.x, n_.y, cut_.slab(n_.z).planes()};
      cut_.together([&] { check_stencil_memory(specification_, slab, *device_); });
      part_ = std::make_unique<StencilPart>(specification_, n_, cut_, device_->gpu());
    });
  }
  void step() override { part_->step(kernel_); }
  [[nodiscard]] TimedRuns timed_runs(int steps, int warm_up, const RunsWanted& wanted) override {
    TimedRuns timed =
        minimod::timed_runs({backend(), cut_, [this] { step(); }, [this] { return part_->exchanged(); }},
                            part_->slab(), steps, warm_up, wanted);
    const auto wait = [&] { return std::vector{part_->seconds_waited_in_step(kernel_)}; };
    if (cut_.ranks != nullptr) timed.mine.wait_seconds = spreads(std::min(steps, 10), wait).front().median;
    return timed;
  }
  [[nodiscard]] std::optional<Transport> transport() const override { return part_->transport(); }

  void add_figures(Json& record, const TimedRuns& runs, int, const StreamRates& stream) override {
    const double gpt = record["gpt_per_s"]["median"].get<double>(), gbyte = gpt * facts_.compulsory_bytes;
    const bool is_emulated = device_->emulates(taken_);
    record.update({{"gflop_per_s", gpt * facts_.operations()},
                   {"gb_per_s", gbyte},
                   {"played", is_emulated},
                   {"share_of_ceiling", is_emulated ? Json() : Json(gbyte / stream.three_reads_one_write)},
                   {"launch", to_record(kernel_.facts)}});
    if (cut_.ranks == nullptr) return;
    record["ranks"] = ranks_record(cut_.gather(runs.mine), transport(), {}, n_);
  }

  [[nodiscard]] std::vector<MeasuredPart> time_parts(int launches) override {
    MeasuredPart part;
    part.times.seconds = spreads(launches, [&] { return std::vector{seconds_of_steps(1)}; }).front();
    part.times.part = {whole_grid, Formula::inner, n_.points(), part.times.seconds.median};
    part.model.points = static_cast<double>(n_.points());
    part.model.flop = part.model.formula_flop = part.model.points * facts_.operations();
    part.model.dram_bytes = part.model.points * facts_.compulsory_bytes;
    if (facts_.divisions > 0) part.model.extra_work = "a division takes several operations";
    if (facts_.is_linear && taken_.family->name == std::string("in_plane_full")) {
      part.model.extra_work = "values of one weight are added plane by plane before they are multiplied";
    }
    if (kernel_.facts) part.launches = {*kernel_.facts};
    return {part};
  }

  // A launch of stencils does not give up.
  [[nodiscard]] std::string why_not_measured() override { return ""; }
  void end() override { part_.reset(); }
  [[nodiscard]] LaunchOrder order_of(const std::string&) const override { return {{whole_grid}, 1}; }

 private:
  [[nodiscard]] stencil::Kernel compiled(const std::string& name) const {
    const stencil::KernelName kernel = stencil::parse_kernel_name(name);
    return compile_together(specification_, {&kernel, 1}, n_, cut_, device_->gpu()).front();
  }

  stencil::Specification specification_;
  stencil::Facts facts_;
  Extent3 n_;
  std::shared_ptr<const StencilDevice> device_;
  DomainCut cut_;
  std::optional<stencil::Expectation> expected_;  ///< made when it is needed first
  std::unique_ptr<StencilPart> part_;             ///< the same
  stencil::KernelName taken_;
  stencil::Kernel kernel_;  ///< kernel of that name
};

}  // namespace

MeasuredStencils::MeasuredStencils(const StencilMeasureOptions& asked)
    : specifications(measured_specifications(asked)),
      device(std::make_shared<StencilDevice>(device_for_names(asked))),
      kernels(device->measured(asked.kernels)),
      n(asked.grid.value_or(device->usual_grid(kernels))) {}

void MeasuredStencils::check_memory() const {
  const auto bytes = [&](const auto& of) { return stencil::bytes_of_arrays(of, n); };
  check_stencil_memory(*std::ranges::min_element(specifications, {}, bytes), n, *device);
}

std::unique_ptr<Subject> make_stencil_subject(stencil::Specification specification, Extent3 n,
                                              std::shared_ptr<const StencilDevice> device, DomainCut cut) {
  return std::make_unique<StencilSubject>(std::move(specification), n, std::move(device), std::move(cut));
}

}  // namespace minimod
