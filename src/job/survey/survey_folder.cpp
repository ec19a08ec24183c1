#include "src/job/survey/survey_folder.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/option.hpp"
#include "src/io/gather/shot_geometry.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr const char* configuration_file = "configuration.json";
constexpr const char* survey_schema = "minimod.survey_configuration/2";
/// Schema of programs that counted shots from 0 and did not keep which shots are planned (journal.hpp).
constexpr const char* earlier_schema = "minimod.survey_configuration/1";
constexpr const char* counts_from = "the number that shots count from";

/// But for hidden files: another worker may be making its own.
bool is_bare(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator all(folder, error);
  return !error && std::none_of(begin(all), end(all), [](const fs::directory_entry& entry) {
    return !entry.path().filename().native().starts_with('.');
  });
}

/// Configuration of the survey that the folder has; nothing in a folder that is not there or is empty. Error
/// 73 in any other.
std::optional<Configuration> configuration_in(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) || is_bare(folder)) return {};
  const fs::path file = folder / configuration_file;
  if (fs::is_regular_file(file, error)) {
    std::ifstream stream(file);
    const Configuration all = Configuration::read(stream);
    const Configuration& schema = all["schema"];
    const bool is_known = schema == survey_schema || schema == earlier_schema;
    if (is_known && all["configuration"].is_object()) {
      Configuration configuration = all["configuration"];
      configuration[counts_from] = schema == survey_schema ? first_shot_number : 0;
      return configuration;
    }
  }
  throw Error(ErrorKind::cannot_create, text(shown(folder), " is there and has no survey in it"),
              "take another " + option("output"));
}

Error another_survey(const fs::path& folder, const std::string& difference) {
  return {ErrorKind::cannot_create,
          text("'", escaped(folder.native(), 40), "' has another survey: ", difference),
          text("take another ", option("output"), ", or ", option("force"), " to start anew beside it")};
}

}  // namespace

fs::path find_survey_folder(const fs::path& output, Configuration configuration, bool force,
                            const std::function<std::string(const fs::path&)>& other_shots) {
  configuration[counts_from] = first_shot_number;
  const fs::path first = output.has_filename() ? output : output.parent_path();
  fs::path folder = first;
  for (int number = 1;; ++number) {
    const auto found = configuration_in(folder);
    if (!found) return folder;
    std::string other = differences(*found, configuration);
    if (other.empty()) other = other_shots(folder);
    if (other.empty()) return folder;
    if (!force) throw another_survey(folder, other);
    folder = fs::path(first) += text('.', number);
  }
}

bool is_begun(const fs::path& folder) {
  return configuration_in(folder).has_value();
}

void begin_survey(const fs::path& folder, const Configuration& configuration) {
  const Configuration all{{"schema", survey_schema}, {"configuration", configuration}};
  try {
    write_text(all.dump(2) + '\n', folder / configuration_file, json_record, false);
  } catch (const Error&) {
    const auto there = configuration_in(folder);  // another worker may have been faster
    if (!there) throw;
    Configuration here = configuration;
    here[counts_from] = first_shot_number;
    if (const std::string other = differences(*there, here); !other.empty())
      throw another_survey(folder, other);
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  const bool denied = error == std::errc::permission_denied || error == std::errc::read_only_file_system;
  throw Error(denied ? ErrorKind::permission : ErrorKind::cannot_create,
              text("cannot create ", shown(folder), ": ", error.message()), "choose another output");
}

}  // namespace minimod
