/// Options of the command line as arguments of a call: the same table, names with underscores.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/job/plan/shot_options.hpp"

namespace minimod {

/// An option as `minimod --help` has it.
struct CallOption {
  std::string name;   ///< "pml_width"
  std::string type;   ///< word that stands for its value; empty: a flag
  std::string group;  ///< heading
  std::string help;
};

/// Options that a call may have. What the command line says of shots, files of their own and processes is
/// left out: a call has arguments for them, or a survey.
[[nodiscard]] std::vector<CallOption> call_options();

using GivenOptions = std::vector<std::pair<std::string, std::string>>;

/// Reads options by name and value; `call` stands in the gather for the command line. Errors: 64 a name that
/// is none, a value that is wrong.
[[nodiscard]] std::unique_ptr<ShotOptions> read_call(const GivenOptions& given, const std::string& call);

/// The spelling of a parameter in calls, between marks by which `take_parameter` finds it in a message.
[[nodiscard]] std::string marked_parameter(std::string_view name);
/// Takes the marks out of a message, and returns the first parameter that they were around; empty: none.
std::string take_parameter(std::string& message);
/// The message without them.
[[nodiscard]] std::string without_marks(std::string message);

}  // namespace minimod
