#include "src/base/output_file.hpp"

#include <ctime>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "src/base/error.hpp"

namespace minimod {

void check_can_write_record(const std::filesystem::path& file, const std::string& option) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw Error(ExitCode::cannot_create, text(option, ": there is no folder ", escaped(folder.string())),
                "create it");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(ExitCode::permission, text(option, ": no permission to write in ", escaped(folder.string())),
                "name another folder");
  }
  if (std::filesystem::is_directory(file, ignored)) {
    throw Error(ExitCode::cannot_create, text(option, ": ", escaped(file.string()), " is a folder"),
                "name a file");
  }
}

void write_record(const nlohmann::ordered_json& record, const std::filesystem::path& file) {
  const std::time_t now = std::time(nullptr);
  std::ostringstream date;
  date << std::put_time(std::gmtime(&now), "%Y-%m-%dT%H:%M:%SZ");
  nlohmann::ordered_json dated = record;
  if (!dated.contains("date")) dated["date"] = date.str();
  write_text(dated.dump(2) + '\n', file);
}

void write_text(const std::string& content, const std::filesystem::path& file) {
  const std::filesystem::path temporary = text(file.string(), '.', getpid(), ".tmp");
  std::ofstream stream(temporary);
  stream << content;
  stream.close();
  std::error_code failure;
  if (stream) std::filesystem::rename(temporary, file, failure);
  if (stream && !failure) return;
  std::filesystem::remove(temporary, failure);
  throw Error(ExitCode::io, text("cannot write ", escaped(file.string())), "is the disk full?");
}

}  // namespace minimod
