#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/progress.hpp"
#include "src/base/refusal.hpp"
#include "src/base/screen.hpp"
#include "src/measure/bench.hpp"
#include "src/measure/bench_report.hpp"
#include "src/measure/measurement.hpp"
#include "src/shot/record.hpp"

namespace minimod {

namespace {

using stencil::Specification;

const ReportForm stencil_form{
    {"  kernel",
     30,
     {{"", "min", 7, "/gpt_per_s/min"},
      {"", "median", 7, "/gpt_per_s/median"},
      {"Gpt/s", "max", 7, "/gpt_per_s/max"},
      {"Gflop/s", "median", 8, "/gflop_per_s"},
      {"GB/s", "median", 8, "/gb_per_s"},
      {"of the", "ceiling", 8, "/share_of_ceiling", NumberForm::fixed, 1, 100, "%"},
      {"regi", "sters", 5, "/launch/registers", NumberForm::fixed},
      {"occ.", "%", 5, "/launch/theoretical_occupancy", NumberForm::fixed, 0, 100}}},
    "stencil,kernel,precision,verified,error,seconds_min,seconds_median,seconds_max,gpt_per_s_min,"
    "gpt_per_s_median,gpt_per_s_max,gflop_per_s,gb_per_s,share_of_ceiling,registers,shared_bytes,local_bytes,"
    "occupancy,played",
    {"a table of minimod bench --stencil",
     [](const std::filesystem::path& file) { return begins_with(file, "stencil,kernel,precision,"); }},
    "kernels",
    "their equations"};

/// What is measured and where.
class StencilBench {
 public:
  explicit StencilBench(const BenchOptions& options)
      : options_(options),
        asked_(*options.stencil),
        specifications_(measured_specifications(asked_)),
        device_(device_for_names(asked_)),
        kernels_(device_.measured(asked_.kernels)),
        n_(asked_.grid.value_or(device_.usual_grid(kernels_))),
        steps_(asked_.steps.value_or(device_.usual_steps(kernels_))),
        report_(stencil_form, options.files) {
    report_.claim();
  }

  void run() {
    const auto least = std::ranges::min_element(
        specifications_, {}, [&](const Specification& of) { return stencil::bytes_of_arrays(of, n_); });
    check_stencil_memory(*least, n_, device_);  // where one fits, others are left out when their turn comes
    stream_ = device_.backend->measure_stream_rates(Patience::of_figures);
    print_title();
    PlayedWork work;
    for (const Specification& specification : specifications_) {
      add_played(work, device_, specification, kernels_, n_,
                 MeasuredStencil::steps_of_timed_runs(steps_, options_.repeats));
    }
    work.announce();
    const auto verdicts = verified();
    for (std::size_t i = 0; i < specifications_.size(); ++i) measure(specifications_[i], verdicts[i]);
    report_.write({{"schema", "minimod.stencil.bench/1"},
                   {"build", build_record()},
                   {"device", device_record(device_.backend->info(), stream_)},
                   {"grid", {{"n", {n_.x, n_.y, n_.z}}}},
                   {"time", {{"steps", steps_}}},
                   {"repeats", options_.repeats}});
    report_.require_right();
    if (!report_.rows().empty()) return;
    const Json& not_run = report_.not_run();
    throw Error(ExitCode::unavailable,
                text("none of the ", not_run.size(),
                     " kernels runs here: ", escaped(not_run[0]["why"].get<std::string>(), 120)),
                "each one's reason stands above");
  }

 private:
  void print_title() const {
    std::printf("%s\n", wrapped(text(device_.title(kernels_), "; ", points_text(n_), ", ", steps_, " steps, ",
                                     options_.repeats, " runs each"))
                            .c_str());
    std::printf("streaming 3 reads + 1 write: %.0f GB/s, copy %.0f GB/s\n", stream_.three_reads_one_write,
                stream_.copy);
    if (device_.plays_one_of(kernels_)) std::printf("* %s\n", played_rate);
    std::fflush(stdout);
  }

  [[nodiscard]] std::vector<std::vector<stencil::Verdict>> verified() const {
    std::vector<std::vector<stencil::Verdict>> verdicts;
    Progress progress(static_cast<std::int64_t>(specifications_.size()), 0, 0, "verified");
    stencil::verify_all(specifications_, kernels_, {}, device_.gpu(),
                        [&](std::size_t, const std::vector<stencil::Verdict>& of_stencil) {
                          verdicts.push_back(of_stencil);
                          progress.update(static_cast<std::int64_t>(verdicts.size()), "stencils  ");
                        });
    return verdicts;
  }

