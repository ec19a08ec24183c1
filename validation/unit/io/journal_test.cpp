/// The journal of a survey: shots that count as done, and who may work in its folder.
#include "src/io/survey/journal.hpp"

#include <csignal>
#include <fstream>
#include <span>

#include <catch2/catch_test_macros.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/files/checksum.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/io/survey/folder_lock.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

/// Three shots of a file each, in a journal.
void write_three(const TemporaryDirectory& folder) {
  Journal journal(folder.path(), {});
  for (int id = 0; id < 3; ++id) {
    static_cast<void>(folder.write(text("shot_", id), text("traces of ", id)));
    journal.add(finished_shot(id, "12345678", folder.path(), {text("shot_", id)}));
  }
}

bool is_done(const TemporaryDirectory& folder, int id) {
  return Journal(folder.path(), {}).is_done(id, "12345678");
}

/// A process that holds a lock until it is killed.
class Holder {
 public:
  Holder(const fs::path& folder, const WorkerNumber& worker) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      const FolderLock lock(folder, worker);
      static_cast<void>(::write(ends[1], "x", 1) == 1);
      ::pause();
      ::_exit(0);
    }
    char ready = 0;
    REQUIRE(::read(ends[0], &ready, 1) == 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  [[nodiscard]] std::string name() const { return text("process ", process_, " of "); }

 private:
  pid_t process_;
};

Outcome outcome_of_lock(const TemporaryDirectory& folder, const WorkerNumber& worker) {
  return outcome_of([&] { const FolderLock lock(folder.path(), worker); });
}

}  // namespace

TEST_CASE("A checksum is that of zlib, in one piece or in several", "[unit]") {
  const std::string digits = "123456789";
  const auto bytes = std::as_bytes(std::span(digits));
  CHECK(hexadecimal(crc32(bytes)) == "cbf43926");
  for (std::size_t first = 0; first <= digits.size(); ++first) {
    CHECK(crc32(bytes.subspan(first), crc32(bytes.first(first))) == crc32(bytes));
  }
  const TemporaryDirectory folder;
  CHECK(crc32_of_file(folder.write("f", "xx" + digits), 2) == crc32(bytes));
}

TEST_CASE("A journal says what is done, to those who come later too", "[unit]") {
  const TemporaryDirectory folder;
  CHECK_FALSE(is_done(folder, 0));
  write_three(folder);
  for (const int id : {0, 1, 2}) CHECK(is_done(folder, id));
  CHECK_FALSE(is_done(folder, 3));
  CHECK_FALSE(Journal(folder.path(), {}).is_done(0, "87654321"));
  Journal worker(folder.path(), 5);
  static_cast<void>(folder.write("shot_7", "traces"));
  worker.add(finished_shot(7, "12345678", folder.path(), {"shot_7", "shot_1"}));
  CHECK(fs::exists(folder.path() / "journal.5"));
  CHECK(is_done(folder, 7));
}

