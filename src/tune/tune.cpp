#include "src/tune/tune.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "kernels/registry.hpp"
#include "kernels/tile_space.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/output_file.hpp"
#include "src/base/parse.hpp"
#include "src/base/stop_requests.hpp"
#include "src/choice/tuned_tiles.hpp"
#include "src/measure/measurement.hpp"
#include "src/shot/record.hpp"
#include "src/tune/ranking.hpp"
#include "src/tune/tune_record.hpp"
#include "src/tune/tune_tables.hpp"
#include "src/tune/tuner.hpp"

namespace minimod {

namespace {

constexpr double default_cutoff = 5;           // percent, as the paper has it
constexpr std::size_t most_run_unasked = 100;  // candidates, beyond which the model chooses
constexpr Extent3 grid_of_gpu{512, 512, 256};  // the paper's
constexpr Extent3 grid_of_host{64, 64, 64};

void check_tune_options(const TuneOptions& o) {
  const auto contradict = [](const char* what, const char* remedy) {
    throw Error(ExitCode::usage, what, remedy);
  };
  if (o.exhaustive && o.model) contradict("--exhaustive and --model are given", "give one of them");
  if (o.cutoff && o.exhaustive) contradict("--cutoff is given with --exhaustive", "give --model with it");
  if (!o.from.empty() && !o.output.empty()) {
    contradict("--from and --output are given", "--from runs nothing: leave one of them out");
  }
  if (o.from.empty() && o.kernels.kernel == "auto") {
    contradict("tune is given no family", "name one, as --kernel in_plane_full (minimod kernels lists them)");
  }
}

/// Of a family's name. Error 64 for another.
const ShapeFamily& searched_family(const std::string& name) {
  const CodeShape& shape = find_shape(name);
  const ShapeFamily* const family = find_family(shape.family);
  if (family == nullptr) {
    throw Error(ExitCode::usage,
                text(shape.family, " has no other tiles than those that minimod kernels lists"),
                "bench them, or search another family");
  }
  if (parse_shape_name(name)) {
    throw Error(ExitCode::usage, text("--kernel names the tile ", escaped(name)),
                text("name its family, ", family->name, ", and tiles by --candidates"));
  }
  return *family;
}

bool matches_one(const std::string& name, const std::string& patterns) {
  if (patterns.empty()) return true;
  const auto parts = split(patterns, ',');
  return std::ranges::any_of(
      parts, [&](std::string_view pattern) { return matches_pattern(name, std::string(pattern)); });
}

/// The tiles that are built in, for the fastest to be compared with, and the family's space; of all these
/// what is asked for.
std::vector<TuneCandidate> make_candidates(const ShapeFamily& family, const TuneProblem& problem,
                                           const TuneOptions& options) {
  std::vector<TuneCandidate> all;
  const auto add = [&](const std::string& name, bool is_built_in) {
    const bool is_there = std::ranges::find(all, name, &TuneCandidate::name) != all.end();
    if (is_there || !matches_one(name, options.patterns)) return;
    TuneCandidate candidate;
    candidate.name = name;
    candidate.is_built_in = is_built_in;
    all.push_back(candidate);
  };
  for (const CodeShape& shape : all_shapes()) {
    if (shape.family != family.name) continue;
    const NamedShape named = *parse_shape_name(shape.name);
    const bool can_be = why_impossible(named, problem.order / 2, problem.precision).empty();
    if (can_be) add(shape.name, true);
  }
  for (const NamedShape& shape : tile_space(family, problem.order / 2, problem.precision)) {
    add(shape_name(family.name, shape.parameters), false);
  }
  if (all.empty()) {
    throw Error(ExitCode::usage,
                options.patterns.empty()
                    ? text(family.name, " has no tile of order ", problem.order)
                    : text("no candidate of ", family.name, " matches '", escaped(options.patterns), "'"),
                text("its tiles are named ", naming(family)));
  }
  const auto limit = static_cast<std::size_t>(options.limit.value_or(static_cast<int>(all.size())));
  if (limit >= all.size()) return all;
  std::vector<TuneCandidate> some;
  for (std::size_t i = 0; i < limit; ++i) some.push_back(all[i * all.size() / limit]);
  return some;
}

/// A device, the problem there, and its record, from which the search goes on.
class Search {
 public:
  explicit Search(const TuneOptions& options)
      : options_(options), family_(searched_family(options.kernels.kernel)) {
    choose();
    TuneProblem& problem = record_.problem;
    problem = {family_.name, options.kernels.order, options.kernels.precision, options.kernels.equation,
               setup_.n,     choice_.device.name,   choice_.device.kind,       build_info().git_hash,
               setup_.steps};
    std::vector<TuneCandidate> wanted = make_candidates(family_, problem, options);
    if (!options.output.empty()) take_up_record();
    for (TuneCandidate& candidate : wanted) {
      auto known = std::ranges::find(record_.candidates, candidate.name, &TuneCandidate::name);
      if (known == record_.candidates.end()) {
        known = record_.candidates.insert(known, std::move(candidate));
      }
      selected_.push_back(static_cast<std::size_t>(known - record_.candidates.begin()));
    }
    check_measured_memory(setup_, *choice_.backend, {{"reference", choice_.kernels}});
  }

