#include "src/base/files/output_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <span>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/files/checksum.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/process/limits.hpp"
#include "src/base/process/process.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  return file.parent_path().empty() ? "." : file.parent_path();
}

Error existing_error(const fs::path& file) {
  return {ErrorKind::cannot_create, shown(file) + " exists",
          text("give ", option("force"), " to replace it or another output")};
}

/// Refuses what stands in the way of the new file.
void check_existing(const fs::path& file, const FileKind& kind, bool overwrite) {
  struct stat link {
  }, status{};
  if (::lstat(file.c_str(), &link) != 0) return;
  const bool dangles = ::stat(file.c_str(), &status) != 0;
  check_no_folder(file);
  if (dangles || !S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::cannot_create, shown(file) + " exists and is no regular file",
                "choose another output");
  }
  if (!overwrite) throw existing_error(file);
  if (!kind.is(file)) {
    throw Error(ErrorKind::cannot_create,
                text(shown(file), " exists and is not ", kind.name, ", so it is kept"),
                "move it away or choose another output");
  }
  if (::access(file.c_str(), W_OK) != 0) throw create_error(file, errno);
}

void check_name(const fs::path& file) {
  if (!is_utf8(file.native())) {
    throw Error(ErrorKind::cannot_create, text("the name ", shown(file), " is not in UTF-8"),
                "choose another output");
  }
  if (file.filename().empty() || file.filename() == "." || file.filename() == "..") {
    throw Error(ErrorKind::cannot_create, shown(file) + " is not the name of a file",
                "give one such as shot_gather.h5");
  }
}

void check_directory(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw Error(ErrorKind::cannot_create, shown(directory) + " is not a directory", "choose another output");
  }
  if (status.type() == fs::file_type::not_found) {
    throw Error(ErrorKind::cannot_create, "there is no directory " + shown(directory),
                "make it or choose another output");
  }
}

/// End of a temporary file's name, behind the number of its process.
std::string end_of_temporary() {
  const std::string host = host_name();
  return text('-', hexadecimal(crc32(std::as_bytes(std::span(host)))), ".tmp");
}

std::string beginning_of_temporary(const fs::path& target) {
  return "." + target.filename().native() + ".";
}

bool is_dead(std::string_view process) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(process.data(), process.data() + process.size(), number);
  return error == std::errc() && end == process.data() + process.size() && number > 0 && has_ended(number);
}

/// Temporary files of processes that have died, whose names begin so.
void remove_dead(const fs::path& folder, const std::string& begin) {
  const std::string end = end_of_temporary();
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), last; !error && entry != last; entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end))
      continue;
    const std::string_view made_by = std::string_view(name).substr(0, name.size() - end.size());
    if (is_dead(made_by.substr(made_by.rfind('.') + 1))) ::unlink(entry->path().c_str());
  }
}

/// In its file system; its folder need not be there.
std::optional<std::uintmax_t> free_bytes_for(const fs::path& file) {
  std::error_code unknown;
  fs::path folder = folder_of(file);
  while (!fs::exists(folder, unknown) && folder.has_relative_path()) folder = folder_of(folder);
  const std::uintmax_t free = fs::space(folder, unknown).available;
  return unknown ? std::optional<std::uintmax_t>() : free;
}

bool is_one(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  if (fs::equivalent(a, b, ignored)) return true;
  return a.filename() == b.filename() && fs::equivalent(folder_of(a), folder_of(b), ignored);
}

}  // namespace

void remove_dead_temporaries(const fs::path& target) {
  remove_dead(folder_of(target), beginning_of_temporary(target));
}

void remove_dead_temporaries_in(const fs::path& folder) {
  remove_dead(folder, ".");
}

const FileKind json_record{"a record of minimod",
                           [](const fs::path& file) { return begins_with(file, R"({"schema":"minimod.)"); }};

bool begins_with(const fs::path& file, std::string_view beginning) {
  std::ifstream stream(file, std::ios::binary);
  for (const char expected : beginning) {
    char found = 0;
    if (!(stream >> found) || found != expected) return false;  // >> passes over blanks
  }
  return true;
}

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(Json(text).dump());
    return true;
  } catch (const JsonError&) {
    return false;
  }
}

Error write_error(const fs::path& file, const std::string& what) {
  return {ErrorKind::io, text("writing ", shown(file), " failed: ", what), "check the disk and its quota"};
}