TEST_CASE("A journal keeps what any run was asked for", "[unit]") {
  const TemporaryDirectory folder;
  CHECK(Journal(folder.path(), {}).planned().empty());
  std::vector<int> many;
  for (int id = 2'000'000'000; id < 2'000'001'000; ++id) many.push_back(id);
  Journal(folder.path(), 0).plan({3, 1});
  Journal(folder.path(), 1).plan({3, 4});
  Journal(folder.path(), {}).plan(many);
  const std::string lines = content_of(folder.path() / "journal");
  Journal(folder.path(), {}).plan({1, 2'000'000'999});  // known, in whichever file
  CHECK(content_of(folder.path() / "journal") == lines);
  const std::set<int> planned = Journal(folder.path(), {}).planned();
  CHECK(planned.size() == 1003);
  for (const int id : {1, 3, 4, 2'000'000'000, 2'000'000'999}) CHECK(planned.contains(id));
  write_three(folder);
  CHECK(is_done(folder, 2));
}

TEST_CASE("A finished shot that is deleted, truncated or bit-flipped is found, alone", "[unit]") {
  const TemporaryDirectory folder;
  write_three(folder);
  const std::string content = content_of(folder.path() / "shot_1");
  for (std::size_t at = 0; at < content.size(); ++at) {
    std::string flipped = content;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    static_cast<void>(folder.write("shot_1", flipped));
    CHECK_FALSE(is_done(folder, 1));
  }
  static_cast<void>(folder.write("shot_1", content.substr(1)));
  CHECK_FALSE(is_done(folder, 1));
  fs::remove(folder.path() / "shot_1");
  CHECK_FALSE(is_done(folder, 1));
  fs::create_directory(folder.path() / "shot_1");
  CHECK_FALSE(is_done(folder, 1));
  CHECK(is_done(folder, 0));
  CHECK(is_done(folder, 2));
}

TEST_CASE("A journal that is torn or flipped says nothing wrong, and goes on", "[unit]") {
  const TemporaryDirectory folder;
  write_three(folder);
  const std::string lines = content_of(folder.path() / "journal");
  const std::size_t second = lines.find('\n') + 1, third = lines.find('\n', second) + 1;
  for (std::size_t at = second; at < third; ++at) {
    std::string flipped = lines;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    static_cast<void>(folder.write("journal", flipped));
    CHECK(is_done(folder, 0));
    CHECK_FALSE(is_done(folder, 1));
  }
  for (std::size_t size = third; size < lines.size(); ++size) {
    static_cast<void>(folder.write("journal", lines.substr(0, size)));
    CHECK(is_done(folder, 1));
    CHECK_FALSE(is_done(folder, 2));
  }
  Journal journal(folder.path(), {});
  journal.add(finished_shot(2, "12345678", folder.path(), {"shot_2"}));
  CHECK(is_done(folder, 2));
}

TEST_CASE("A journal that says something else with right checksums says nothing", "[unit]") {
  const TemporaryDirectory folder;
  write_three(folder);
  const std::string right = content_of(folder.path() / "journal");
  std::string wrong(100000, 'x');  // no line of ours is as long
  wrong += '\n';
  for (const std::string said :
       {"7", "[]", "{}", R"({"planned":7})", R"({"planned":[1,"x"]})",
        R"({"shot":"x","configuration":"12345678","files":[]})", R"({"shot":7,"configuration":1,"files":[]})",
        R"({"shot":7,"configuration":"12345678","files":3})",
        R"({"shot":7,"configuration":"12345678","files":[{"name":"shot_0"}]})",
        R"({"shot":7,"configuration":"12345678","files":[{"name":"shot_0","bytes":11,"crc32":"zz"}]})"}) {
    wrong += text(said, ' ', hexadecimal(crc32(std::as_bytes(std::span(said)))), '\n');
  }
  static_cast<void>(folder.write("journal", wrong + right));
  CHECK(Journal(folder.path(), {}).shots().size() == 3);
  CHECK(Journal(folder.path(), {}).planned().empty());
  CHECK(is_done(folder, 2));
  fs::remove(folder.path() / "journal");
  fs::create_directory(folder.path() / "journal");
  CHECK(outcome_of([&] { const Journal journal(folder.path(), {}); }).kind == ErrorKind::missing_input);
}

TEST_CASE("A folder is for one run, or for workers of different numbers", "[unit]") {
  const TemporaryDirectory folder;
  {
    const Holder run(folder.path(), {});
    for (const WorkerNumber& other : {WorkerNumber(), WorkerNumber(1)}) {
      const Outcome refused = outcome_of_lock(folder, other);
      CHECK(refused.kind == ErrorKind::cannot_create);
      CHECK(refused.says(run.name()));
      CHECK(refused.message.size() <= longest_message);
    }
  }
  {
    const Holder first(folder.path(), 0), second(folder.path(), 1);
    CHECK(outcome_of_lock(folder, 2).kind == ErrorKind::none);
    CHECK(outcome_of_lock(folder, 1).says(second.name()));
    const Outcome alone = outcome_of_lock(folder, {});
    CHECK(alone.kind == ErrorKind::cannot_create);
    CHECK((alone.says(first.name()) || alone.says(second.name())));
  }
  CHECK(outcome_of_lock(folder, {}).kind == ErrorKind::none);  // the lockers are dead
  CHECK(outcome_of_lock(folder, 1).kind == ErrorKind::none);
}
