#include "src/tune/tune_tables.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/screen.hpp"
#include "src/choice/emulated.hpp"
#include "src/measure/table.hpp"
#include "src/measure/timing.hpp"
#include "src/tune/ranking.hpp"

namespace minimod {

namespace {

const Table table_of_candidates{
    "tile",
    36,
    {{"regi", "sters", 4, "/compiled/registers", NumberForm::fixed},
     {"spill", "B", 5, "/compiled/local_bytes", NumberForm::fixed},
     {"shared", "B", 6, "/compiled/shared_bytes", NumberForm::fixed},
     {"occ.", "%", 4, "/compiled/theoretical_occupancy", NumberForm::fixed, 0, 100},
     {"", "min", 8, "/rates/min"},
     {"", "median", 8, "/rates/median"},
     {"Gpt/s", "max", 8, "/rates/max"},
     {"by the", "model", 8, "/predicted"}}};

/// Table of the candidates, in a search for energy with points a joule in place of the model's rate.
Table table_of(const TuneRecord& record) {
  Table table = table_of_candidates;
  if (record.problem.objective == Objective::energy) table.columns.back() = {"", "Mpt/J", 8, "/mpt_per_j"};
  return table;
}

std::string percent_text(double share) {
  return text(three_digits(std::max(0.0, 100 * share)), " %");
}

/// Where no candidate was measured: those that were compiled, by the model.
void print_forecast(const TuneRecord& record, const std::vector<Ranked>& ranked) {
  if (ranked.empty()) return;
  print_head(table_of_candidates);
  const Json records = to_json(record)["candidates"];
  for (const Ranked& one : ranked) {
    Json row = records[one.candidate];
    row["predicted"] = one.gpt_per_s;
    print_row(table_of_candidates, record.candidates[one.candidate].name, row);
  }
}

}  // namespace

void print_search(const TuneRecord& record) {
  const TuneProblem& problem = record.problem;
  const std::string of =
      problem.stencil ? text(" of ", escaped(problem.stencil->name, 40)) : text(", order ", problem.order);
  print_wrapped(text(escaped(problem.device), "; ", problem.family, of, ", ",
                     precision_name(problem.precision), " precision",
                     problem.equation == Equation::wave ? "" : ", " + equation_name(problem.equation), "; ",
                     problem.grid.x, " x ", problem.grid.y, " x ", problem.grid.z, " points; ",
                     record.candidates.size(), " candidates"));
}

void print_candidates(const TuneRecord& record) {
  const std::vector<Ranked> ranked = ranked_by_model(record, ModelForm::mended);
  std::map<std::size_t, double> predicted;
  for (const Ranked& one : ranked) predicted[one.candidate] = one.gpt_per_s;
  std::vector<std::size_t> measured;
  for (std::size_t i = 0; i < record.candidates.size(); ++i) {
    if (record.candidates[i].state == CandidateState::measured) measured.push_back(i);
  }
  const auto merit_of = [&](std::size_t i) { return record.merit(record.candidates[i]); };
  if (!record.problem.is_emulated()) std::ranges::stable_sort(measured, std::greater(), merit_of);
  const Table table = table_of(record);
  if (measured.empty()) {
    print_forecast(record, ranked);
  } else {
    print_head(table);
  }
  const double points = 1e-9 * static_cast<double>(record.problem.grid.points());
  const Json records = to_json(record)["candidates"];
  for (const std::size_t i : measured) {
    Json row = records[i];
    row["rates"] = to_record(rates(points, spread(record.candidates[i].seconds)));
    if (predicted.contains(i)) row["predicted"] = predicted[i];
    print_row(table, record.candidates[i].name, row);
  }
  for (const TuneCandidate& of : record.candidates) {
    if (of.state == CandidateState::wrong) print_wrong(table, of.name, of.error);
  }
  for (const TuneCandidate& of : record.candidates) {
    if (of.state == CandidateState::refused) print_words(table, of.name, escaped(of.why, 200));
  }
}

const char* merit_unit(const TuneRecord& record) {
  return record.problem.objective == Objective::energy ? "Mpt/J" : "Gpt/s";
}

void print_winner(const TuneRecord& record) {
  if (record.problem.is_emulated()) std::printf("%s: no tile is named the fastest\n", emulated_rate);
  const TuneCandidate* const best = best_of(record);
  if (best == nullptr) return;
  const bool by_speed = record.problem.objective == Objective::speed;
  std::string line = text(by_speed ? "fastest: " : "least energy: ", best->name, ", ",
                          three_digits(record.merit(*best)), ' ', merit_unit(record));
  if (!by_speed) {
    line += text(" (", three_digits(record.gpt_per_s(*best)), " Gpt/s, ", three_digits(best->watts), " W)");
  }
  TuneRecord built_in = record;
  std::erase_if(built_in.candidates, [](const TuneCandidate& candidate) { return !candidate.is_built_in; });
  const bool is_stencil = record.problem.stencil.has_value();  // a stencil's bare family takes a usual tile
  if (best->is_built_in) {
    line += is_stencil ? ", the usual tile" : ", which is built in";
  } else if (const TuneCandidate* const before = best_of(built_in)) {
    line += text(", ", percent_text(record.merit(*best) / record.merit(*before) - 1),
                 is_stencil ? " over the usual tile, " : " over the best that is built in, ", before->name);
  }
  print_wrapped(line);
}

void print_model(const TuneRecord& record, double percent) {
  for (const ModelForm form : model_forms) {
    const std::string head = text("model (", name_in(model_names, form), "): ");
    const std::vector<Ranked> ranked = ranked_by_model(record, form);
    if (ranked.empty()) continue;
    std::string line;
    if (const auto verdict = judge(record, form, percent)) {
      line = text("of its first ", verdict->taken, " of ", verdict->ranked, " (", percent,
                  " %) the fastest is ", verdict->choice, ", ", three_digits(verdict->choice_gpt_per_s),
                  " Gpt/s, a loss of ", percent_text(verdict->loss), "; the true best is its number ",
                  verdict->rank_of_best, "; ", three_digits(verdict->taken_seconds), " instead of ",
                  three_digits(verdict->all_seconds), " s of runs");
    } else {
      const auto measured = std::ranges::count_if(ranked, [&](const Ranked& r) {
        return record.candidates[r.candidate].state == CandidateState::measured;
      });
      line = text(measured, " of the ", ranked.size(), " that it ranks were measured; its first is ",
                  record.candidates[ranked.front().candidate].name);
    }
    print_wrapped(line, head);
  }
}

}  // namespace minimod
