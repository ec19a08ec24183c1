/// Who may make a file, and what is left of those who could.
#include "src/base/files/file_lock.hpp"

#include <optional>

#include <catch2/catch_test_macros.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/process/process.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

constexpr FileLock::Sharing alone = FileLock::Sharing::alone, in_common = FileLock::Sharing::in_common;

Outcome outcome_of_taking(const fs::path& lock, FileLock::Sharing sharing) {
  return outcome_of([&] { const FileLock taken("g.h5", lock, sharing); });
}

/// The number of a process that has ended.
pid_t ended_process() {
  const pid_t process = ::fork();
  if (process == 0) ::_exit(0);
  ::waitpid(process, nullptr, 0);
  return process;
}

}  // namespace

TEST_CASE("A lock alone is refused to others, one in common to who wants it alone", "[unit]") {
  const TemporaryDirectory folder;
  const fs::path lock = folder.path() / "lock";
  {
    const FileLock first("g.h5", lock, alone);
    CHECK(first.is_of_kernel());
    for (const auto sharing : {alone, in_common}) {
      const Outcome refused = outcome_of_taking(lock, sharing);
      CHECK(refused.kind == ErrorKind::cannot_create);
      CHECK(refused.says(text("'g.h5' is in use by process ", ::getpid(), " of ", host_name(), " since 20")));
    }
    CHECK(FileLock::owner_of(lock).has_value());
  }
  CHECK(folder.entries() == 0);
  {
    const FileLock one("g.h5", lock, in_common);
    const FileLock two("g.h5", lock, in_common);
    CHECK(outcome_of_taking(lock, alone).kind == ErrorKind::cannot_create);
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("The first of several to leave a lock in common leaves it to the others", "[unit]") {
  const TemporaryDirectory folder;
  const fs::path lock = folder.path() / "lock";
  std::optional<FileLock> first(std::in_place, "g.h5", lock, in_common);
  const FileLock second("g.h5", lock, in_common);
  first.reset();
  CHECK(fs::exists(lock));
  CHECK(outcome_of_taking(lock, alone).kind == ErrorKind::cannot_create);
}

TEST_CASE("A lock that was left is taken, whole or damaged, of this version or an earlier one", "[unit]") {
  const TemporaryDirectory folder;
  const std::string whole =
      "a lock of minimod\nprocess 1 of nowhere since 2026\nx y 1\n5\nheld by the kernel\n";
  std::string flipped = whole;
  flipped[2] ^= 4;
  flipped[26] ^= 64;
  for (const std::string& content : {whole, flipped, whole.substr(0, 20), std::string(),
                                     std::string(90, '\0'), std::string("process 1 of nowhere\n")}) {
    const std::string lock = folder.write("lock", content);
    CHECK_FALSE(FileLock::owner_of(lock));
    CHECK(outcome_of_taking(lock, alone).message.empty());
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("A lock of a file system without locks counts until its process has ended", "[unit]") {
  const TemporaryDirectory folder;
  const auto left_by = [&](pid_t process, const std::string& place, const std::string& beginning) {
    return folder.write("lock", text("a lock of minimod\nprocess ", process, " of here since 2026\n", place,
                                     '\n', beginning, "\nheld by its name\n"));
  };
  const std::string here = place_of_processes(), began = beginning_of(::getpid());
  const std::string held = left_by(::getpid(), here, began);
  const Outcome refused = outcome_of_taking(held, alone);
  CHECK(refused.kind == ErrorKind::cannot_create);
  CHECK(refused.says("if it was killed, remove"));
  CHECK(FileLock::owner_of(held).has_value());
  CHECK(outcome_of_taking(left_by(ended_process(), "another machine", "1"), alone).kind ==
        ErrorKind::cannot_create);
  for (const std::string& left :
       {left_by(ended_process(), here, "1"), left_by(::getpid(), here, began + "1")}) {
    CHECK_FALSE(FileLock::owner_of(left));
    CHECK(outcome_of_taking(left, alone).message.empty());
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("A file that is no lock is kept", "[unit]") {
  const TemporaryDirectory folder;
  const std::string file = folder.write("lock", "process of mine\n");
  for (const auto sharing : {alone, in_common}) {
    const Outcome refused = outcome_of_taking(file, sharing);
    CHECK(refused.kind == ErrorKind::cannot_create);
    CHECK(refused.says("is no lock of minimod, so it is kept"));
  }
  CHECK(fs::file_size(file) == 16);
  CHECK(folder.entries() == 1);
}
