#include "src/io/survey/journal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <limits>
#include <span>

#include <fcntl.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/files/input_file.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/json.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_line = 4096;  // line of a shot with its files

/// Checksum of what can be read, which no sum of what was written could say: HDF5 goes back and forth in a
/// file, and a full disk may lose bytes without an error.
FinishedFile finished_file(const fs::path& folder, const std::string& name) {
  const InputFile file(folder / name);
  return {name, file.size(), crc32_of_file(folder / name)};
}

/// With its own checksum behind a blank: a line says nothing unless that is right.
std::string line_that_says(const Json& json) {
  const std::string said = json.dump_ascii();
  return text(said, ' ', hexadecimal(crc32(std::as_bytes(std::span(said)))), '\n');
}

std::string line_of(const FinishedShot& shot) {
  Json files = Json::array();
  for (const FinishedFile& file : shot.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"crc32", hexadecimal(file.crc32)}});
  }
  return line_that_says({{"shot", shot.id}, {"configuration", shot.configuration}, {"files", files}});
}

/// Nothing of a line that is torn or damaged.
std::optional<std::string> said_by(const std::string& line) {
  const std::size_t blank = line.rfind(' ');
  if (blank == std::string::npos) return {};
  std::string said = line.substr(0, blank);
  if (line.substr(blank + 1) != hexadecimal(crc32(std::as_bytes(std::span(said))))) return {};
  return said;
}

/// Nothing where something else is said.
std::optional<FinishedShot> shot_of(const std::string& said) {
  try {
    const Json json = Json::parse(said);
    FinishedShot shot{json.at("shot").get<int>(), json.at("configuration").get<std::string>(), {}};
    for (const Json& file : json.at("files")) {
      const auto checksum = std::stoul(file.at("crc32").get<std::string>(), nullptr, 16);
      shot.files.push_back({file.at("name").get<std::string>(), file.at("bytes").get<std::uint64_t>(),
                            static_cast<std::uint32_t>(checksum)});
    }
    return shot;
  } catch (const std::exception&) {
    return {};
  }
}

/// Numbers of shots; nothing where something else is said.
std::vector<int> planned_by(const std::string& said) {
  try {
    return Json::parse(said).at("planned").get<std::vector<int>>();
  } catch (const std::exception&) {
    return {};
  }
}

bool is_journal(const fs::path& file) {
  const std::string name = file.filename().native();
  return name == "journal" || name.starts_with("journal.");
}

}  // namespace

FinishedShot finished_shot(int id, const std::string& configuration, const fs::path& folder,
                           const std::vector<std::string>& names) {
  FinishedShot shot{id, configuration, {}};
  for (const std::string& name : names) shot.files.push_back(finished_file(folder, name));
  return shot;
}

Journal::Journal(const fs::path& folder, const WorkerNumber& worker)
    : folder_(folder), file_(folder / (worker ? text("journal.", *worker) : "journal")) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), last; !error && entry != last; entry.increment(error)) {
    if (is_journal(entry->path())) read(entry->path());
  }
}

void Journal::read(const fs::path& file) {
  static_cast<void>(InputFile(file));
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw Error(ErrorKind::io, "reading " + shown(file) + " failed", "check its permissions and the disk");
  std::array<char, longest_line> line{};
  while (stream.getline(line.data(), line.size()).gcount() > 0) {
    if (stream.good()) {
      if (const auto said = said_by(line.data())) hear(*said);
    } else if (!stream.eof()) {  // longer than any of ours
      stream.clear();
      stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
  }
}

void Journal::hear(const std::string& said) {
  if (const auto shot = shot_of(said)) shots_.emplace(shot->id, *shot);
  for (const int id : planned_by(said)) planned_.insert(id);
}

void Journal::plan(const std::vector<int>& ids) {
  constexpr std::size_t most_in_line = 300;  // numbers of eleven digits and a comma, under longest_line
  std::vector<int> added;
  for (const int id : ids) {
    if (planned_.insert(id).second) added.push_back(id);
  }
  std::string lines;
  for (std::size_t first = 0; first < added.size(); first += most_in_line) {
    const std::size_t last = std::min(first + most_in_line, added.size());
    const std::span<const int> here = std::span<const int>(added).subspan(first, last - first);
    lines += line_that_says({{"planned", std::vector<int>(here.begin(), here.end())}});
  }
  if (!lines.empty()) append(lines);
}

void Journal::add(const FinishedShot& shot) {
  append(line_of(shot));
  shots_.emplace(shot.id, shot);
}

void Journal::append(const std::string& lines) {
  const int descriptor = open_own(file_);
  char end = '\n';
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  const bool torn = size > 0 && ::pread(descriptor, &end, 1, size - 1) == 1 && end != '\n';
  const std::string all = (torn ? "\n" : "") + lines;
  const bool is_written = ::write(descriptor, all.data(), all.size()) == static_cast<ssize_t>(all.size()) &&
                          ::fsync(descriptor) == 0;
  const int error = errno;
  const bool is_closed = ::close(descriptor) == 0;
  if (!is_written || !is_closed) throw write_error(file_, is_written ? errno : error);
}

bool Journal::is_done(int id, const std::string& configuration) const {
  const auto [first, last] = shots_.equal_range(id);
  for (auto found = first; found != last; ++found) {
    const FinishedShot& shot = found->second;
    if (shot.configuration != configuration) continue;
    try {
      bool whole = !shot.files.empty();
      for (const FinishedFile& file : shot.files) whole = whole && finished_file(folder_, file.name) == file;
      if (whole) return true;
    } catch (const Error&) {  // missing or unreadable: to be made again
    }
  }
  return false;
}

}  // namespace minimod
