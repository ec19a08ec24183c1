#include <algorithm>
#include <memory>

#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/relaxation/heat_options.hpp"

namespace minimod {

namespace {

using relaxation::HeatOptions;

Extent3 parse_plate(const std::string& value, const std::string& option) {
  for (const auto& [name, n] : relaxation::named_grids) {
    if (value == name) return n;
  }
  const auto parts = split(value, ',');
  if (parts.size() != 2) {
    throw Error(ErrorKind::parameter, text(option, " is '", escaped(value, 40), "'"),
                "give coarse, medium, fine or NX,NY");
  }
  return {parse_int(parts[0], option, 1, longest_axis), parse_int(parts[1], option, 1, longest_axis), 1};
}

std::pair<double, double> parse_lengths(const std::string& value, const std::string& option) {
  const auto parts = split(value, ',');
  if (parts.size() != 2) {
    throw Error(ErrorKind::parameter, text(option, " is '", escaped(value, 40), "'"), "give LX,LY in metres");
  }
  return {parse_positive(parts[0], option), parse_positive(parts[1], option)};
}

relaxation::Sides parse_sides(const std::string& value, const std::string& option) {
  constexpr double hottest = 1e6;
  const auto parts = split(value, ',');
  if (parts.size() != 4) {
    throw Error(ErrorKind::parameter, text(option, " is '", escaped(value, 40), "'"),
                "give WEST,EAST,SOUTH,NORTH in °C");
  }
  double t[4];
  for (std::size_t k = 0; k < 4; ++k) {
    t[k] = parse_number(parts[k], option);
    if (std::abs(t[k]) <= hottest) continue;
    throw Error(ErrorKind::parameter, text(option, " has ", t[k], " °C"), text("give ", hottest, " at most"));
  }
  return {t[0], t[1], t[2], t[3]};
}

/// Above 0, below `limit`.
double parse_below(const std::string& value, const std::string& option, double limit) {
  const double number = parse_positive(value, option);
  if (number < limit) return number;
  throw Error(ErrorKind::parameter, text(option, " is ", number), text("give a number below ", limit));
}

void add_plate(OptionTable& table, HeatOptions& o) {
  table.value("--grid", "NX,NY", groups::model,
              "nodes whose temperature is sought, or coarse (72,54), medium (240,180), fine (640,480)",
              [&o](const auto& v, const auto& name) { o.grid = parse_plate(v, name); });
  table.value("--size", "LX,LY", groups::model, "of the plate, m (1 m along x, square cells)",
              [&o](const auto& v, const auto& name) { o.lengths = parse_lengths(v, name); });
  table.value("--sides", "W,E,S,N", groups::model, "temperatures of the four sides, °C (0,0,0,100)",
              [&o](const auto& v, const auto& name) { o.sides = parse_sides(v, name); });
}

void add_relaxation(OptionTable& table, HeatOptions& o) {
  table.value("--omega", "W", groups::time, "of the relaxation, between 0 and 2 (the best by theory)",
              [&o](const auto& v, const auto& name) { o.omega = parse_below(v, name, 2); });
  table.value("--tolerance", "T", groups::time,
              "ends where no node is off the mean of its neighbours by more, relative to the hottest side "
              "(what rounding allows, in double precision 1e-12)",
              [&o](const auto& v, const auto& name) { o.tolerance = parse_below(v, name, 1); });
  table.value(
      "--precision", "P", groups::run, "single or double (single)",
      [&o](const auto& v, const auto& name) { o.precision = parse_choice(precision_names, v, name); });
  table.value("--iterations", "N", groups::measuring, "of a timed run (100)",
              [&o](const auto& v, const auto& name) { o.iterations = parse_int(v, name, 1, 1'000'000); });
  table.value("--repeats", "N", groups::measuring, "timed runs of each kernel after a warm-up run (7)",
              [&o](const auto& v, const auto& name) { o.repeats = parse_int(v, name, 1, 1000); });
}

std::function<void()> prepare_heat(OptionTable& table) {
  const auto options = std::make_shared<HeatOptions>();
  HeatOptions& o = *options;
  const std::string names = joined(relaxation::all_kernels(), ", ", &relaxation::Kernel::name);
  table.value("-k,--kernel", "NAME", groups::run,
              text("auto, all, or a list of: ", names, ", or their families").c_str(), o.kernels.kernel);
  add_device(table, o.kernels);
  add_emulate(table, o.kernels);
  add_plate(table, o);
  add_relaxation(table, o);
  table.flag("--tables", groups::measuring,
             "the tables of Itu et al. anew on coarse, medium and fine grids, beside the paper's", o.tables);
  add_json(table, o.json);
  add_force(table, o.force, "replace a record that is there; never another file");
  return [options] {
    refuse_force_without(options->force, {options->json}, "--json");
    relaxation::run_heat(*options);
  };
}

}  // namespace

Command heat_command() {
  return {"heat", "relax a heated plate by red-black SOR, and measure its kernels", prepare_heat};
}

}  // namespace minimod
