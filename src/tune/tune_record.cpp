#include "src/tune/tune_record.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/base/error.hpp"
#include "src/base/input_file.hpp"
#include "src/base/json.hpp"
#include "src/base/precision_names.hpp"
#include "src/choice/equation_names.hpp"
#include "src/stencil/kernel_space.hpp"
#include "src/stencil/kernels.hpp"
#include "src/stencil/parser.hpp"

namespace minimod {

namespace {

constexpr const char* tune_schema = "minimod.tune/1";
constexpr std::uint64_t most_record_bytes = std::uint64_t{64} << 20U;
constexpr int longest_tuned_axis = 1'000'000, highest_order = 64;

Json candidate_json(const TuneRecord& record, const TuneCandidate& candidate) {
  Json json{{"name", candidate.name},
            {"built_in", candidate.is_built_in},
            {"state", name_in(candidate_states, candidate.state)}};
  if (!candidate.why.empty()) json["why"] = candidate.why;
  if (const auto& facts = candidate.compiled) {
    json["compiled"] = {{"active_blocks", facts->active_blocks},
                        {"registers", facts->registers},
                        {"shared_bytes", facts->shared_bytes},
                        {"local_bytes", facts->local_bytes},
                        {"theoretical_occupancy", facts->occupancy}};
  }
  if (candidate.state == CandidateState::measured || candidate.state == CandidateState::wrong) {
    json["error"] = candidate.error;
    json["spent_seconds"] = candidate.spent_seconds;
  }
  if (candidate.state == CandidateState::measured) {
    json["seconds"] = candidate.seconds;
    json["gpt_per_s"] = record.gpt_per_s(candidate);
  }
  return json;
}

/// Reads members, each with a check: what is not as it was written is damaged.
struct Damaged {
  std::string what;
};

const Json& member_of(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end()) throw Damaged{text("it has no ", name)};
  return *found;
}

std::string text_of(const Json& json, const char* name) {
  const Json& value = member_of(json, name);
  if (!value.is_string()) throw Damaged{text(name, " is no text")};
  return value.get<std::string>();
}

double number_of(const Json& json, const char* name, double least, double greatest = 1e18) {
  const Json& value = member_of(json, name);
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!(number >= least && number <= greatest))
    throw Damaged{text(name, " is no number from ", least, " on")};
  return number;
}

int count_of(const Json& json, const char* name, int least, int greatest = 1'000'000'000) {
  const double number = number_of(json, name, least, greatest);
  if (number != std::floor(number)) throw Damaged{text(name, " is no whole number")};
  return static_cast<int>(number);
}

/// The one of a table that the member names.
template <class Choice, std::size_t count>
Choice choice_of(const NamedChoice<Choice> (&table)[count], const Json& json, const char* name) {
  const std::string value = text_of(json, name);
  for (const auto& [choice, its_name] : table) {
    if (value == its_name) return choice;
  }
  throw Damaged{text("'", escaped(value), "' is no ", name)};
}

CompiledFacts compiled_of(const Json& json) {
  CompiledFacts facts;
  facts.active_blocks = count_of(json, "active_blocks", 1);
  facts.registers = count_of(json, "registers", 0);
  facts.shared_bytes = count_of(json, "shared_bytes", 0);
  facts.local_bytes = count_of(json, "local_bytes", 0);
  facts.occupancy = number_of(json, "theoretical_occupancy", 0, 1);
  return facts;
}

bool is_tile_of(const std::string& name, const TuneProblem& problem) {
  if (!problem.stencil) {
    const auto named = parse_shape_name(name);
    return named && named->family->name == problem.family;
  }
  const auto kernel = stencil::find_kernel_name(name);
  return kernel && kernel->family_text() == problem.family;
}

