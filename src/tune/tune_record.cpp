#include "src/tune/tune_record.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/files/input_file.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/measure/timing.hpp"
#include "src/stencil/kernel_space.hpp"
#include "src/stencil/kernels.hpp"
#include "src/stencil/language/parser.hpp"

namespace minimod {

namespace {

constexpr const char* tune_schema = "minimod.tune/1";
constexpr std::uint64_t most_record_bytes = std::uint64_t{64} << 20U;
constexpr int longest_tuned_axis = 1'000'000, highest_order = 64;

/// A part that is not as it was written.
struct Damaged {
  std::string what;
};

/// Members of a record in JSON, put there or, each with a check, taken from it: one list of them serves both.
struct Members {
  Json& json;
  bool reads;

  [[nodiscard]] Json& at(const char* name) const {
    if (reads && !(json.is_object() && json.contains(name))) throw Damaged{text("it has no ", name)};
    return json[name];
  }
  /// Whether a member that may lack is there, or is to be.
  [[nodiscard]] bool has(const char* name, bool is_to_be) const {
    return reads ? json.contains(name) : is_to_be;
  }
  template <class Number>
  void number(const char* name, Number& value, double least,
              double greatest = std::integral<Number> ? 1e9 : 1e18) const {
    Json& its = at(name);
    if (!reads) {
      its = value;
      return;
    }
    const double found = its.is_number() ? its.get<double>() : NAN;
    if (!(found >= least && found <= greatest)) {
      throw Damaged{text(name, " is no number from ", least, " on")};
    }
    if (std::integral<Number> && found != std::floor(found)) throw Damaged{text(name, " is no whole number")};
    value = static_cast<Number>(found);
  }
  template <class Value>
  void value(const char* name, Value& value) const {
    Json& its = at(name);
    if (!reads) {
      its = value;
      return;
    }
    constexpr bool is_flag = std::is_same_v<Value, bool>;
    if (is_flag ? !its.is_boolean() : !its.is_string()) {
      throw Damaged{text(name, is_flag ? " is not true or false" : " is no text")};
    }
    value = its.get<Value>();
  }
  template <class Choice, std::size_t count>
  void choice(const NamedChoice<Choice> (&table)[count], const char* name, Choice& value) const {
    std::string its = name_in(table, value);
    this->value(name, its);
    const auto named = std::ranges::find_if(table, [&](const auto& row) { return its == row.name; });
    if (named == std::end(table)) throw Damaged{text("'", escaped(its), "' is no ", name)};
    value = named->choice;
  }
  /// Any JSON, as text.
  void dumped(const char* name, std::string& json_text) const {
    if (reads) {
      json_text = at(name).dump();
    } else {
      json[name] = Json::parse(json_text);
    }
  }
  [[nodiscard]] Members part(const char* name) const { return {at(name), reads}; }
};

void exchange(const Members& m, LaunchFacts& facts) {
  m.number("active_blocks", facts.active_blocks, 1);
  m.number("registers", facts.registers, 0);
  m.number("shared_bytes", facts.shared_bytes, 0);
  m.number("local_bytes", facts.local_bytes, 0);
  m.number("theoretical_occupancy", facts.occupancy, 0, 1);
}

void exchange(const Members& m, GpuFacts& gpu) {
  m.number("multiprocessors", gpu.multiprocessors, 1);
  m.number("bytes_per_s", gpu.bytes_per_s, 1);
  m.number("clock_hz", gpu.clock_hz, 1);
  m.number("latency_cycles", gpu.latency_cycles, 1);
  m.number("most_warps", gpu.most_warps, 2);
  if (m.has("warp_threads", true)) m.number("warp_threads", gpu.warp_threads, 1);
}

bool is_tile_of(const std::string& name, const TuneProblem& problem) {
  if (!problem.stencil) {
    const auto named = parse_shape_name(name);
    return named && named->family->name == problem.family;
  }
  const auto kernel = stencil::find_kernel_name(name);
  return kernel && kernel->family_text() == problem.family;
}

/// Figures of a search for the least energy alone.
void exchange_energy(const Members& m, TuneCandidate& candidate, const TuneRecord& record) {
  if (record.problem.objective != Objective::energy) return;
  m.number("mpt_per_j", candidate.mpt_per_j, 1e-9);
  m.number("watts", candidate.watts, 1e-9);
  m.number("clock_mhz", candidate.clock_mhz, 0);
}

void exchange(const Members& m, TuneCandidate& candidate, const TuneRecord& record) {
  m.value("name", candidate.name);
  if (!is_tile_of(candidate.name, record.problem)) {
    throw Damaged{text("'", escaped(candidate.name), "' is no tile of its family")};
  }
  m.value("built_in", candidate.is_built_in);
  m.choice(candidate_states, "state", candidate.state);
  if (m.has("why", !candidate.why.empty())) m.value("why", candidate.why);
  if (m.has("compiled", candidate.compiled.has_value())) {
    if (m.reads) candidate.compiled.emplace();
    exchange(m.part("compiled"), *candidate.compiled);
  }
  const bool is_measured = candidate.state == CandidateState::measured;
  if (!is_measured && candidate.state != CandidateState::wrong) return;
  m.number("error", candidate.error, 0, 1e308);
  m.number("spent_seconds", candidate.spent_seconds, 0);
  if (!is_measured) return;
  Json& seconds = m.at("seconds");
  if (!m.reads) {
    seconds = candidate.seconds;
    m.json["gpt_per_s"] = record.gpt_per_s(candidate);
    return exchange_energy(m, candidate, record);
  }
  const auto is_time = [](const Json& value) { return value.is_number() && value.get<double>() > 0; };
  if (!seconds.is_array() || seconds.empty() || !std::ranges::all_of(seconds, is_time)) {
    throw Damaged{"seconds is no list of times"};
  }
  candidate.seconds = seconds.get<std::vector<double>>();
  exchange_energy(m, candidate, record);
}

void exchange_grid(const Members& m, Extent3& grid) {
  Json& axes = m.at("grid");
  if (!m.reads) {
    axes = {grid.x, grid.y, grid.z};
    return;
  }
  const auto is_length = [](const Json& n) {
    return n.is_unsigned() && n.get<double>() >= 1 && n.get<double>() <= longest_tuned_axis;
  };
  if (!axes.is_array() || axes.size() != 3 || !std::ranges::all_of(axes, is_length)) {
    throw Damaged{"grid is no list of three lengths"};
  }
  grid = {axes[0].get<int>(), axes[1].get<int>(), axes[2].get<int>()};
}

std::string array_precisions(const stencil::Specification& specification) {
  return joined(specification.arrays, ",",
                [](const stencil::Array& array) { return name_in(stencil::precisions, array.precision); });
}

/// A specification that has no more than what its record says, or all of it.
void exchange(const Members& m, stencil::Specification& specification) {
  std::string arrays = array_precisions(specification), name = specification.name;
  m.value("name", name);
  m.value("arrays", arrays);
  m.value("source", specification.source);
  if (!m.reads) return;
  try {
    specification = stencil::parse_specification(specification.source, "its stencil");
    specification.name = name;
    if (arrays == array_precisions(specification)) return;
    for (const auto& [precision, its_name] : stencil::precisions) {
      specification = stencil::with_precision(std::move(specification), precision);
      if (arrays == array_precisions(specification)) return;
    }
  } catch (const Error& wrong) {
    throw Damaged{wrong.what()};
  }
  throw Damaged{"its arrays are not those of its stencil"};
}

void exchange(const Members& m, TuneProblem& problem) {
  m.value("family", problem.family);
  if (m.has("stencil", problem.stencil.has_value())) {
    if (m.reads) problem.stencil.emplace();
    exchange(m.part("stencil"), *problem.stencil);
  }
  const bool is_family = problem.stencil ? stencil::find_kernel_name(problem.family).has_value()
                                         : find_family(problem.family) != nullptr;
  if (!is_family) throw Damaged{text("'", escaped(problem.family), "' is no family")};
  if (!problem.stencil) m.number("order", problem.order, 2, highest_order);
  m.choice(precision_names, "precision", problem.precision);
  if (m.has("equation", !problem.stencil)) m.choice(equation_names, "equation", problem.equation);
  exchange_grid(m, problem.grid);
  m.number("steps", problem.steps, 1);
  if (m.has("objective", problem.objective != Objective::speed))
    m.choice(objective_names, "objective", problem.objective);
  if (m.reads) {
    m.part("device").value("name", problem.device);
    m.part("device").value("kind", problem.device_kind);
  }
  if (!m.has("played", true)) return;
  if (m.reads && m.json["played"] != Json(problem.is_emulated())) {
    throw Damaged{"'played' is not what follows from its device"};
  }
  m.json["played"] = problem.is_emulated();
}

void exchange(const Members& m, TuneRecord& record) {
  m.dumped("build", record.build);
  m.value("build_id", record.problem.build);
  m.dumped("device", record.device);
  exchange(m, record.problem);
  Json& model = m.at("model");
  if (m.reads && !model.is_null()) record.gpu.emplace();
  if (record.gpu) exchange(m.part("model"), *record.gpu);
  Json& candidates = m.at("candidates");
  if (m.reads && !candidates.is_array()) throw Damaged{"candidates is no list"};
  record.candidates.resize(m.reads ? candidates.size() : record.candidates.size());
  if (!m.reads) candidates = Json::array();
  for (std::size_t i = 0; i < record.candidates.size(); ++i) {
    if (!m.reads) candidates.push_back(Json::object());
    exchange({candidates[i], m.reads}, record.candidates[i], record);
  }
}

}  // namespace

BlockWork TuneProblem::work_of(const std::string& name, int warp) const {
  if (stencil) return stencil::work_of(stencil::parse_kernel_name(name), *stencil, grid, warp);
  return minimod::work_of(*parse_shape_name(name), grid, order / 2, equation, warp);
}

double TuneRecord::gpt_per_s(const TuneCandidate& candidate) const {
  return 1e-9 * static_cast<double>(problem.grid.points()) / spread(candidate.seconds).median;
}

double TuneRecord::merit(const TuneCandidate& candidate) const {
  return problem.objective == Objective::energy ? candidate.mpt_per_j : gpt_per_s(candidate);
}

std::string difference(const TuneProblem& kept, const TuneProblem& wanted) {
  const auto grid_text = [](Extent3 n) { return text(n.x, " x ", n.y, " x ", n.z); };
  const auto differ = [](const char* what, const std::string& a, const std::string& b) {
    return a == b ? "" : text("its ", what, " is ", escaped(a), ", not ", b);
  };
  if (kept.stencil.has_value() != wanted.stencil.has_value()) {
    return kept.stencil ? "it is of a stencil" : "it is of the wave equation";
  }
  if (kept.stencil) {
    const stencil::Specification &its = *kept.stencil, &other = *wanted.stencil;
    if (auto found = differ("stencil", its.name, escaped(other.name)); !found.empty()) return found;
    if (its.source != other.source) return text("its stencil ", escaped(its.name), " had other equations");
    auto found = differ("precision", array_precisions(its), array_precisions(other));
    if (!found.empty()) return found;
  }
  for (const std::string& found :
       {differ("family", kept.family, wanted.family), differ("order", text(kept.order), text(wanted.order)),
        differ("precision", precision_name(kept.precision), precision_name(wanted.precision)),
        differ("equation", equation_name(kept.equation), equation_name(wanted.equation)),
        differ("grid", grid_text(kept.grid), grid_text(wanted.grid)),
        differ("device", kept.device, wanted.device), differ("build", kept.build, wanted.build),
        differ("number of steps", text(kept.steps), text(wanted.steps)),
        differ("objective", name_in(objective_names, kept.objective),
               name_in(objective_names, wanted.objective))}) {
    if (!found.empty()) return found;
  }
  return "";
}

Json to_json(TuneRecord record) {
  Json json{{"schema", tune_schema}};
  exchange({json, false}, record);
  return json;
}

TuneRecord read_tune_record(const std::filesystem::path& file) {
  const InputFile input(file);
  const auto fail = [&](const std::string& why) -> Error {
    return {ErrorKind::data, text(shown(file), " is no record of ", command("tune"), ": ", why),
            "give another file, or have it made anew"};
  };
  if (input.size() > most_record_bytes) throw fail(text("it has ", input.size(), " bytes"));
  std::string content(input.size(), '\0');
  input.read(0, std::as_writable_bytes(std::span(content)));
  Json json = Json::read(content);
  if (json.is_null()) throw fail("it is no JSON");
  if (!json.is_object() || json.value("schema", Json()) != tune_schema) {
    throw fail(text("its schema is not ", tune_schema));
  }
  try {
    TuneRecord record;
    exchange({json, true}, record);
    return record;
  } catch (const Damaged& damage) {
    throw fail(damage.what);
  }
}

}  // namespace minimod