  void measure(const Specification& specification, const std::vector<stencil::Verdict>& verdicts) {
    const stencil::Facts facts = stencil::facts_of(specification);
    std::printf("\n%s\n",
                wrapped(text(escaped(specification.name, 40), " in ", precision_text(specification), ": ",
                             facts.compulsory_bytes, " bytes, ", facts.operations(), " operations a point"))
                    .c_str());
    print_head(stencil_form.table);
    std::vector<stencil::Verdict> right;
    for (const stencil::Verdict& verdict : verdicts) {
      if (verdict.is_left_out) leave_out(specification, verdict.kernel, verdict.why_not);
      if (!verdict.passed()) add_wrong(specification, verdict);
      if (verdict.passed() && !verdict.is_left_out) right.push_back(verdict);
    }
    std::size_t measured = 0;
    const std::string why = refusal_of([&] { measure_right(specification, facts, right, measured); });
    for (; !why.empty() && measured < right.size(); ++measured) {
      leave_out(specification, right[measured].kernel, why);
    }
  }

  void measure_right(const Specification& specification, const stencil::Facts& facts,
                     const std::vector<stencil::Verdict>& right, std::size_t& measured) {
    if (right.empty()) return;
    std::vector<stencil::KernelName> names;
    names.reserve(right.size());
    for (const stencil::Verdict& verdict : right) names.push_back(verdict.kernel);
    const auto kernels = stencil::compile_kernels(specification, names, n_, device_.gpu());
    MeasuredStencil stencil(specification, n_, device_);
    for (; measured < right.size(); ++measured) {
      const auto seconds = stencil.timed_runs(kernels[measured], steps_, options_.repeats);
      add_measured(specification, facts, right[measured], kernels[measured], spread(seconds));
    }
  }

  static Json named(const Specification& specification, const stencil::KernelName& kernel) {
    return {{"stencil", escaped(specification.name)}, {"kernel", kernel.text()}};
  }

  void leave_out(const Specification& specification, const stencil::KernelName& kernel,
                 const std::string& why) {
    report_.leave_out("  " + kernel.text(), named(specification, kernel), why);
  }

  void add_wrong(const Specification& specification, const stencil::Verdict& verdict) {
    Json record = named(specification, verdict.kernel);
    record["precision"] = precision_text(specification);
    record["verified"] = false;
    record["error"] = std::isfinite(verdict.error) ? Json(verdict.error) : Json(nullptr);
    record["why"] = verdict.why_not;
    report_.add("  " + verdict.kernel.text(), record);
  }

  void add_measured(const Specification& specification, const stencil::Facts& facts,
                    const stencil::Verdict& verdict, const stencil::Kernel& kernel, const Spread& seconds) {
    const bool is_played = device_.plays(verdict.kernel);
    const Spread gpt = rates(static_cast<double>(n_.points()) * steps_ * 1e-9, seconds);
    const double gbyte = gpt.median * facts.compulsory_bytes;
    Json record = named(specification, verdict.kernel);
    record["precision"] = precision_text(specification);
    record["bytes_a_point"] = facts.compulsory_bytes;
    record["operations_a_point"] = facts.operations();
    record["verified"] = true;
    record["error"] = verdict.error;
    record["seconds"] = to_record(seconds);
    record["gpt_per_s"] = to_record(gpt);
    record["gflop_per_s"] = gpt.median * facts.operations();
    record["gb_per_s"] = gbyte;
    record["played"] = is_played;
    record["share_of_ceiling"] = is_played ? Json() : Json(gbyte / stream_.three_reads_one_write);
    record["launch"] = to_record(kernel.facts);
    report_.add(text("  ", verdict.kernel.text(), is_played ? " *" : ""), record);
  }

  const BenchOptions& options_;
  const StencilMeasureOptions& asked_;
  std::vector<Specification> specifications_;
  StencilDevice device_;
  std::vector<stencil::KernelName> kernels_;
  Extent3 n_;
  int steps_;
  StreamRates stream_;
  BenchReport report_;
};

}  // namespace

void bench_stencils(const BenchOptions& options) {
  StencilBench(options).run();
}

}  // namespace minimod
