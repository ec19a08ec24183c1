#include <algorithm>
#include <cstdio>

#include "src/base/json.hpp"
#include "src/base/process/screen.hpp"
#include "src/measure/measurement.hpp"
#include "src/measure/paper_tables.hpp"
#include "src/relaxation/heat_measurement.hpp"

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

/// Runs of so many iterations that are timed: fewer of the long ones.
int runs_of(int iterations, int repeats) {
  constexpr int enough_iterations = 3000;
  return std::clamp(enough_iterations / iterations, 1, repeats);
}

/// The median of some runs after a warm-up.
RunTimes median_times(PlateSolver& solver, int iterations, int repeats) {
  static_cast<void>(solver.time_run(std::min(iterations, paper_iterations)));
  const auto its = spreads(repeats, [&] {
    const RunTimes times = solver.time_run(iterations);
    return std::vector{times.upload, times.relaxation, times.download};
  });
  return {its[0].median, its[1].median, its[2].median};
}

/// Median µs of a launch of that colour.
double time_of_colour(PlateSolver& solver, int colour, int repeats) {
  const auto seconds = [&] { return std::vector{solver.time_colour(colour, paper_iterations)}; };
  static_cast<void>(seconds());
  return spreads(repeats, seconds).front().median / paper_iterations * 1e6;
}

/// GB/s of a half sweep at what its memory moves at least.
double rate_of_colour(const Kernel& kernel, const HeatSetup& setup, double microseconds) {
  const auto nodes = static_cast<double>(setup.problem.n.points());
  return bytes_of_node(kernel, setup.precision) / 2 * nodes / microseconds * 1e-3;
}

const Table table1{"",
                   10,
                   {{"", "calls", 6, "/calls", NumberForm::fixed},
                    {"", "", 9, "/microseconds", NumberForm::fixed, 1},
                    {"", "µs", 10, "/theirs/microseconds", NumberForm::fixed, 1},
                    {"", "", 8, "/percent", NumberForm::fixed, 2},
                    {"", "share, %", 8, "/theirs/percent", NumberForm::fixed, 2},
                    {"", "", 9, "/gb_per_s", NumberForm::fixed, 1},
                    {"", "GB/s", 7, "/theirs/gb_per_s", NumberForm::fixed, 1}}};

Json make_table1(Backend& backend, const Kernel& kernel, const HeatSetup& setup) {
  const auto solver = setup.solver(backend, kernel);
  const RunTimes times = median_times(*solver, paper_iterations, setup.repeats);
  solver->start_cold();
  const double red = time_of_colour(*solver, 0, setup.repeats),
               black = time_of_colour(*solver, 1, setup.repeats);
  Json rows = Json::array();
  const auto add = [&](const char* name, int calls, double microseconds) -> Json& {
    return rows.push_back({{"name", name}, {"calls", calls}, {"microseconds", microseconds}, {"percent", 0}});
  };
  for (const auto& [name, time] : {std::pair{"black", black}, std::pair{"red", red}}) {
    add(name, paper_iterations, paper_iterations * time)["gb_per_s"] = rate_of_colour(kernel, setup, time);
  }
  add("upload", 1, times.upload * 1e6);
  add("download", 1, times.download * 1e6);
  double sum = 0;
  for (const Json& row : rows) sum += row["microseconds"].get<double>();
  std::printf("\nTable I, %d iterations of %s on the fine grid (in brackets Itu et al., %s, uncoalesced)\n",
              paper_iterations, kernel.name.c_str(), paper()["gpu"].get<std::string>().c_str());
  print_head(table1);
  for (Json& row : rows) {
    row["percent"] = row["microseconds"].get<double>() / sum * 100;
    Json shown = row;
    shown["theirs"] = row_of(paper()["table1"]["rows"], "name", row["name"]);
    shown["gb_per_s"] = shown.value("gb_per_s", "");
    print_row(table1, row["name"].get<std::string>(), shown);
  }
  return {{"kernel", kernel.name}, {"rows", rows}};
}

