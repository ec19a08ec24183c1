#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <optional>
#include <sstream>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/screen.hpp"
#include "src/base/timer.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/outputs/record.hpp"
#include "src/ranks/start.hpp"
#include "src/solver/equation_facts.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod {

namespace {

constexpr const char* all_cases = "all";
constexpr std::size_t most_names = 4;  // names of failed figures in the closing line

struct VerifyOptions {
  std::vector<std::string> cases;  ///< names, or "all"; none for the light ones
  KernelOptions kernels;
  RankOptions ranks;   ///< every domain is cut among them
  std::string json;    ///< file of the record, empty for none
  std::string plot;    ///< folder of the curves, empty for none
  bool force = false;  ///< overwrite an existing record
  bool list = false;   ///< the cases instead of running them
};

/// Outcome of a case.
struct Outcome {
  const VerificationCase* what = nullptr;
  CaseReport report;
  std::string kernels;
  double seconds = 0;

  /// "case/figure".
  [[nodiscard]] std::string full_name(const std::string& figure) const {
    return figure.empty() ? what->name : what->name + '/' + figure;
  }
  [[nodiscard]] std::size_t count() const { return report.figures.size() + report.not_run.size(); }
  [[nodiscard]] std::vector<std::string> failed() const {
    std::vector<std::string> names;
    for (const Figure& figure : report.figures) {
      if (!figure.passed()) names.push_back(full_name(figure.name));
    }
    for (const LeftOut& refused : report.not_run) names.push_back(full_name(refused.name));
    return names;
  }
};

const VerificationCase& find_case(const std::string& name) {
  std::vector<std::string> names{all_cases};
  for (const VerificationCase& candidate : verification_cases()) {
    if (candidate.name == name) return candidate;
    names.push_back(candidate.name);
  }
  throw Error(ErrorKind::parameter, text("there is no verification case '", escaped(name), "'"),
              text("did you mean ", nearest_names(name, names), "? (minimod verify --list)"));
}

/// Options that a case is not made for; empty where it is for all.
std::string why_not(const VerificationCase& of, const KernelOptions& options) {
  if (options.radius() != stencil_radius && !of.body.takes_orders)
    return text("--order ", options.order, ": it is made for ", 2 * stencil_radius);
  if (options.equation != Equation::wave && !of.body.takes_equations)
    return text("--equation ", equation_name(options.equation), ": it is made for one of its own");
  return "";
}

/// In the order of the list, each once. Error 64 for those named that are made for others.
std::vector<const VerificationCase*> chosen_cases(const std::vector<std::string>& names,
                                                  const KernelOptions& options) {
  if (facts_of(options.equation).reads_u_alone) {
    throw Error(
        ErrorKind::parameter,
        text("--equation ", equation_name(options.equation), " is given, of which nothing is verified here"),
        "take minimod bench, which compares its kernels");
  }
  const bool all = std::find(names.begin(), names.end(), all_cases) != names.end();
  std::vector<const VerificationCase*> named, chosen;
  for (const std::string& name : names) {
    if (name != all_cases) named.push_back(&find_case(name));
  }
  for (const VerificationCase* one : named) {
    if (const std::string why = why_not(*one, options); !why.empty()) {
      throw Error(ErrorKind::parameter, text("the case ", one->name, " is given with ", why),
                  "minimod verify --list says which are for all");
    }
  }
  for (const VerificationCase& candidate : verification_cases()) {
    const bool is_named = std::find(named.begin(), named.end(), &candidate) != named.end();
    const bool is_of_all = all && candidate.cost != Cost::longest;
    const bool is_light = names.empty() && candidate.cost == Cost::light;
    if ((is_of_all || is_named || is_light) && why_not(candidate, options).empty())
      chosen.push_back(&candidate);
  }
  return chosen;
}

void list_cases() {
  for (const VerificationCase& candidate : verification_cases()) {
    std::ostringstream head;
    head << std::left << std::setw(17) << candidate.name << std::setw(8) << cost_name(candidate.cost);
    const char* const orders = candidate.body.takes_equations ? "; at any --order, with any --equation"
                               : candidate.body.takes_orders  ? "; at any --order"
                                                              : "";
    print_wrapped(text(candidate.body.summary, orders), head.str());
  }
}

// ---- files ----

Json figure_record(const Outcome& outcome, const Figure& figure) {
  return {{"name", outcome.full_name(figure.name)},
          {"kernel", figure.kernel.empty() ? outcome.kernels : figure.kernel},
          {"value", figure.value},
          {"unit", figure.unit},
          {"rule", rule_name(figure.rule)},
          {"expected", figure.expected},
          {"tolerance", figure.tolerance},
          {"passed", figure.passed()}};
}

Json make_record(const std::vector<Outcome>& outcomes, const DeviceInfo& device,
                 const KernelOptions& kernels) {
  Json record{{"schema", "minimod.verify/1"},
              {"build", build_record()},
              {"device", device_record(device)},
              {"ranks", Ranks::world().size()},
              {"order", kernels.order},
              {"precision", precision_name(kernels.precision)},
              {"equation", equation_name(kernels.equation)},
              {"cases", Json::array()},
              {"left_out", Json::array()},
              {"seconds", Json::object()}};
  for (const Outcome& outcome : outcomes) {
    record["seconds"][outcome.what->name] = outcome.seconds;
    for (const Figure& figure : outcome.report.figures) {
      record["cases"].push_back(figure_record(outcome, figure));
    }
    for (const LeftOut& refused : outcome.report.not_run) {
      record["cases"].push_back({{"name", outcome.full_name(refused.name)},
                                 {"kernel", outcome.kernels},
                                 {"value", nullptr},
                                 {"expected", nullptr},
                                 {"tolerance", nullptr},
                                 {"passed", false},
                                 {"not_run", refused.why}});
    }
    for (const LeftOut& left : outcome.report.left_out) {
      record["left_out"].push_back({{"name", outcome.full_name(left.name)}, {"why", left.why}});
    }
  }
  return record;
}

Json picture_record(const Picture& picture) {
  Json curves = Json::array();
  for (const Curve& curve : picture.curves) {
    curves.push_back({{"label", curve.label}, {"points", curve.points}, {"x", curve.x}, {"y", curve.y}});
  }
  return {{"title", picture.title}, {"x_label", picture.x_label}, {"y_label", picture.y_label},
          {"log_x", picture.log_x}, {"log_y", picture.log_y},     {"curves", curves}};
}

std::filesystem::path curves_file(const std::filesystem::path& folder, const VerificationCase& of) {
  return folder / (of.name + ".json");
}

void write_curves(const Outcome& outcome, const std::filesystem::path& folder) {
  if (outcome.report.pictures.empty()) return;
  Json record{{"schema", "minimod.verify.curves/1"},
              {"case", outcome.what->name},
              {"kernel", outcome.kernels},
              {"pictures", Json::array()}};
  for (const Picture& picture : outcome.report.pictures) {
    record["pictures"].push_back(picture_record(picture));
  }
  write_record(record, curves_file(folder, *outcome.what), true);
}

/// Before anything runs. Curves of an earlier call are replaced.
void claim_outputs(OutputClaims& claims, const VerifyOptions& options,
                   const std::vector<const VerificationCase*>& cases) {
  claims.add(options.json, json_record, options.force);
  if (options.plot.empty()) return;
  for (const VerificationCase* one : cases) {
    const auto curves = curves_file(options.plot, *one);
    check_no_folder(std::filesystem::path(curves).replace_extension(".png"));  // the launcher draws it
    check_distinct({options.json, curves});
    claims.add(curves, json_record, true);
  }
}

// ---- the terminal ----

/// As many as a tolerance of some 1e-7 of the value asks for.
std::string digits(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

/// A line a figure: its name, value, unit and limit, in columns as wide as they need.
void print_figures(const std::vector<Figure>& figures) {
  std::vector<std::array<std::string, 4>> lines;
  std::array<int, 4> widths{};
  for (const Figure& figure : figures) {
    const std::string limit = figure.rule == Rule::within
                                  ? text(digits(figure.expected), " +- ", figure.tolerance)
                                  : text(rule_name(figure.rule), ' ', figure.expected);
    lines.push_back({figure.name, digits(figure.value), figure.unit, limit});
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], static_cast<int>(lines.back()[i].size()));
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [name, value, unit, limit] = lines[i];
    std::printf("  %-*s %*s %-*s  %-*s %s\n", widths[0], name.c_str(), widths[1], value.c_str(), widths[2],
                unit.c_str(), widths[3], limit.c_str(), figures[i].passed() ? "pass" : "FAIL");
    if (!figures[i].why.empty()) print_wrapped(figures[i].why, "    ");
  }
}