  void run() {
    describe_device();
    print_search(record_);
    std::fflush(stdout);
    StopRequests::note();
    Tuner tuner(setup_, choice_, record_, [this] { keep(); });
    tuner.compile(selected_);
    if (!StopRequests::came()) tuner.measure(those_that_run(), options_.repeats);
    if (StopRequests::came()) stop();
    report();
  }

 private:
  void choose() {
    KernelOptions on_device = options_.kernels;
    on_device.kernel = "reference";
    on_device.schedule = &sequence();
    setup_ = make_setup(measured(grid_of_host));
    choice_ = choose_measured_device(on_device, setup_);
    const bool on_gpu = choice_.device.kind == "cuda";
    if (!on_gpu && !options_.kernels.emulate) {
      const bool by_option = options_.kernels.device.kind == DeviceOption::Kind::cpu;
      throw Error(by_option ? ExitCode::usage : ExitCode::unavailable,
                  by_option ? "--device cpu has no tiles of its own" : find_cuda_devices().why_none,
                  "give --emulate, which searches by playing them on the host (slow, for study)");
    }
    if (!on_gpu && options_.model) {
      throw Error(ExitCode::usage, "--model is given for the host", "the model is one of GPUs: leave it out");
    }
    setup_ = make_setup(measured(options_.grid.value_or(on_gpu ? grid_of_gpu : grid_of_host)));
  }

  [[nodiscard]] MeasureOptions measured(Extent3 grid) const {
    MeasureOptions measure;
    measure.grid.grid = grid;
    measure.boundary.width = 0;
    measure.kernels = options_.kernels;
    measure.kernels.kernel = "reference";
    measure.steps = options_.steps;
    return measure;
  }

  /// That is there, where it is of this search.
  void take_up_record() {
    const std::filesystem::path file = options_.output;
    if (std::filesystem::exists(file) && !options_.force) {
      TuneRecord kept = read_tune_record(file);
      if (const std::string other = difference(kept.problem, record_.problem); !other.empty()) {
        throw Error(ExitCode::cannot_create, text(shown(file), " has another search: ", other),
                    "give another --output, or --force to begin anew");
      }
      record_ = std::move(kept);
      goes_on_ = true;
    }
    check_can_create(file, json_record, goes_on_ || options_.force);
  }

  void describe_device() {
    if (goes_on_) return;
    const DeviceInfo& device = choice_.device;
    record_.build = build_record().dump();
    if (device.kind != "cuda") {
      record_.device = device_record(device).dump();
      return;
    }
    const StreamRates stream = choice_.stream_rates();
    record_.device = device_record(device, stream).dump();
    record_.gpu = GpuFacts{device.units, 1e9 * stream.three_reads_one_write, device.clock_hz,
                           assumed_latency_cycles, device.most_warps};
  }