const Table table2{"kernel",
                   22,
                   {{"", "", 9, "/red_microseconds", NumberForm::fixed, 2},
                    {"", "red, µs", 8, "/theirs/red/0", NumberForm::general, 6},
                    {"", "", 9, "/black_microseconds", NumberForm::fixed, 2},
                    {"", "black, µs", 8, "/theirs/black/0", NumberForm::general, 6},
                    {"", "", 5, "/launch/registers", NumberForm::fixed},
                    {"", "registers", 5, "/theirs/red/1", NumberForm::fixed},
                    {"", "red GB/s", 10, "/red_gb_per_s", NumberForm::fixed, 1},
                    {"", "black GB/s", 10, "/black_gb_per_s", NumberForm::fixed, 1}}};

Json make_table2(Backend& backend, const std::vector<const Kernel*>& kernels, const HeatSetup& setup) {
  std::printf("\nTable II, a launch on the fine grid (in brackets Itu et al.)\n");
  print_head(table2);
  Json record = Json::array();
  for (const Kernel* kernel : kernels) {
    if (!kernel->is_red_black) continue;
    const auto solver = setup.solver(backend, *kernel);
    solver->start_cold();
    const double red = time_of_colour(*solver, 0, setup.repeats),
                 black = time_of_colour(*solver, 1, setup.repeats);
    record.push_back({{"name", kernel->name},
                      {"red_microseconds", red},
                      {"black_microseconds", black},
                      {"launch", to_record(solver->facts())}});
    Json shown = record.back();
    shown["red_gb_per_s"] = rate_of_colour(*kernel, setup, red);
    shown["black_gb_per_s"] = rate_of_colour(*kernel, setup, black);
    shown["theirs"] = row_of(paper()["table2"]["rows"], "family", kernel->family);
    print_row(table2, kernel->name, shown);
  }
  return record;
}

const Table table3{"grid",
                   8,
                   {{"", "iterations", 10, "/iterations", NumberForm::fixed},
                    {"", "seconds", 10, "/seconds", NumberForm::general, 3},
                    {"", "Mcell/s", 9, "/mcell_per_s", NumberForm::fixed},
                    {"", "", 9, "/than_sequential", NumberForm::fixed, 2},
                    {"", "than sequence", 8, "/theirs", NumberForm::general, 3},
                    {"", "than all", 9, "/than_all_cores", NumberForm::fixed, 2}}};

/// Seconds of a run of each of the table's iterations, in its order.
std::vector<double> run_seconds(Backend& backend, const Kernel& kernel, const HeatSetup& setup) {
  const auto solver = setup.solver(backend, kernel);
  std::vector<double> seconds;
  for (const Json& row : paper()["table3"]["rows"]) {
    const int iterations = row["iterations"].get<int>();
    seconds.push_back(median_times(*solver, iterations, runs_of(iterations, setup.repeats)).total());
  }
  return seconds;
}

/// Table of one grid; a row for each number of iterations.
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
    const int iterations = theirs["iterations"].get<int>();
    const double cells = 1e-6 * iterations * static_cast<double>(grid.n.points());
    record.push_back({{"iterations", iterations},
                      {"seconds", ours[k]},
                      {"mcell_per_s", cells / ours[k]},
                      {"seconds_sequential", one_core[k]},
                      {"seconds_all_cores", all_cores[k]}});
    Json shown = record.back();
    shown["theirs"] = theirs[grid.name];
    shown["than_sequential"] = one_core[k] / ours[k];
    shown["than_all_cores"] = all_cores[k] / ours[k];
    print_row(table3, k == 0 ? grid.name : "", shown);
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
  std::printf("\n");
  print_wrapped(text("Table III, runs of ", fastest.name, " with their copies: times that they are faster ",
                     "than one core in sequence (in brackets Itu et al.) and than ", host->info().units,
                     " threads"));
  print_head(table3);
  for (const NamedGrid& grid : named_grids) {
    record["table3"].push_back(make_table3(backend, *host, fastest, grid, on_grid(setup, grid.n)));
  }
  return record;
}

}  // namespace minimod::relaxation