/// The names that share a reason in one line.
void print_left_out(const std::vector<LeftOut>& all) {
  std::vector<LeftOut> grouped;
  for (const LeftOut& left : all) {
    const auto same = std::ranges::find(grouped, left.why, &LeftOut::why);
    if (same != grouped.end()) {
      same->name += ", " + left.name;
    } else {
      grouped.push_back(left);
    }
  }
  for (const LeftOut& left : grouped) {
    print_wrapped(text("left out, ", left.why, left.name.empty() ? "" : ": ", left.name), "  ");
  }
}

void print(const Outcome& outcome) {
  for (const std::string& line : outcome.report.setup) print_wrapped(line, "  ");
  if (!outcome.kernels.empty()) print_wrapped("kernels: " + outcome.kernels, "  ");
  print_figures(outcome.report.figures);
  print_left_out(outcome.report.left_out);
  for (const LeftOut& refused : outcome.report.not_run) {
    print_wrapped(text(refused.name, refused.name.empty() ? "" : " ", "not run: ", refused.why, " FAIL"),
                  "  ");
  }
  std::printf("  %.1f s\n\n", outcome.seconds);
  std::fflush(stdout);
}

Outcome run_case(const VerificationCase& what, Runner& runner) {
  print_wrapped(text(what.name, ": ", what.body.summary));
  std::fflush(stdout);
  Outcome outcome;
  outcome.what = &what;
  const Timer timer;
  try {
    outcome.report = what.body.run(runner);
  } catch (const Error& refusal) {
    outcome.report.add("", refusal);
  }
  outcome.seconds = timer.seconds();
  outcome.kernels = runner.take_kernels_used();
  print(outcome);
  return outcome;
}