Error write_error(const fs::path& file, int error, const std::string& what) {
  if (error == 0) return write_error(file, what);
  const std::string said = text(what, what.empty() ? "" : ": ", reason(error));
  return shortage(error, text("writing ", shown(file), " failed")).value_or(write_error(file, said));
}

Error create_error(const fs::path& file, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EIO) return write_error(file, error);
  const std::string what = text("cannot create ", shown(file));
  if (const auto lacks = shortage(error, what)) return *lacks;
  const bool denied = error == EACCES || error == EPERM || error == EROFS;
  return {denied ? ErrorKind::permission : ErrorKind::cannot_create, text(what, ": ", reason(error)),
          "choose another output"};
}

void check_no_folder(const fs::path& file) {
  std::error_code none;
  if (!fs::is_directory(file, none)) return;
  throw Error(ErrorKind::cannot_create, shown(file) + " is a directory", "give the name of a file");
}

void check_place(const fs::path& file) {
  check_name(file);
  check_directory(folder_of(file));
}

void check_target(const fs::path& file, const FileKind& kind, bool overwrite) {
  check_place(file);
  check_existing(file, kind, overwrite);
}

void check_can_create(const fs::path& file, const FileKind& kind, bool overwrite) {
  check_target(file, kind, overwrite);
  const TemporaryFile probe(file);
}

bool has_room(const fs::path& file, std::uintmax_t bytes) {
  const auto free = free_bytes_for(file);
  return !free || bytes <= *free;
}

void check_room(const fs::path& file, std::uintmax_t bytes, const std::string& remedy) {
  if (has_room(file, bytes)) return;
  throw Error(ErrorKind::io,
              text(shown(file), " takes ", bytes, " bytes, and ", free_bytes_for(file).value_or(0),
                   " are free in its file system"),
              remedy);
}

void check_distinct(const std::vector<fs::path>& files) {
  for (auto a = files.begin(); a != files.end(); ++a) {
    const auto same = [&](const fs::path& b) { return !a->empty() && !b.empty() && is_one(*a, b); };
    if (const auto b = std::find_if(a + 1, files.end(), same); b != files.end()) {
      throw Error(ErrorKind::cannot_create,
                  text(shown(*a), " and ", shown(*b), " are one file, and two are to be made"),
                  "give them two names");
    }
  }
}

namespace {

/// The descriptor of a file that was opened without following a link, where it is a regular one.
int regular(int descriptor, const fs::path& file) {
  if (descriptor < 0 && errno == ELOOP) {
    throw Error(ErrorKind::cannot_create, shown(file) + " is a link, and what it leads to is kept",
                "remove the link, or choose another output");
  }
  if (descriptor < 0) throw create_error(file, errno);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return descriptor;
  ::close(descriptor);
  throw Error(ErrorKind::cannot_create, shown(file) + " exists and is no regular file",
              "choose another output");
}

constexpr int own_flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

/// Puts a file or a folder on disk; errors name the target.
void sync(const fs::path& path, int flags, const fs::path& target) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  // A directory may be writable and not readable; some file systems cannot sync one.
  const bool directory = (flags & O_DIRECTORY) != 0;
  if (descriptor < 0 && directory) return;
  const int error = descriptor >= 0 && ::fsync(descriptor) == 0 ? 0 : errno;
  if (descriptor >= 0) ::close(descriptor);
  if (error != 0 && !(directory && error == EINVAL)) throw write_error(target, error);
}

}  // namespace

int open_own(const fs::path& file) {
  return regular(::open(file.c_str(), O_RDWR | O_CREAT | own_flags, 0666), file);
}

int open_own_if_there(const fs::path& file) {
  int descriptor = ::open(file.c_str(), O_RDWR | own_flags);
  if (descriptor < 0 && (errno == EACCES || errno == EROFS)) {
    descriptor = ::open(file.c_str(), O_RDONLY | own_flags);
  }
  return descriptor < 0 && errno == ENOENT ? descriptor : regular(descriptor, file);
}

fs::path temporary_name(const fs::path& target) {
  fs::path path = target;
  return path.replace_filename(beginning_of_temporary(target) + std::to_string(::getpid()) +
                               end_of_temporary());
}