TuneCandidate candidate_of(const Json& json, const TuneProblem& problem) {
  TuneCandidate candidate;
  candidate.name = text_of(json, "name");
  if (!is_tile_of(candidate.name, problem)) {
    throw Damaged{text("'", escaped(candidate.name), "' is no tile of its family")};
  }
  const Json& built_in = member_of(json, "built_in");
  if (!built_in.is_boolean()) throw Damaged{"built_in is not true or false"};
  candidate.is_built_in = built_in.get<bool>();
  candidate.state = choice_of(candidate_states, json, "state");
  if (json.contains("why")) candidate.why = text_of(json, "why");
  if (json.contains("compiled")) candidate.compiled = compiled_of(member_of(json, "compiled"));
  if (candidate.state == CandidateState::measured || candidate.state == CandidateState::wrong) {
    candidate.error = number_of(json, "error", 0, 1e308);
    candidate.spent_seconds = number_of(json, "spent_seconds", 0);
  }
  if (candidate.state != CandidateState::measured) return candidate;
  const Json& seconds = member_of(json, "seconds");
  if (!seconds.is_array() || seconds.empty()) throw Damaged{"seconds is no list"};
  for (const Json& value : seconds) {
    const double number = value.is_number() ? value.get<double>() : 0;
    if (!(number > 0)) throw Damaged{"seconds has what is no time"};
    candidate.seconds.push_back(number);
  }
  return candidate;
}

std::optional<GpuFacts> gpu_of(const Json& json) {
  const Json& model = member_of(json, "model");
  if (model.is_null()) return std::nullopt;
  GpuFacts gpu;
  gpu.multiprocessors = count_of(model, "multiprocessors", 1);
  gpu.bytes_per_s = number_of(model, "bytes_per_s", 1);
  gpu.clock_hz = number_of(model, "clock_hz", 1);
  gpu.latency_cycles = number_of(model, "latency_cycles", 1);
  gpu.most_warps = count_of(model, "most_warps", 2);
  return gpu;
}

Extent3 grid_of(const Json& json) {
  const Json& axes = member_of(json, "grid");
  Extent3 grid;
  if (!axes.is_array() || axes.size() != 3) throw Damaged{"grid is no list of three"};
  int* const lengths[] = {&grid.x, &grid.y, &grid.z};
  for (int i = 0; i < 3; ++i) {
    const Json& n = axes[i];
    if (!n.is_number_integer() || n < 1 || n > longest_tuned_axis)
      throw Damaged{"grid has what is no length"};
    *lengths[i] = n.get<int>();
  }
  return grid;
}

std::string array_precisions(const stencil::Specification& specification) {
  std::string all;
  for (const stencil::Array& array : specification.arrays) {
    all += (all.empty() ? "" : ",") + name_in(stencil::precisions, array.precision);
  }
  return all;
}

Json stencil_json(const stencil::Specification& specification) {
  return {{"name", specification.name},
          {"arrays", array_precisions(specification)},
          {"source", specification.source}};
}

stencil::Specification stencil_of(const Json& json) {
  const std::string name = text_of(json, "name"), arrays = text_of(json, "arrays");
  try {
    auto specification = stencil::parse_specification(text_of(json, "source"), "its stencil");
    specification.name = name;
    if (arrays == array_precisions(specification)) return specification;
    for (const auto& [precision, its_name] : stencil::precisions) {
      specification = stencil::with_precision(std::move(specification), precision);
      if (arrays == array_precisions(specification)) return specification;
    }
  } catch (const Error& wrong) {
    throw Damaged{wrong.what()};
  }
  throw Damaged{"its arrays are not those of its stencil"};
}

