#include "src/measure/stencil_bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/output_claims.hpp"
#include "src/base/output_file.hpp"
#include "src/base/progress.hpp"
#include "src/base/screen.hpp"
#include "src/measure/measurement.hpp"
#include "src/shot/record.hpp"

namespace minimod {

namespace {

const FileKind stencil_table{"a table of minimod bench --stencil", [](const std::filesystem::path& file) {
                               return begins_with(file, "stencil,kernel,precision,");
                             }};

/// What is measured and where.
class StencilBench {
 public:
  explicit StencilBench(const StencilBenchOptions& options)
      : options_(options),
        specifications_(measured_specifications(options.measure)),
        device_(device_for_names(options.measure)),
        kernels_(device_.measured(options.measure.kernels)),
        n_(options.measure.grid.value_or(device_.usual_grid(kernels_))),
        steps_(options.measure.steps.value_or(device_.usual_steps(kernels_))) {
    check_distinct({options.json, options.csv});
    claims_.add(options.json, json_record, options.force);
    claims_.add(options.csv, stencil_table, options.force);
  }

  void run() {
    check_memory();
    stream_ = device_.backend->measure_stream_rates(Patience::of_figures);
    print_head();
    PlayedWork work;
    for (const stencil::Specification& specification : specifications_) {
      add_played(work, device_, specification, kernels_, n_,
                 MeasuredStencil::steps_of_timed_runs(steps_, options_.repeats));
    }
    work.announce();
    const auto verdicts = verified();
    for (std::size_t i = 0; i < specifications_.size(); ++i) measure(specifications_[i], verdicts[i]);
    write_files();
    report();
  }

 private:
  /// Error 71 where none fits; some that do not are left out when their turn comes.
  void check_memory() const {
    const auto least = std::ranges::min_element(specifications_, {}, [&](const auto& specification) {
      return stencil::bytes_of_arrays(specification, n_);
    });
    check_stencil_memory(*least, n_, device_);
  }