void conclude(const std::vector<Outcome>& outcomes) {
  std::size_t figures = 0;
  double seconds = 0;
  std::vector<std::string> failed;
  for (const Outcome& outcome : outcomes) {
    figures += outcome.count();
    seconds += outcome.seconds;
    const auto names = outcome.failed();
    failed.insert(failed.end(), names.begin(), names.end());
  }
  if (failed.empty()) {
    std::printf("all %zu figures of %zu cases pass, %.1f s\n", figures, outcomes.size(), seconds);
    return;
  }
  std::string names;
  for (std::size_t i = 0; i < std::min(failed.size(), most_names); ++i) {
    names += (i > 0 ? ", " : "") + failed[i];
  }
  if (failed.size() > most_names) names += text(" and ", failed.size() - most_names, " more");
  throw Error(ErrorKind::data, text(failed.size(), " of ", figures, " figures failed: ", names), "");
}

/// Runs the cases that were named, with `all` the light and the slow ones, without a name the light ones,
/// prints their figures, and writes the record (`minimod.verify/1`) and the curves
/// (`minimod.verify.curves/1`, a file a case) where asked for. A case whose kernels do not run here has
/// failed; one whose domain cannot be cut among the ranks is left out. Errors: 64 unknown cases, 65 figures
/// that failed, 69 a device that is not there, 73, 74 and 77 files that cannot be written.
void run_verify(const VerifyOptions& options) {
  if (options.list) return list_cases();
  Ranks& ranks = Ranks::world();
  const auto chosen = chosen_cases(options.cases, options.kernels);
  std::optional<OutputFolder> curves;
  OutputClaims claims;
  ranks.on_first([&] {
    if (!options.plot.empty()) curves.emplace(options.plot);
    claim_outputs(claims, options, chosen);
  });
  Runner runner(options.kernels, options.ranks, parse_shot);
  std::printf("%s, order %d, %s precision%s\n\n", runner.device().name.c_str(), options.kernels.order,
              precision_name(options.kernels.precision).c_str(),
              ranks.is_alone() ? "" : text(", ", ranks.size(), " ranks (", mpi_library(), ")").c_str());
  std::vector<Outcome> outcomes;
  outcomes.reserve(chosen.size());
  for (const VerificationCase* what : chosen) {
    outcomes.push_back(run_case(*what, runner));
    ranks.on_first([&] {
      if (!options.plot.empty()) write_curves(outcomes.back(), options.plot);
    });
  }
  ranks.on_first([&] {
    if (!options.json.empty()) {
      write_record(make_record(outcomes, runner.device(), options.kernels), options.json, options.force);
    }
  });
  conclude(outcomes);
}

/// Error 64 where the list is asked for together with what only a run has.
void refuse_with_list(const VerifyOptions& o) {
  if (!o.list || (o.cases.empty() && o.json.empty() && o.plot.empty() && !o.force && !o.ranks.count)) return;
  throw Error(ErrorKind::parameter, "--list is given with cases, --json, --plot, --force or --ranks",
              "it runs nothing: leave these out");
}

std::function<void()> prepare_verify(OptionTable& table) {
  const auto options = std::make_shared<VerifyOptions>();
  VerifyOptions& o = *options;
  table.words("CASE", "cases to run, or all, which leaves out the longest (the light ones)", o.cases);
  add_kernels(table, o.kernels, one_kernel);
  add_order(table, o.kernels);
  add_precision(table, o.kernels);
  add_equation(table, o.kernels);
  add_emulate(table, o.kernels);
  add_ranks(table, o.ranks);
  add_json(table, o.json);
  table.value("--plot", "DIR", groups::output,
              "write curves, which the launcher draws; those of an earlier call are replaced", o.plot);
  add_force(table, o.force, "replace a record that is there; never another file");
  table.flag("--list", groups::output, "list the cases instead", o.list);
  return [options] {
    refuse_with_list(*options);
    refuse_force_without(options->force, {options->json}, "--json");
    start_ranks(options->ranks, Ranks::world());
    run_verify(*options);
  };
}

}  // namespace

Command verify_command() {
  return {"verify", "prove the physics: cases with known answers", prepare_verify, true};
}

}  // namespace minimod
