/// The warning before a GPU's threads are emulated for long.
#include "kernels/host/emulated_work.hpp"

#include <string>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/base/notes.hpp"

namespace minimod {
namespace {

std::string announced(const EmulatedWork& work) {
  std::string said;
  hear_notes([&said](const std::string& note) { said += note; });
  work.announce();
  hear_notes(nullptr);
  return said;
}

EmulatedWork work_of_seconds(double seconds) {
  EmulatedWork work;
  work.add(seconds * 1e6, 300, false);
  return work;
}

}  // namespace

TEST_CASE("Barriers are what takes time where threads are emulated", "[unit]") {
  EmulatedWork barriers, none;
  barriers.add(512.0 * 512 * 512, 13, true);
  none.add(512.0 * 512 * 512, 13, false);
  CHECK(barriers.seconds() == Catch::Approx(6 * none.seconds()));
  CHECK(barriers.seconds() > 20);
}

TEST_CASE("Emulated work of over 20 s is announced with its time", "[unit]") {
  CHECK(announced(work_of_seconds(19)).empty());
  CHECK(announced(work_of_seconds(34)).find("takes about 30 s here") != std::string::npos);
  CHECK(announced(work_of_seconds(262)).find("takes about 4 min here") != std::string::npos);
  CHECK(announced(work_of_seconds(2 * 3600)).find("takes about 2 h here") != std::string::npos);
  const std::string line = announced(work_of_seconds(90));
  CHECK(line.find('\n') == std::string::npos);
}

}  // namespace minimod