TuneRecord record_of(const Json& json) {
  TuneRecord record;
  TuneProblem& problem = record.problem;
  problem.family = text_of(json, "family");
  if (json.contains("stencil")) problem.stencil = stencil_of(member_of(json, "stencil"));
  const bool is_family = problem.stencil ? stencil::find_kernel_name(problem.family).has_value()
                                         : find_family(problem.family) != nullptr;
  if (!is_family) throw Damaged{text("'", escaped(problem.family), "' is no family")};
  if (!problem.stencil) problem.order = count_of(json, "order", 2, highest_order);
  problem.precision = choice_of(precision_names, json, "precision");
  if (json.contains("equation")) problem.equation = choice_of(equation_names, json, "equation");
  problem.grid = grid_of(json);
  problem.steps = count_of(json, "steps", 1);
  const Json& device = member_of(json, "device");
  record.build = member_of(json, "build").dump();
  record.device = device.dump();
  problem.build = text_of(json, "build_id");
  problem.device = text_of(device, "name");
  problem.device_kind = text_of(device, "kind");
  if (json.contains("played") && json["played"] != Json(problem.is_played())) {
    throw Damaged{"played is not what follows from its device"};
  }
  record.gpu = gpu_of(json);
  const Json& candidates = member_of(json, "candidates");
  if (!candidates.is_array()) throw Damaged{"candidates is no list"};
  for (const Json& candidate : candidates) {
    record.candidates.push_back(candidate_of(candidate, problem));
  }
  return record;
}

}  // namespace

BlockWork TuneProblem::work_of(const std::string& name) const {
  if (stencil) return stencil::work_of(stencil::parse_kernel_name(name), *stencil, grid);
  return minimod::work_of(*parse_shape_name(name), grid, order / 2, equation);
}

std::size_t TuneRecord::value_bytes() const {
  return bytes_of(problem.precision);
}

const TuneCandidate* TuneRecord::find(const std::string& name) const {
  const auto found = std::ranges::find(candidates, name, &TuneCandidate::name);
  return found != candidates.end() ? &*found : nullptr;
}

double TuneRecord::gpt_per_s(const TuneCandidate& candidate) const {
  std::vector<double> sorted = candidate.seconds;
  std::ranges::sort(sorted);
  return 1e-9 * static_cast<double>(problem.grid.points()) / sorted[sorted.size() / 2];
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
        differ("number of steps", text(kept.steps), text(wanted.steps))}) {
    if (!found.empty()) return found;
  }
  return "";
}

Json to_json(const TuneRecord& record) {
  const TuneProblem& problem = record.problem;
  Json model = nullptr;
  if (const auto& gpu = record.gpu) {
    model = {{"multiprocessors", gpu->multiprocessors},
             {"bytes_per_s", gpu->bytes_per_s},
             {"clock_hz", gpu->clock_hz},
             {"latency_cycles", gpu->latency_cycles},
             {"most_warps", gpu->most_warps}};
  }
  Json candidates = Json::array();
  for (const TuneCandidate& candidate : record.candidates) {
    candidates.push_back(candidate_json(record, candidate));
  }
  Json json{{"schema", tune_schema},
            {"build", Json::parse(record.build)},
            {"build_id", problem.build},
            {"device", Json::parse(record.device)},
            {"family", problem.family}};
  if (problem.stencil) {
    json["stencil"] = stencil_json(*problem.stencil);
  } else {
    json["order"] = problem.order;
  }
  json["precision"] = precision_name(problem.precision);
  if (!problem.stencil) json["equation"] = equation_name(problem.equation);
  json["grid"] = {problem.grid.x, problem.grid.y, problem.grid.z};
  json["steps"] = problem.steps;
  json["played"] = problem.is_played();
  json["model"] = model;
  json["candidates"] = candidates;
  return json;
}

TuneRecord read_tune_record(const std::filesystem::path& file) {
  const InputFile input(file);
  const auto fail = [&](const std::string& why) -> Error {
    return {ExitCode::data, text(shown(file), " is no record of minimod tune: ", why),
            "give another file, or have it made anew"};
  };
  if (input.size() > most_record_bytes) throw fail(text("it has ", input.size(), " bytes"));
  std::string content(input.size(), '\0');
  input.read(0, std::as_writable_bytes(std::span(content)));
  const Json json = Json::parse(content, nullptr, false);
  if (json.is_discarded()) throw fail("it is no JSON");
  if (!json.is_object() || json.value("schema", Json()) != tune_schema) {
    throw fail(text("its schema is not ", tune_schema));
  }
  try {
    return record_of(json);
  } catch (const Damaged& damage) {
    throw fail(damage.what);
  }
}

}  // namespace minimod
