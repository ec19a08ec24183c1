#include "src/measure/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>

#include <nlohmann/json.hpp>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/progress.hpp"
#include "src/base/process/screen.hpp"
#include "src/base/process/spawn.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/choice/layer_cost.hpp"
#include "src/job/outputs/record.hpp"
#include "src/measure/on_all_cores.hpp"
#include "src/measure/subject.hpp"
#include "src/measure/table.hpp"
#include "src/ranks/start.hpp"

namespace minimod {

namespace {

/// How kernels are shown and written.
struct ReportForm {
  Table table;
  /// Titles of the table for scripts: members of a record, of its spreads as seconds_min, and of its inner
  /// launch.
  const char* csv;
  FileKind csv_kind;
  const char* rows;   ///< name of kernels, in the record as elsewhere
  const char* right;  ///< standard of comparison
};

const ReportForm wave_form{
    {"shape",
     31,
     {{"seconds", "median", 8, "/seconds/median"},
      {"", "min", 8, "/gpt_per_s/min"},
      {"", "median", 8, "/gpt_per_s/median"},
      {"Gpt/s", "max", 8, "/gpt_per_s/max"},
      {"inner", "Gpt/s", 8, "/gpt_per_s_inner"},
      {"PML", "Gpt/s", 8, "/gpt_per_s_pml"},
      {"of the", "ceiling", 8, "/share_of_ceiling", NumberForm::fixed, 1, 100, "%"}}},
    "name,verified,seconds_min,seconds_median,seconds_max,gpt_per_s_min,gpt_per_s_median,gpt_per_s_max,"
    "gpt_per_s_inner,gpt_per_s_pml,gb_per_s,share_of_ceiling,registers,shared_bytes,local_bytes,occupancy,"
    "ranks,transport,rank_planes,rank_seconds,rank_bytes_sent,rank_exchange_seconds,rank_wait_seconds_a_step",
    {"a table of " + command("bench"),
     [](const std::filesystem::path& file) { return begins_with(file, "name,verified,seconds_min,"); }},
    "shapes",
    "the reference"};

/// Made when it is asked for: it names an option.
ReportForm stencil_form() {
  return {{"  kernel",
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
          "gpt_per_s_median,gpt_per_s_max,gflop_per_s,gb_per_s,share_of_ceiling,registers,shared_bytes,local_"
          "bytes,"
          "occupancy,played",
          {text("a table of ", command("bench"), " ", option("stencil")),
           [](const std::filesystem::path& file) { return begins_with(file, "stencil,kernel,precision,"); }},
          "kernels",
          "their equations"};
}

const Table table_of_ranks{"of a run",
                           31,
                           {{"", "planes", 6, "/planes", NumberForm::fixed},
                            {"", "Mpoints", 8, "/points", NumberForm::digits, 0, 1e-6},
                            {"", "seconds", 9, "/seconds"},
                            {"", "MB sent a step", 14, "/bytes_sent_a_step", NumberForm::digits, 0, 1e-6},
                            {"", "wait a step", 11, "/wait_seconds_a_step"}}};

const Table table_of_launches{
    "inner launch",
    31,
    {{"", "registers", 9, "/registers", NumberForm::fixed},
     {"", "shared", 10, "/shared_bytes", NumberForm::fixed, 0, 1, " B"},
     {"", "occupancy", 9, "/theoretical_occupancy", NumberForm::fixed, 0, 100, "%"}}};

const Table table_of_paper{"seconds of 1000 steps",
                           31,
                           {{"", "here", 9, "/here"},
                            {"", "V100", 9, "/V100", NumberForm::fixed, 2},
                            {"", "P100", 9, "/P100", NumberForm::fixed, 2},
                            {"", "NVS510", 9, "/NVS510", NumberForm::fixed, 2}}};

/// Values of the ranks under `key`, with blanks between.
std::string of_ranks(const Json& rows, const std::string& key) {
  return joined(rows, " ", [&](const Json& row) {
    return row[key].is_array() ? text(row[key][0], ':', row[key][1]) : row[key].dump();
  });
}

/// The members that a table may have beside each other. What several ranks have is in one.
Json flat_row(Json row) {
  for (const std::string key : {"seconds", "gpt_per_s"}) {
    for (const std::string part : {"min", "median", "max"}) {
      if (row.contains(key)) row[text(key, '_', part)] = row[key][part];
    }
  }
  Json launch = row.value("launch", Json());
  if (!launch.empty() && launch.front().is_object()) launch = Json(launch.front());
  if (!launch.is_null()) row.update(launch);
  row["occupancy"] = row.value("theoretical_occupancy", Json());
  if (!row.contains("ranks")) {
    row["ranks"] = row["verified"].get<bool>() ? Json(1) : Json();
    return row;
  }
  const Json ranks = row["ranks"];
  const Json& rows = ranks["rows"];
  row["ranks"] = rows.size();
  row["transport"] = ranks["transport"];
  for (const std::string key :
       {"planes", "seconds", "bytes_sent", "exchange_seconds", "wait_seconds_a_step"}) {
    row["rank_" + key] = of_ranks(rows, key);
  }
  return row;
}

/// Launches of the shapes that have them, and what the paper has of these.
void print_launches_and_paper(const Json& rows) {
  Json launches = Json::array(), paper = Json::array();
  for (const Json& row : rows) {
    const Json launch = row.value("launch", Json()), seconds = row.value("paper_seconds", Json());
    if (!launch.empty()) {
      launches.push_back(launch.front());
      launches.back()["name"] = row["name"];
    }
    if (!seconds.is_null()) {
      paper.push_back(seconds);
      paper.back().update({{"name", row["name"]}, {"here", row["seconds_per_1000_steps"]}});
    }
  }
  print_table(table_of_launches, launches);
  print_table(table_of_paper, paper);
}

/// Kernels of subjects, measured one after the other.
class Bench {
 public:
  Bench(const BenchOptions& options, const ReportForm& form) : options_(options), form_(form) {}

  /// The report's files, before anything runs. Errors: 73, 74, 77.
  void claim() {
    const ReportFiles& files = options_.files;
    check_distinct({files.json, files.csv});
    claims_.add(files.json, json_record, files.force);
    claims_.add(files.csv, form_.csv_kind, files.force);
  }

  void print_title(const std::string& what, int steps) const {
    print_wrapped(text(what, ", ", steps, " steps, ", options_.repeats, " runs each"));
  }
  static void print_ceilings(const StreamRates& stream) {
    std::printf("streaming 3 reads + 1 write: %.0f GB/s, copy %.0f GB/s", stream.three_reads_one_write,
                stream.copy);
  }

  void measure(const std::vector<MeasuredGroup>& groups, int steps, const StreamRates& stream) {
    const int warm_up = warm_up_steps(steps, options_.measure.warmup);
    EmulatedWork work;
    for (const auto& [subject, names] : groups) {
      for (const auto& name : names)
        subject->add_emulated(work, name, warm_up + 1.0 * options_.repeats * steps);
    }
    Ranks::world().on_first([&] { work.announce(); });
    const auto verdicts = verdicts_of(groups);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      Subject& subject = *groups[i].subject;
      if (const std::string heading = subject.heading(); !heading.empty()) {
        std::printf("\n");
        print_wrapped(heading);
      }
      print_head(form_.table);
      for (std::size_t k = 0; k < groups[i].names.size(); ++k) {
        const std::string& name = groups[i].names[k];
        const Verdict verdict = verdicts.empty() ? verdict_of(subject, name) : verdicts[i][k];
        Json figures = Json::object();
        std::string why = verdict.why_not;
        if (why.empty() && verdict.is_right)
          why = time_kernel(subject, name, steps, warm_up, stream, figures);
        why.empty() ? add(subject, name, verdict, figures) : leave_out(subject, name, why);
      }
      subject.end();
    }
  }

  /// `facts`: what the record has before its rows.
  void write(Json facts) const {
    facts[form_.rows] = rows_;
    facts["not_run"] = not_run_;
    const ReportFiles& files = options_.files;
    if (!files.json.empty()) write_record(facts, files.json, files.force);
    if (files.csv.empty()) return;
    Json rows = Json::array();
    for (const Json& row : rows_) rows.push_back(flat_row(row));
    write_text(csv_of(form_.csv, rows), files.csv, form_.csv_kind, files.force);
  }

  /// Error 65 where kernels were wrong, 69 where none runs.
  void require_right() const {
    const auto wrong = std::ranges::count_if(rows_, [](const Json& r) { return !r["verified"].get<bool>(); });
    if (wrong > 0) {
      throw Error(ErrorKind::data,
                  text(wrong, " of ", rows_.size(), ' ', form_.rows, " disagree with ", form_.right),
                  "they were not timed");
    }
    if (!rows_.empty()) return;
    throw Error(ErrorKind::unavailable,
                text("none of the ", not_run_.size(), ' ', form_.rows,
                     " runs here: ", escaped(not_run_[0]["why"].get<std::string>(), 120)),
                "each one's reason stands above");
  }

  [[nodiscard]] const Json& rows() const { return rows_; }
  [[nodiscard]] Json& not_run() { return not_run_; }

 private:
  static Verdict verdict_of(Subject& subject, const std::string& name) {
    const std::string why = subject.why_not_here(name);
    return why.empty() ? subject.verify(name) : Verdict{.why_not = why};
  }

  /// Verdicts of several subjects, verified side by side. A single subject has none: its kernels are verified
  /// when their turn comes.
  static std::vector<std::vector<Verdict>> verdicts_of(const std::vector<MeasuredGroup>& groups) {
    std::vector<std::vector<Verdict>> verdicts;
    if (groups.size() == 1) return verdicts;
    verdicts.resize(groups.size());
    Progress progress(static_cast<std::int64_t>(groups.size()), 0, 0, "verified");
    std::mutex mutex;
    std::int64_t done = 0;
    on_all_cores("minimod::verify", groups.size(), [&](std::size_t i) {
      for (const std::string& name : groups[i].names) {
        verdicts[i].push_back(verdict_of(*groups[i].subject, name));
      }
      const std::scoped_lock lock(mutex);
      progress.update(++done, "stencils  ");
    });
    return verdicts;
  }

  /// Why there is no measurement, empty where there is.
  std::string time_kernel(Subject& subject, const std::string& name, int steps, int warm_up,
                          const StreamRates& stream, Json& figures) const {
    if (std::string why = subject.take(name); !why.empty()) return why;
    const TimedRuns runs = subject.timed_runs(steps, warm_up, options_.repeats);
    const Spread seconds = spread(runs.seconds);
    const double gpoints = 1e-9 * steps * static_cast<double>(subject.grid().points());
    figures = {{"seconds", to_record(seconds)}, {"gpt_per_s", to_record(rates(gpoints, seconds))}};
    subject.add_figures(figures, runs, steps, stream);
    return subject.why_not_measured();
  }

  void leave_out(const Subject& subject, const std::string& name, const std::string& why) {
    not_run_.push_back(subject.identity(name));
    not_run_.back()["why"] = why;
    print_words(form_.table, subject.row_name(name), why);
  }

  /// A kernel that was measured, or one that is wrong.
  void add(const Subject& subject, const std::string& name, const Verdict& verdict, const Json& figures) {
    Json& record = rows_.emplace_back(subject.identity(name));
    record.update(subject.described(name));
    record.update({{"verified", verdict.is_right}, {"error", verdict.error}});
    record.update(figures);
    const std::string row = subject.row_name(name) + (record.value("played", false) ? " *" : "");
    if (verdict.is_right) return print_row(form_.table, row, record);
    if (!verdict.fault.empty()) record["why"] = verdict.fault;
    print_wrong(form_.table, row, verdict.error, verdict.fault);
  }

  const BenchOptions& options_;
  const ReportForm& form_;
  OutputClaims claims_;
  Json rows_ = Json::array(), not_run_ = Json::array();
};

}  // namespace

void print_ranks(const Json& rows, int steps) {
  Json shares = Json::array();
  for (const Json& row : rows) {
    if (!row.contains("ranks")) continue;
    int rank = 0;
    for (Json share : row["ranks"]["rows"]) {
      share["name"] = text(row["name"].get<std::string>(), ", rank ", rank++);
      share["planes"] = share["planes"][1].get<int>() - share["planes"][0].get<int>();
      share["bytes_sent_a_step"] = share["bytes_sent"].get<double>() / steps;
      shares.push_back(std::move(share));
    }
  }
  print_table(table_of_ranks, shares);
}

void bench_waves(const BenchOptions& options) {
  const MeasureOptions& asked = options.measure;
  Ranks& ranks = Ranks::world();
  require_one_run(words_of_call(), ranks);
  Problem setup = make_measured_problem(asked);
  DomainCut& cut = setup.cut;
  cut = cut_for(setup.domain, options.ranks, ranks, ranks.size());
  Bench bench(options, wave_form);
  cut.on_first([&] { bench.claim(); });
  DeviceChoice choice = choose_measured_device(asked.kernels, setup, options.ranks);
  std::vector<NamedKernels> kernels;
  cut.together([&] {
    std::vector<NotRun> not_run;
    kernels = matching_kernels(asked.kernels, setup, choice, not_run);
    bench.not_run() = to_record(not_run);
    const bool have_one_memory = !choice.device.is_gpu() || options.ranks.share_gpu;
    const int sharers = cut.ranks != nullptr && have_one_memory ? cut.ranks->size_of_node() : 1;
    check_measured_memory(setup, *choice.backend, kernels, sharers);
  });
  const StreamRates stream = stream_rates_of(choice, ranks, Thoroughness::of_figures);
  if (kernels.size() == 1 && cut.ranks != nullptr && options.ranks.planes.empty()) {
    cut.layer_cost = measured_layer_cost(*choice.backend, setup.domain, kernels.front().kernels, *cut.ranks);
    if (cut.layer_cost) cut.slabs = cut_by_cost(setup.domain, cut.count(), *cut.layer_cost);
  }
  const DeviceInfo device = choice.device;
  const double bytes = counted_bytes(setup, choice.kernels) / static_cast<double>(setup.grid().n.points());
  std::vector<MeasuredGroup> groups(1);
  for (const NamedKernels& set : kernels) groups[0].names.push_back(set.name);
  groups[0].subject = make_wave_subject(setup, std::move(choice), asked.kernels, asked.field, kernels);
  const std::string equation =
      setup.domain.equation == Equation::wave ? "" : equation_name(setup.domain.equation) + ", ";
  bench.print_title(text(device.name, "; ", points_text(setup.grid().n), ", ", equation,
                         boundary_name(setup.domain.boundary.kind), ' ', setup.layer_width(),
                         setup.domain.boundary.free_surface ? " under a free surface" : ""),
                    setup.time.steps);
  groups[0].subject->prepare(groups[0].names);
  if (const auto transport = groups[0].subject->transport()) {
    print_wrapped(ranks_fact(cut.slabs, *transport, cut.layer_cost), "ranks ");
  }
  Bench::print_ceilings(stream);
  std::printf("; counted bytes a point: %.4g\n", bytes);
  bench.measure(groups, setup.time.steps, stream);
  print_ranks(bench.rows(), setup.time.steps);
  print_launches_and_paper(bench.rows());
  cut.on_first([&] {
    bench.write({{"schema", "minimod.bench/1"},
                 {"build", build_record()},
                 {"device", device_record(device, stream)},
                 {"grid", to_record(setup, asked.field)},
                 {"time", {{"dt_s", setup.time.dt}, {"steps", setup.time.steps}}},
                 {"order", 2 * setup.grid().radius},
                 {"precision", precision_name(setup.grid().precision)},
                 {"decomposition", decomposition_name(setup.domain.decomposition)},
                 {"repeats", options.repeats}});
  });
  bench.require_right();
}

void bench_stencils(const BenchOptions& options) {
  const MeasuredStencils asked(*options.stencil);
  const ReportForm form = stencil_form();
  Bench bench(options, form);
  bench.claim();
  asked.check_memory();
  const int steps = options.stencil->steps.value_or(asked.device->usual_steps(asked.kernels));
  const StreamRates stream = asked.device->backend->measure_stream_rates(Thoroughness::of_figures);
  bench.print_title(text(asked.device->title(asked.kernels), "; ", points_text(asked.n)), steps);
  Bench::print_ceilings(stream);
  std::printf("\n");
  if (asked.device->emulates_one_of(asked.kernels)) std::printf("* %s\n", emulated_rate);
  std::vector<MeasuredGroup> groups;
  for (const stencil::Specification& specification : asked.specifications) {
    MeasuredGroup& group = groups.emplace_back();
    group.subject = make_stencil_subject(specification, asked.n, asked.device);
    for (const stencil::KernelName& kernel : asked.kernels) group.names.push_back(kernel.text());
  }
  if (groups.size() == 1) groups[0].subject->prepare(groups[0].names);
  bench.measure(groups, steps, stream);
  bench.write({{"schema", "minimod.stencil.bench/1"},
               {"build", build_record()},
               {"device", device_record(asked.device->backend->info(), stream)},
               {"grid", {{"n", {asked.n.x, asked.n.y, asked.n.z}}}},
               {"time", {{"steps", steps}}},
               {"repeats", options.repeats}});
  bench.require_right();
}

}  // namespace minimod
