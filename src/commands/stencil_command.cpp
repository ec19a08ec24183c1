#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/screen.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/commands/stencil_runs.hpp"
#include "src/ranks/start.hpp"
#include "src/stencil/facts.hpp"
#include "src/stencil/kernel_family.hpp"
#include "src/stencil/language/shipped.hpp"
#include "src/stencil/start_file.hpp"

namespace minimod {

namespace {

using stencil::Facts;
using stencil::Specification;

constexpr std::size_t shown_summary = 200;

std::string summary_of(const Specification& specification) {
  return escaped(specification.summary, shown_summary);
}

// ---- As JSON

Json sides_of(int lower, int upper) {
  return {lower, upper};
}

Json reach_record(const Reach& reach) {
  const auto& [lower, upper] = reach;
  return {{"x", sides_of(lower.x, upper.x)},
          {"y", sides_of(lower.y, upper.y)},
          {"z", sides_of(lower.z, upper.z)}};
}

/// Record of an input's start.
Json start_record(const stencil::Start& start) {
  if (start.file != nullptr) return {{"file", escaped(start.file->name())}};
  if (!start.value.empty()) return "expression";
  return {{"least", start.least}, {"greatest", start.greatest}};
}

Json array_record(const Specification& specification, const Facts& facts, std::size_t index) {
  const stencil::Array& array = specification.arrays[index];
  Json record{{"name", array.name},
              {"precision", name_in(stencil::precisions, array.precision)},
              {"direction", array.is_output ? "out" : "in"}};
  if (array.is_output) return record;
  record["start"] = start_record(array.start);
  record["next"] = array.next == stencil::Array::keeps ? Json() : Json(specification.arrays[array.next].name);
  record["points"] = facts.arrays[index].offsets.size();
  record["reach"] = reach_record(facts.arrays[index].reach);
  record["reads_corners"] = facts.arrays[index].reads_corners;
  return record;
}

Json specification_record(const Specification& specification) {
  const Facts facts = stencil::facts_of(specification);
  Json arrays = Json::array(), scalars = Json::object();
  for (std::size_t i = 0; i < specification.arrays.size(); ++i) {
    arrays.push_back(array_record(specification, facts, i));
  }
  for (const auto& [name, value] : specification.scalars) scalars[name] = value;
  return {{"name", escaped(specification.name)},
          {"summary", summary_of(specification)},
          {"arrays", arrays},
          {"scalars", scalars},
          {"temporaries", specification.temporaries},
          {"points", facts.points},
          {"reach", reach_record(facts.reach)},
          {"reads_corners", facts.reads_corners},
          {"loads", facts.loads},
          {"stores", facts.stores},
          {"additions", facts.additions},
          {"multiplications", facts.multiplications},
          {"divisions", facts.divisions},
          {"functions", facts.functions},
          {"compulsory_bytes", facts.compulsory_bytes}};
}

// ---- As text

void print_row(const char* title, const std::string& content) {
  std::string before = title;
  before.resize(15, ' ');
  print_wrapped(content, "  " + before);
}

std::string reach_text(const Reach& reach) {
  const auto axis = [](char name, int lower, int upper) {
    return lower == upper ? text(name, ' ', lower) : text(name, " -", lower, " +", upper);
  };
  const auto& [lower, upper] = reach;
  return text(axis('x', lower.x, upper.x), ", ", axis('y', lower.y, upper.y), ", ",
              axis('z', lower.z, upper.z));
}

/// The arrays of one direction: "float u, v; double w".
std::string arrays_text(const Specification& specification, bool is_output) {
  std::string names, precision;
  for (const stencil::Array& array : specification.arrays) {
    if (array.is_output != is_output) continue;
    const std::string its = name_in(stencil::precisions, array.precision);
    names += its == precision ? ", " + array.name : text(names.empty() ? "" : "; ", its, ' ', array.name);
    precision = its;
  }
  return names;
}

std::string next_text(const Specification& specification) {
  std::string pairs;
  for (const auto& array : specification.arrays) {
    if (array.next == stencil::Array::keeps) continue;
    pairs += text(pairs.empty() ? "" : ", ", array.name, " = ", specification.arrays[array.next].name);
  }
  return pairs.empty() ? "every step reads the same" : pairs;
}

std::string scalars_text(const Specification& specification) {
  if (specification.scalars.empty()) return "none";
  return joined(specification.scalars, ", ",
                [](const stencil::Scalar& scalar) { return text(scalar.name, " = ", scalar.value); });
}

void print_specification(const Specification& specification) {
  const Facts facts = stencil::facts_of(specification);
  const int operations = facts.operations();
  print_wrapped(text(escaped(specification.name), ": ", summary_of(specification)));
  print_row("in", arrays_text(specification, false));
  print_row("out", arrays_text(specification, true));
  print_row("next step", next_text(specification));
  print_row("scalars", scalars_text(specification));
  print_row("points", text(facts.points, facts.reads_corners ? ", corners among them" : ", no corners"));
  print_row("radius", reach_text(facts.reach));
  print_row("loads, stores", text(facts.loads, ", ", facts.stores));
  print_row("operations",
            text(operations, ": ", facts.additions, " additions, ", facts.multiplications,
                 " multiplications, ", facts.divisions, " divisions",
                 facts.functions > 0 ? text(", ", facts.functions, " minima, maxima and roots") : ""));
  print_row("bytes", text(facts.compulsory_bytes, " a point at least, ",
                          three_digits(static_cast<double>(operations) / facts.compulsory_bytes),
                          " operations a byte at most"));
}

// ---- Actions of the command

void show_stencils(const std::vector<std::string>& names, bool as_json) {
  if (!as_json) {
    for (const std::string& name : names) print_specification(stencil::find_specification(name));
    return;
  }
  Json list = Json::array();
  for (const std::string& name : names)
    list.push_back(specification_record(stencil::find_specification(name)));
  std::cout << Json{{"schema", "minimod.stencils/1"}, {"stencils", list}}.dump(2) << '\n';
}

void list_stencils(bool as_json) {
  const std::vector<std::string> names = stencil::shipped_names();
  if (as_json) {
    show_stencils(names, true);
    return;
  }
  for (const std::string& name : names) {
    std::string before = name;
    before.resize(16, ' ');
    print_wrapped(summary_of(stencil::find_specification(name)), before);
  }
  std::printf("\nkernels of each, as far as it can be\n");
  for (const stencil::StencilFamily& family : stencil::stencil_families()) {
    if (family.tutorial_header != nullptr) continue;
    std::string before = family.name;
    before.resize(16, ' ');
    print_wrapped(family.is_of_cores() ? family.summary : text("of a GPU: ", family.summary), before);
  }
}

void run_stencil_command(std::vector<std::string> words, const StencilRunOptions& options) {
  const std::string what = words.empty() ? "" : words.front();
  const bool has_names = words.size() > 1;
  if ((what == "list" || what == "info") && options.is_of_kernels()) {
    throw Error(ErrorKind::parameter, text("stencil ", what, " runs no kernel"),
                "give it names and --json alone");
  }
  if (words == std::vector<std::string>{"list"}) return list_stencils(options.as_json);
  if (has_names) words.erase(words.begin());
  if (has_names && what == "info") return show_stencils(words, options.as_json);
  if (has_names && (what == "verify" || what == "run")) start_ranks(options.ranks, Ranks::world());
  if (has_names && what == "verify") return verify_stencils(words, options);
  if (has_names && what == "run") return run_stencil(words, options);
  const std::string given = what.empty() ? "nothing" : "'" + escaped(what, 40) + "'";
  throw Error(ErrorKind::parameter, text("stencil is given ", given, has_names ? " and more" : " alone"),
              "give 'list', or 'info', 'verify' or 'run' and names or files");
}

void add_stencil_runs(OptionTable& table, StencilRunOptions& o) {
  table.value(
      "-k,--kernel", "NAME", groups::run,
      "of verify and run: rows, a CPU's, or a GPU's naive, tiled, coarsened, forward_plane, register_tiled, "
      "in_plane_full, with a tile behind it, as coarsened_32x8x32, and perhaps _ro; of verify also a list "
      "with commas, with patterns of these names, or all (all; rows on a CPU, naive on a GPU)",
      o.kernel);
  add_device(table, o.device);
  table.value("--grid", "N|NX,NY,NZ", groups::run,
              "points (verify: 37,29,23; run: 512 on a GPU, 200 on a CPU, 48 where threads are emulated)",
              [&o](const auto& v, const auto& name) {
                o.grid = parse_extent(v, name);
                if (std::max({o.grid->x, o.grid->y, o.grid->z}) > longest_axis) {
                  throw Error(ErrorKind::parameter, text(name, " is ", escaped(v)),
                              text("give at most ", longest_axis, " points along an axis"));
                }
              });
  table.value("--steps", "N", groups::run,
              "of verify 20, of a timed run 100 on a GPU, 20 on a CPU, 2 where threads are emulated",
              [&o](const auto& v, const auto& name) { o.steps = parse_int(v, name, 1); });
  table.value(
      "--precision", "P", groups::run, "single or double, of all arrays (what the specification says)",
      [&o](const auto& v, const auto& name) { o.precision = parse_choice(precision_names, v, name); });
  table.value("--write", "FILE.h5", groups::output,
              "of run: write the results of the steps from the start, on all points",
              [&o](const auto& v, const auto&) { o.fields.file = v; });
  table.value("--slices", "k=N,i=N,...", groups::output, "of --write: these planes alone",
              [&o](const auto& v, const auto& name) { o.fields.slices = parse_slices(v, name); });
  add_force(table, o.fields.force, "replace a file of fields that is there; never another file");
  add_ranks(table, o.ranks);
  add_slabs(table, o.ranks);
  table.value("--repeats", "N", groups::measuring, "timed runs (5)",
              [&o](const auto& v, const auto& name) { o.repeats = parse_int(v, name, 1); });
  table.flag("--unverified", groups::measuring, "run without a look at the interpreter's field",
             o.unverified);
}

}  // namespace

Command stencil_command() {
  return {"stencil", "list stencils, say what one is, verify and run its kernels",
          [](OptionTable& table) -> std::function<void()> {
            const auto words = std::make_shared<std::vector<std::string>>();
            const auto options = std::make_shared<StencilRunOptions>();
            table.words("list|info|verify|run",
                        "list: those of the program; info NAME|FILE...: what the equations say; "
                        "verify NAME|FILE...|all: kernels against the equations; run NAME|FILE: its speed",
                        *words);
            add_stencil_runs(table, *options);
            add_as_json(table, options->as_json);
            return [words, options] { run_stencil_command(*words, *options); };
          },
          true};
}

}  // namespace minimod
