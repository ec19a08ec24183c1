/// Results of a search for the best tile, as its record keeps them: enough to go on, and to judge the model
/// without a GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/base/choices.hpp"
#include "src/base/extents.hpp"
#include "src/base/json.hpp"
#include "src/device/device_option.hpp"
#include "src/stencil/language/specification.hpp"
#include "src/tune/performance_model.hpp"

namespace minimod {

enum class CandidateState {
  waiting,   ///< nothing is known of it
  compiled,  ///< compiled, with facts from the compiler
  refused,   ///< by the compiler or the device
  wrong,     ///< disagrees with the reference
  measured,
};
inline constexpr NamedChoice<CandidateState> candidate_states[] = {{CandidateState::waiting, "waiting"},
                                                                   {CandidateState::compiled, "compiled"},
                                                                   {CandidateState::refused, "refused"},
                                                                   {CandidateState::wrong, "wrong"},
                                                                   {CandidateState::measured, "measured"}};

/// By which a tile is the best.
enum class Objective { speed, energy };
inline constexpr NamedChoice<Objective> objective_names[] = {{Objective::speed, "speed"},
                                                             {Objective::energy, "energy"}};

/// A tile of the family that is searched.
struct TuneCandidate {
  std::string name;
  bool is_built_in = false;  ///< the registry has it
  CandidateState state = CandidateState::waiting;
  std::string why = {};  ///< reason for which it was refused
  /// Facts of its compiled kernel in a record; nothing on the host.
  std::optional<LaunchFacts> compiled = {};
  double error = 0;                  ///< relative L2 against the reference, of what was verified
  std::vector<double> seconds = {};  ///< seconds of a step, one of each timed run
  double mpt_per_j = 0, watts = 0;   ///< medians of its runs, in a search for the least energy
  double clock_mhz = 0;              ///< median of the runs' means; 0 where nobody tells
  double spent_seconds = 0;          ///< on its verification and its runs
  [[nodiscard]] bool is_done() const {
    return state == CandidateState::measured || state == CandidateState::wrong ||
           state == CandidateState::refused;
  }
};

/// The problem and the device of a search.
struct TuneProblem {
  std::string family;
  int order = 0;
  Precision precision = Precision::float32;
  Equation equation = Equation::wave;
  Extent3 grid;
  std::string device, device_kind;
  std::string build;  ///< the program's commit and its compilers
  int steps = 0;      ///< steps of a timed run
  Objective objective = Objective::speed;
  std::optional<stencil::Specification> stencil = {};  ///< in place of order and equation

  /// Whether the host emulates the threads: no tile wins then.
  [[nodiscard]] bool is_emulated() const { return device_kind == cpu_kind; }
  /// Work of a block of that tile of the family on a GPU of such warps. `name`: of a candidate of a record.
  [[nodiscard]] BlockWork work_of(const std::string& name, int warp) const;
};

struct TuneRecord {
  TuneProblem problem;
  std::optional<GpuFacts> gpu;  ///< nothing on the host
  std::string build, device;    ///< parts of the record, in JSON
  std::vector<TuneCandidate> candidates;

  /// 10^9 points a second, by the median of the runs of a candidate that was measured.
  [[nodiscard]] double gpt_per_s(const TuneCandidate& candidate) const;
  /// Rate of a measured candidate, or its points a joule, by the objective: the best has the most.
  [[nodiscard]] double merit(const TuneCandidate& candidate) const;
};

/// In what the searches differ, so that one cannot go on with the other: "the device is A, not B"; empty
/// where it can.
[[nodiscard]] std::string difference(const TuneProblem& kept, const TuneProblem& wanted);

[[nodiscard]] Json to_json(TuneRecord record);

/// Errors: 65 a file that is no record of a search, or damaged; those of InputFile.
[[nodiscard]] TuneRecord read_tune_record(const std::filesystem::path& file);

}  // namespace minimod