TemporaryFile::TemporaryFile(const fs::path& target) : target_(target), path_(temporary_name(target)) {
  remove_dead_temporaries(target);
  ::unlink(path_.c_str());  // left by a killed process of the same number, as in containers
  leftover_.emplace(path_.c_str());
  const int descriptor = ::open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const int error = errno;
    leftover_.reset();
    throw create_error(target, error);
  }
  ::close(descriptor);
}

TemporaryFile::~TemporaryFile() {
  if (leftover_) ::unlink(path_.c_str());
}

void TemporaryFile::publish_as(const fs::path& target) {
  sync(path_, O_RDONLY, target_);
  if (::rename(path_.c_str(), target.c_str()) != 0) throw create_error(target, errno);
  leftover_.reset();
  sync(folder_of(target_), O_RDONLY | O_DIRECTORY, target_);
}

bool TemporaryFile::publish_new() {
  sync(path_, O_RDONLY, target_);
  const auto is_named = take_name(target_);
  if (!is_named) {
    publish();
    return true;
  }
  sync(folder_of(target_), O_RDONLY | O_DIRECTORY, target_);
  return *is_named;
}

std::optional<bool> TemporaryFile::take_name(const fs::path& name) {
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) {
    leftover_.reset();
    return true;
  }
  if (errno == EEXIST) return false;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) throw create_error(name, errno);
  if (::link(path_.c_str(), name.c_str()) == 0) return true;  // the temporary name goes with this object
  struct stat status {};
  switch (errno) {
    case EEXIST:  // over NFS also where an answer was lost and the request repeated
      return ::stat(path_.c_str(), &status) == 0 && status.st_nlink == 2;
    case EPERM:
    case ENOSYS:
    case EOPNOTSUPP:
      return {};
    default:
      throw create_error(name, errno);
  }
}

void rename_whole(const fs::path& file, const fs::path& target, const FileKind& kind, bool overwrite) {
  check_target(target, kind, overwrite);
  if (::rename(file.c_str(), target.c_str()) != 0) {
    if (errno != EXDEV) throw create_error(target, errno);
    TemporaryFile copy(target);  // the folder is a link to another file system
    std::error_code error;
    fs::copy_file(file, copy.path(), fs::copy_options::overwrite_existing, error);
    if (error) throw write_error(target, error.value());
    copy.publish();
    fs::remove(file);
    return;
  }
  sync(folder_of(target), O_RDONLY | O_DIRECTORY, target);
}

OutputFolder::OutputFolder(const fs::path& folder) {
  if (!is_utf8(folder.native())) {
    throw Error(ErrorKind::cannot_create, text("the name ", shown(folder), " is not in UTF-8"),
                "choose another output");
  }
  std::error_code error;
  const auto is_missing = [&](const fs::path& part) {  // a link that leads nowhere is not
    return fs::symlink_status(part, error).type() == fs::file_type::not_found;
  };
  for (fs::path part = folder; !part.empty() && is_missing(part); part = part.parent_path()) {
    made_.push_back(part);
  }
  for (auto outer = made_.rbegin(); outer != made_.rend(); ++outer) leftovers_.emplace_back(outer->c_str());
  fs::create_directories(folder.empty() ? "." : folder, error);
  if (!error) return;
  remove_empty();
  throw create_error(folder, error.value());
}

OutputFolder::~OutputFolder() {
  remove_empty();
}

void OutputFolder::remove_empty() const {
  std::error_code not_empty;
  for (const fs::path& folder : made_) fs::remove(folder, not_empty);
}

void write_text(const std::string& content, const fs::path& file, const FileKind& kind, bool overwrite) {
  check_target(file, kind, overwrite);
  TemporaryFile temporary(file);
  errno = 0;
  std::ofstream stream(temporary.path(), std::ios::binary);
  stream << content;
  stream.close();
  if (!stream) throw write_error(file, errno, cut_short);
  if (overwrite) return temporary.publish();
  if (!temporary.publish_new()) throw existing_error(file);
}

void write_record(const Json& record, const fs::path& file, bool overwrite) {
  const std::time_t now = std::time(nullptr);
  std::ostringstream date;
  date << std::put_time(std::gmtime(&now), "%Y-%m-%dT%H:%M:%SZ");
  Json dated = record;
  if (!dated.contains("date")) dated["date"] = date.str();
  write_text(dated.dump(2) + '\n', file, json_record, overwrite);
}

}  // namespace minimod
