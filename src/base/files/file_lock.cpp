#include "src/base/files/file_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/notes.hpp"
#include "src/base/process/process.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view seal = "a lock of minimod", process_word = "process ",
                           by_name = "held by its name";
constexpr std::size_t most_bytes = 2048;

/// A file that this function opened, closed with the scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

/// The lines of a lock's file.
struct Words {
  std::string owner;      ///< process, host and time
  std::string place;      ///< where the number of a process means that one
  std::string beginning;  ///< time at which the process began
  std::string keeper;     ///< the kernel, or by_name
};

std::string content_of_lock(bool is_of_kernel) {
  const std::time_t now = std::time(nullptr);
  std::ostringstream date;
  date << std::put_time(std::gmtime(&now), "%Y-%m-%dT%H:%M:%SZ");
  return text(seal, '\n', process_word, ::getpid(), " of ", host_name(), " since ", date.str(), '\n',
              place_of_processes(), '\n', beginning_of(::getpid()), '\n',
              is_of_kernel ? "held by the kernel" : by_name, '\n');
}

std::string read_all(int descriptor) {
  std::string bytes(most_bytes, '\0');
  const ssize_t count = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

/// Reads the words of a lock: earlier versions have one line, the owner's.
Words words_in(const std::string& content) {
  std::istringstream stream(content);
  std::string first;
  Words words;
  if (!content.starts_with(process_word)) std::getline(stream, first);
  for (std::string* line : {&words.owner, &words.place, &words.beginning, &words.keeper})
    std::getline(stream, *line);
  return words;
}

pid_t process_of(const Words& words) {
  const std::string_view owner = words.owner;
  pid_t process = 0;
  if (owner.starts_with(process_word)) {
    std::from_chars(owner.data() + process_word.size(), owner.data() + owner.size(), process);
  }
  return process;
}

/// Also one that lost bits, or all of its words as the machine went down, and those of earlier versions.
bool is_lock(const std::string& content) {
  if (content.size() == most_bytes) return false;
  if (content.find_first_not_of('\0') == std::string::npos) return true;
  std::size_t alike = 0;
  for (std::size_t i = 0; i < std::min(seal.size(), content.size()); ++i) {
    alike += content[i] == seal[i] ? 1 : 0;
  }
  const Words words = words_in(content);
  return alike > seal.size() / 2 || (process_of(words) > 0 && words.owner.find(" of ") != std::string::npos);
}

bool is_held_by_name(const std::string& content) {
  return words_in(content).keeper == by_name;
}

/// Whether its process has ended, as far as this machine can tell.
bool has_owner_ended(const std::string& content) {
  const Words words = words_in(content);
  const pid_t process = process_of(words);
  return words.place == place_of_processes() && process > 0 &&
         (has_ended(process) || beginning_of(process) != words.beginning);
}

std::string owner_in(const std::string& content) {
  const std::string owner = words_in(content).owner;
  return owner.empty() ? "a process without a name" : escaped(owner, 120);
}

enum class Flock { taken, of_another, unknown };

Flock try_flock(int descriptor, FileLock::Sharing sharing) {
  const int how = sharing == FileLock::Sharing::alone ? LOCK_EX : LOCK_SH;
  while (::flock(descriptor, how | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return Flock::of_another;
    if (errno != EINTR) return Flock::unknown;
  }
  return Flock::taken;
}

bool has_name(int descriptor, const fs::path& file) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void write_content(int descriptor, const std::string& content, const fs::path& file) {
  if (::pwrite(descriptor, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size())) return;
  throw write_error(file, errno);
}

Error foreign_error(const fs::path& file) {
  return {ErrorKind::cannot_create, shown(file) + " exists and is no lock of minimod, so it is kept",
          "move it away or choose another output"};
}

}  // namespace

FileLock::FileLock(const fs::path& guarded, fs::path file, Sharing sharing)
    : guarded_(guarded), file_(std::move(file)), sharing_(sharing) {
  // Who looks, ends or takes over what was left has a file for microseconds.
  constexpr int most_refusals = 5, most_attempts = 100;
  constexpr std::chrono::milliseconds pause(10);
  for (int refusals = 0, attempts = 0; refusals < most_refusals && attempts < most_attempts; ++attempts) {
    struct stat there {};
    const bool is_there = ::lstat(file_.c_str(), &there) == 0;
    const Attempt attempt = is_there ? take_existing() : make();
    if (attempt == Attempt::taken) return;
    if (attempt == Attempt::refused && ++refusals < most_refusals) std::this_thread::sleep_for(pause);
  }
  throw Error(ErrorKind::cannot_create, text(shown(guarded_), " is in use by ", owner_),
              killed_leave_.empty()
                  ? "wait for its end, or choose another output"
                  : text("wait for its end; if it was killed, remove ", shown(killed_leave_)));
}

FileLock::~FileLock() {
  leftover_.reset();
  if (is_of_kernel_) {
    // One in common is the last user's to remove. Where it is not the last, this gives up its part.
    const bool is_alone = descriptor_ >= 0 && try_flock(descriptor_, Sharing::alone) == Flock::taken;
    if (is_alone && has_name(descriptor_, file_)) ::unlink(file_.c_str());
  } else if (!content_.empty()) {
    const Descriptor there{::open(file_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (there.number >= 0 && read_all(there.number) == content_) ::unlink(file_.c_str());
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileLock::Attempt FileLock::make() {
  // An error of their folder names the file that was asked for.
  TemporaryFile temporary(guarded_.parent_path() == file_.parent_path() ? guarded_ : file_);
  Descriptor opened{open_own(temporary.path())};
  is_of_kernel_ = try_flock(opened.number, sharing_) == Flock::taken;
  if (!is_of_kernel_ && sharing_ == Sharing::in_common) return Attempt::taken;
  const std::string content = content_of_lock(is_of_kernel_);
  write_content(opened.number, content, file_);
  const auto is_named = temporary.take_name(file_);
  if (is_named && !*is_named) return Attempt::again;
  if (!is_named) {
    tell(text("the file system of ", shown(file_), " has no locks: nothing keeps a second run away"));
    is_of_kernel_ = false;
    return Attempt::taken;
  }
  content_ = content;
  if (sharing_ == Sharing::alone) leftover_.emplace(file_.c_str());
  std::swap(descriptor_, opened.number);
  return Attempt::taken;
}

FileLock::Attempt FileLock::take_existing() {
  Descriptor opened{open_own_if_there(file_)};
  if (opened.number < 0) return Attempt::again;
  const Flock flocked = try_flock(opened.number, sharing_);
  is_of_kernel_ = flocked != Flock::unknown;
  const std::string content = read_all(opened.number);
  if (flocked == Flock::of_another) {
    owner_ = owner_in(content);
    killed_leave_.clear();
    return Attempt::refused;
  }
  if (!has_name(opened.number, file_)) return Attempt::again;
  if (!is_lock(content)) throw foreign_error(file_);
  if (is_held_by_name(content) || !is_of_kernel_) {
    return has_owner_ended(content) ? remove_ended(content) : refuse_by_name(file_, content);
  }
  if (sharing_ == Sharing::in_common) {
    std::swap(descriptor_, opened.number);
    return Attempt::taken;
  }
  if (::unlink(file_.c_str()) != 0 && errno != ENOENT) throw create_error(file_, errno);
  return Attempt::again;
}

FileLock::Attempt FileLock::refuse_by_name(const fs::path& file, const std::string& content) {
  owner_ = owner_in(content);
  killed_leave_ = file;
  return Attempt::refused;
}

/// Only who has a lock on the removal looks again and removes: another may have taken it over meanwhile.
FileLock::Attempt FileLock::remove_ended(const std::string& content) {
  const fs::path removal = fs::path(file_) += ".removal";
  TemporaryFile temporary(removal);
  write_content(Descriptor{open_own(temporary.path())}.number, content_of_lock(false), removal);
  if (!temporary.take_name(removal).value_or(false)) {
    const Descriptor there{open_own_if_there(removal)};
    return there.number < 0 ? Attempt::again : refuse_by_name(removal, read_all(there.number));
  }
  const Leftover leftover(removal.c_str());
  const Descriptor there{open_own_if_there(file_)};
  if (there.number >= 0 && read_all(there.number) == content) ::unlink(file_.c_str());
  ::unlink(removal.c_str());
  return Attempt::again;
}

std::optional<std::string> FileLock::owner_of(const fs::path& file) {
  const Descriptor opened{::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (opened.number < 0) return {};
  const std::string content = read_all(opened.number);
  if (!is_lock(content)) return {};
  const Flock flocked = try_flock(opened.number, Sharing::in_common);
  const bool is_by_name = flocked == Flock::unknown || is_held_by_name(content);
  if (flocked == Flock::of_another || (is_by_name && !has_owner_ended(content))) return owner_in(content);
  return {};
}

}  // namespace minimod