  void print_head() const {
    std::printf("%s\n", wrapped(text(device_.title(kernels_), "; ", n_.x, " x ", n_.y, " x ", n_.z,
                                     " points, ", steps_, " steps, ", options_.repeats, " runs each"))
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

  void measure(const stencil::Specification& specification, const std::vector<stencil::Verdict>& verdicts) {
    const stencil::Facts facts = stencil::facts_of(specification);
    print_stencil(specification, facts);
    std::vector<stencil::KernelName> right;
    for (const stencil::Verdict& verdict : verdicts) {
      if (verdict.is_left_out) leave_out_kernel(specification, verdict.kernel, verdict.why_not);
      if (!verdict.passed()) add_wrong(specification, verdict);
      if (verdict.passed() && !verdict.is_left_out) right.push_back(verdict.kernel);
    }
    if (right.empty()) return;
    try {
      const auto compiled = stencil::compile_kernels(specification, right, n_, device_.gpu());
      MeasuredStencil measured(specification, n_, device_);
      for (std::size_t i = 0; i < right.size(); ++i) {
        const auto verdict =
            std::ranges::find(verdicts, right[i].text(), [](const auto& of) { return of.kernel.text(); });
        const auto seconds = measured.timed_runs(compiled[i], steps_, options_.repeats);
        add_measured(specification, facts, *verdict, compiled[i], spread(seconds));
      }
    } catch (const Error& refusal) {
      if (refusal.code() != ExitCode::resource) throw;
      for (const stencil::KernelName& kernel : right) leave_out_kernel(specification, kernel, refusal.what());
    }
  }

  static Json named(const stencil::Specification& specification, const stencil::KernelName& kernel) {
    return {{"stencil", escaped(specification.name)}, {"kernel", kernel.text()}};
  }

  void leave_out_kernel(const stencil::Specification& specification, const stencil::KernelName& kernel,
                        const std::string& why) {
    not_run_.push_back(named(specification, kernel));
    not_run_.back()["why"] = why;
    std::string name = "  " + kernel.text();
    name.resize(kernel_columns + 3, ' ');
    std::printf("%s\n", wrapped(why, name).c_str());
  }

  void add_wrong(const stencil::Specification& specification, const stencil::Verdict& verdict) {
    Json record = named(specification, verdict.kernel);
    record["precision"] = precision_text(specification);
    record["verified"] = false;
    record["error"] = std::isfinite(verdict.error) ? Json(verdict.error) : Json(nullptr);
    record["why"] = verdict.why_not;
    records_.push_back(record);
    ++wrong_;
    std::printf("  %-28s wrong: relative L2 error %.2e, not timed\n", verdict.kernel.text().c_str(),
                verdict.error);
  }

  void add_measured(const stencil::Specification& specification, const stencil::Facts& facts,
                    const stencil::Verdict& verdict, const stencil::Kernel& kernel, const Spread& seconds) {
    const StencilRates slow = rates_of(facts, n_, steps_, seconds.max),
                       median = rates_of(facts, n_, steps_, seconds.median),
                       fast = rates_of(facts, n_, steps_, seconds.min);
    Json record = named(specification, verdict.kernel);
    record["precision"] = precision_text(specification);
    record["bytes_a_point"] = facts.compulsory_bytes;
    record["operations_a_point"] = facts.operations();
    record["verified"] = true;
    record["error"] = verdict.error;
    record["seconds"] = to_record(seconds);
    record["gpt_per_s"] = to_record(Spread{slow.gpt, median.gpt, fast.gpt});
    record["gflop_per_s"] = median.gflop;
    record["gb_per_s"] = median.gbyte;
    record["played"] = device_.plays(verdict.kernel);
    record["share_of_ceiling"] =
        device_.plays(verdict.kernel) ? Json() : Json(median.gbyte / stream_.three_reads_one_write);
    record["launch"] = launch_record_of(kernel);
    print_kernel(record);
    records_.push_back(std::move(record));
  }

  void print_stencil(const stencil::Specification& specification, const stencil::Facts& facts) const {
    std::printf("\n%s\n",
                wrapped(text(escaped(specification.name, 40), " in ", precision_text(specification), ": ",
                             facts.compulsory_bytes, " bytes, ", facts.operations(), " operations a point"))
                    .c_str());
    std::printf("  %-28s %23s %8s %8s %8s %5s %5s\n", "", "Gpt/s", "Gflop/s", "GB/s", "of the", "regi",
                "occ.");
    std::printf("  %-28s %7s %7s %7s %8s %8s %8s %5s %5s\n", "kernel", "min", "median", "max", "median",
                "median", "ceiling", "sters", "%");
  }

  static void print_kernel(const Json& r) {
    const bool is_played = r["played"].get<bool>();
    std::printf("  %-28s", (r["kernel"].get<std::string>() + (is_played ? " *" : "")).c_str());
    for (const char* which : {"min", "median", "max"})
      std::printf(" %7s", three_digits(r["gpt_per_s"][which]).c_str());
    std::printf(" %8s %8s", three_digits(r["gflop_per_s"]).c_str(), three_digits(r["gb_per_s"]).c_str());
    if (is_played) {
      std::printf(" %8s", "-");
    } else {
      std::printf(" %7.1f%%", 100 * r["share_of_ceiling"].get<double>());
    }
    if (const Json& launch = r["launch"]; launch.is_null()) {
      std::printf(" %5s %5s\n", "-", "-");
    } else {
      std::printf(" %5d %5.0f\n", launch["registers"].get<int>(),
                  100 * launch["theoretical_occupancy"].get<double>());
    }
    std::fflush(stdout);
  }

  [[nodiscard]] std::string csv() const {
    std::ostringstream csv;
    csv << "stencil,kernel,precision,verified,error,seconds_min,seconds_median,seconds_max,gpt_per_s_min,"
           "gpt_per_s_median,gpt_per_s_max,gflop_per_s,gb_per_s,share_of_ceiling,registers,shared_bytes,"
           "local_bytes,occupancy,played\n";
    for (const Json& r : records_) {
      csv << r["stencil"].get<std::string>() << ',' << r["kernel"].get<std::string>() << ','
          << r["precision"].get<std::string>() << ',' << r["verified"];
      const auto put = [&](const Json& value) { csv << ',' << (value.is_null() ? "" : value.dump()); };
      put(r["error"]);
      for (const char* key : {"seconds", "gpt_per_s"}) {
        for (const char* part : {"min", "median", "max"})
          put(r.value(key, Json::object()).value(part, Json()));
      }
      for (const char* key : {"gflop_per_s", "gb_per_s", "share_of_ceiling"}) put(r.value(key, Json()));
      const Json found = r.value("launch", Json()), launch = found.is_null() ? Json::object() : found;
      for (const char* key : {"registers", "shared_bytes", "local_bytes", "theoretical_occupancy"})
        put(launch.value(key, Json()));
      put(r.value("played", Json()));
      csv << '\n';
    }
    return csv.str();
  }

  void write_files() const {
    if (!options_.json.empty()) {
      write_record({{"schema", "minimod.stencil.bench/1"},
                    {"build", build_record()},
                    {"device", device_record(device_.backend->info(), stream_)},
                    {"grid", {{"n", {n_.x, n_.y, n_.z}}}},
                    {"time", {{"steps", steps_}}},
                    {"repeats", options_.repeats},
                    {"kernels", records_},
                    {"not_run", not_run_}},
                   options_.json, options_.force);
    }
    if (!options_.csv.empty()) write_text(csv(), options_.csv, stencil_table, options_.force);
  }

  void report() const {
    if (wrong_ > 0) {
      throw Error(ExitCode::data,
                  text(wrong_, " of ", records_.size(), " kernels disagree with their equations"),
                  "they were not timed");
    }
    if (records_.empty()) {
      throw Error(ExitCode::unavailable,
                  text("none of the ", not_run_.size(),
                       " kernels runs here: ", escaped(not_run_[0]["why"].get<std::string>(), 120)),
                  "each one's reason stands above");
    }
  }

  static constexpr std::size_t kernel_columns = 28;

  const StencilBenchOptions& options_;
  OutputClaims claims_;
  std::vector<stencil::Specification> specifications_;
  StencilDevice device_;
  std::vector<stencil::KernelName> kernels_;
  Extent3 n_;
  int steps_;
  StreamRates stream_;
  Json records_ = Json::array(), not_run_ = Json::array();
  std::size_t wrong_ = 0;
};

}  // namespace

void bench_stencils(const StencilBenchOptions& options) {
  StencilBench(options).run();
}

}  // namespace minimod
