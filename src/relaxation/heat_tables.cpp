#include "src/relaxation/heat_tables.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "src/base/json.hpp"
#include "src/base/screen.hpp"

namespace minimod::relaxation {

namespace {

constexpr int paper_iterations = 100;

const Json& paper() {
  static const Json tables = Json::parse(itu_tables);
  return tables;
}

/// The row of a table of the paper, null where it has none.
Json row_of(const Json& rows, const char* key, const Json& value) {
  const auto found = std::ranges::find_if(rows, [&](const Json& row) { return row[key] == value; });
  return found == rows.end() ? Json(nullptr) : *found;
}

HeatSetup on_grid(HeatSetup setup, Extent3 n) {
  setup.problem = make_heat_problem(n);
  setup.omega = best_omega(setup.problem);
  return setup;
}

std::unique_ptr<PlateSolver> solver_of(Backend& backend, const Kernel& kernel, const HeatSetup& setup) {
  return make_plate_solver(backend, kernel, setup.problem, setup.omega, setup.precision);
}

/// Runs of so many iterations that are timed: fewer of the long ones.
int runs_of(int iterations, int repeats) {
  constexpr int enough_iterations = 3000;
  return std::clamp(enough_iterations / iterations, 1, repeats);
}

/// The median of some runs after a warm-up.
RunTimes median_times(PlateSolver& solver, int iterations, int repeats) {
  static_cast<void>(solver.time_run(std::min(iterations, paper_iterations)));
  std::vector<double> upload, relaxation, download;
  for (int run = 0; run < repeats; ++run) {
    const RunTimes times = solver.time_run(iterations);
    upload.push_back(times.upload);
    relaxation.push_back(times.relaxation);
    download.push_back(times.download);
  }
  return {spread(upload).median, spread(relaxation).median, spread(download).median};
}

/// Median µs of a launch of each colour, red first.
std::array<double, 2> colour_times(PlateSolver& solver, int repeats) {
  std::array<double, 2> found{};
  std::vector<double> seconds(static_cast<std::size_t>(repeats));
  solver.start_cold();
  for (const int colour : {0, 1}) {
    static_cast<void>(solver.time_colour(colour, paper_iterations));
    for (double& run : seconds) run = solver.time_colour(colour, paper_iterations);
    found[static_cast<std::size_t>(colour)] = spread(seconds).median / paper_iterations * 1e6;
  }
  return found;
}

/// GB/s of a half sweep at what its memory moves at least.
double rate_of_colour(const Kernel& kernel, const HeatSetup& setup, double microseconds) {
  const auto nodes = static_cast<double>(setup.problem.n.points());
  return bytes_of_node(kernel, setup.precision) / 2 * nodes / microseconds * 1e-3;
}

Json make_table1(Backend& backend, const Kernel& kernel, const HeatSetup& setup) {
  const auto solver = solver_of(backend, kernel, setup);
  const RunTimes times = median_times(*solver, paper_iterations, setup.repeats);
  const auto [red, black] = colour_times(*solver, setup.repeats);
  struct Row {
    const char* name;
    int calls;
    double microseconds, gb_per_s;
  };
  const Row rows[] = {
      {"black", paper_iterations, paper_iterations * black, rate_of_colour(kernel, setup, black)},
      {"red", paper_iterations, paper_iterations * red, rate_of_colour(kernel, setup, red)},
      {"upload", 1, times.upload * 1e6, 0},
      {"download", 1, times.download * 1e6, 0}};
  double sum = 0;
  for (const Row& row : rows) sum += row.microseconds;
  std::printf("\nTable I, %d iterations of %s on the fine grid (in brackets Itu et al., %s, uncoalesced)\n",
              paper_iterations, kernel.name.c_str(), paper()["gpu"].get<std::string>().c_str());
  std::printf("%-10s %6s %20s %18s %18s\n", "", "calls", "µs", "share, %", "GB/s");
  Json record = Json::array();
  for (const Row& row : rows) {
    const Json theirs = row_of(paper()["table1"]["rows"], "name", row.name);
    const double percent = row.microseconds / sum * 100;
    std::printf("%-10s %6d %9.1f (%8.1f) %8.2f (%6.2f)", row.name, row.calls, row.microseconds,
                theirs["microseconds"].get<double>(), percent, theirs["percent"].get<double>());
    if (row.gb_per_s > 0) std::printf(" %9.1f (%5.1f)", row.gb_per_s, theirs["gb_per_s"].get<double>());
    std::printf("\n");
    record.push_back(
        {{"name", row.name}, {"calls", row.calls}, {"microseconds", row.microseconds}, {"percent", percent}});
    if (row.gb_per_s > 0) record.back()["gb_per_s"] = row.gb_per_s;
  }
  return {{"kernel", kernel.name}, {"rows", record}};
}

Json make_table2(Backend& backend, const std::vector<const Kernel*>& kernels, const HeatSetup& setup) {
  std::printf("\nTable II, a launch on the fine grid (in brackets Itu et al.)\n");
  std::printf("%-22s %18s %18s %11s %10s %10s\n", "kernel", "red, µs", "black, µs", "registers", "red GB/s",
              "black GB/s");
  Json record = Json::array();
  for (const Kernel* kernel : kernels) {
    if (!kernel->is_red_black) continue;
    const auto solver = solver_of(backend, *kernel, setup);
    const auto [red, black] = colour_times(*solver, setup.repeats);
    const LaunchFacts facts = solver->facts();
    const Json theirs = row_of(paper()["table2"]["rows"], "family", kernel->family);
    const auto beside = [&](const char* colour, std::size_t column) {
      return theirs.is_null() ? std::string() : text('(', theirs[colour][column].get<double>(), ')');
    };
    std::printf("%-22s %9.2f %8s %9.2f %8s %5d %5s %10.1f %10.1f\n", kernel->name.c_str(), red,
                beside("red", 0).c_str(), black, beside("black", 0).c_str(), facts.registers,
                beside("red", 1).c_str(), rate_of_colour(*kernel, setup, red),
                rate_of_colour(*kernel, setup, black));
    record.push_back({{"name", kernel->name},
                      {"red_microseconds", red},
                      {"black_microseconds", black},
                      {"launch", to_record(facts)}});
  }
  return record;
}

/// Seconds of a run of each of the table's iterations, in its order.
std::vector<double> run_seconds(Backend& backend, const Kernel& kernel, const HeatSetup& setup) {
  const auto solver = solver_of(backend, kernel, setup);
  std::vector<double> seconds;
  for (const Json& row : paper()["table3"]["rows"]) {
    const int iterations = row["iterations"];
    seconds.push_back(median_times(*solver, iterations, runs_of(iterations, setup.repeats)).total());
  }
  return seconds;
}

/// Of one grid; a row for each number of iterations.
Json make_table3(Backend& backend, Backend& host, const Kernel& kernel, const NamedGrid& grid,
                 const HeatSetup& setup) {
  const std::vector<double> ours = run_seconds(backend, kernel, setup);
  const std::vector<double> one_core = run_seconds(host, find_kernel(sequential_kernel), setup);
  const bool is_portable = kernel.name == portable_kernel;
  const std::vector<double> all_cores =
      is_portable ? ours : run_seconds(host, find_kernel(portable_kernel), setup);
  Json record = Json::array();
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const Json& theirs = paper()["table3"]["rows"][k];
    const int iterations = theirs["iterations"];
    const double cells = 1e-6 * iterations * static_cast<double>(grid.n.points());
    std::printf("%-8s %10d %10.3g %9.0f %9.2f (%6.3g) %9.2f\n", k == 0 ? grid.name : "", iterations, ours[k],
                cells / ours[k], one_core[k] / ours[k], theirs[grid.name].get<double>(),
                all_cores[k] / ours[k]);
    std::fflush(stdout);
    record.push_back({{"iterations", iterations},
                      {"seconds", ours[k]},
                      {"mcell_per_s", cells / ours[k]},
                      {"seconds_sequential", one_core[k]},
                      {"seconds_all_cores", all_cores[k]}});
  }
  return {{"name", grid.name}, {"n", {grid.n.x, grid.n.y}}, {"rows", record}};
}

}  // namespace

Json make_heat_tables(Backend& backend, const std::vector<const Kernel*>& kernels, const Kernel& fastest,
                      const HeatSetup& setup) {
  const HeatSetup fine = on_grid(setup, std::end(named_grids)[-1].n);
  Json record;
  record["table1"] = make_table1(backend, *kernels.front(), fine);
  record["table2"] = make_table2(backend, kernels, fine);
  const std::unique_ptr<Backend> host = make_host_backend();
  std::printf("\n%s\n", wrapped(text("Table III, runs of ", fastest.name,
                                     " with their copies: times that they are faster "
                                     "than one core in sequence (in brackets Itu et al.) and than ",
                                     host->info().units, " threads"))
                            .c_str());
  std::printf("%-8s %10s %10s %9s %18s %9s\n", "grid", "iterations", "seconds", "Mcell/s", "than sequence",
              "than all");
  for (const NamedGrid& grid : named_grids) {
    record["table3"].push_back(make_table3(backend, *host, fastest, grid, on_grid(setup, grid.n)));
  }
  return record;
}

}  // namespace minimod::relaxation