  /// Where the model chooses, the first of those that are asked for, by its rank.
  [[nodiscard]] std::vector<std::size_t> those_that_run() const {
    const bool by_model =
        options_.model || (!options_.exhaustive && record_.gpu && selected_.size() > most_run_unasked);
    if (!by_model) return selected_;
    std::vector<std::size_t> ranked;
    for (const Ranked& r : ranked_by_model(record_, ModelForm::mended)) {
      if (std::ranges::count(selected_, r.candidate) > 0) ranked.push_back(r.candidate);
    }
    ranked.resize(count_within(options_.cutoff.value_or(default_cutoff), ranked.size()));
    return ranked;
  }

  void keep() const {
    if (!options_.output.empty()) write_record(to_json(record_), options_.output, true);
  }

  [[noreturn]] void stop() const {
    const auto done =
        std::ranges::count_if(selected_, [&](std::size_t i) { return record_.candidates[i].is_done(); });
    throw Error(ExitCode::stopped,
                text("stopped by a signal; ", done, " of ", selected_.size(), " candidates are done"),
                options_.output.empty() ? "with --output they would be kept"
                                        : "the same command goes on with the record");
  }

  /// For `--kernel auto`.
  void keep_winner() const {
    const TuneCandidate* const best = fastest(record_);
    const TuneProblem& of = record_.problem;
    if (best == nullptr || choice_.device.kind != "cuda" || of.equation != Equation::wave) return;
    TunedTiles::of_user().keep(
        {of.device, of.order, of.precision, of.family, of.grid, best->name, record_.gpt_per_s(*best)});
    std::printf("%s is among what --kernel auto tries on this GPU\n", best->name.c_str());
  }

  /// Errors: 65 candidates that were wrong, 69 none that runs.
  void report() const {
    print_candidates(record_);
    print_winner(record_);
    keep_winner();
    print_model(record_, options_.cutoff.value_or(default_cutoff));
    if (!options_.output.empty()) std::printf("record %s\n", options_.output.c_str());
    const auto count = [&](CandidateState state) {
      return static_cast<std::size_t>(std::ranges::count_if(
          selected_, [&](std::size_t i) { return record_.candidates[i].state == state; }));
    };
    if (const std::size_t wrong = count(CandidateState::wrong); wrong > 0) {
      throw Error(ExitCode::data,
                  text(wrong, " of ", selected_.size(), " candidates disagree with the reference"),
                  "they were not timed");
    }
    if (count(CandidateState::refused) == selected_.size()) {
      throw Error(ExitCode::unavailable, text("none of the ", selected_.size(), " candidates runs here"),
                  "each one's reason stands above");
    }
  }

  const TuneOptions& options_;
  const ShapeFamily& family_;
  DeviceChoice choice_;
  Setup setup_;
  TuneRecord record_;
  bool goes_on_ = false;
  std::vector<std::size_t> selected_;  ///< candidates of the record that are asked for
};

/// What a record has, on a machine that need have no GPU.
void report_kept(const TuneOptions& options) {
  const TuneRecord record = read_tune_record(options.from);
  if (options.kernels.kernel != "auto" && options.kernels.kernel != record.problem.family) {
    throw Error(ExitCode::usage,
                text(shown(options.from), " is of ", record.problem.family, ", not of ",
                     escaped(options.kernels.kernel)),
                "leave --kernel out");
  }
  if (options.model && !record.gpu) {
    throw Error(ExitCode::data, text(shown(options.from), " is no record of a GPU, which the model is of"),
                "leave --model out");
  }
  print_search(record);
  print_candidates(record);
  print_winner(record);
  print_model(record, options.cutoff.value_or(default_cutoff));
}

}  // namespace

void run_tune(const TuneOptions& options) {
  check_tune_options(options);
  if (!options.from.empty()) return report_kept(options);
  Search search(options);
  search.run();
}

}  // namespace minimod
