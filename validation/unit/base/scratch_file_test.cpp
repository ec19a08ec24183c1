#include "src/base/files/scratch_file.hpp"

#include <array>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

ErrorKind refusal(const std::filesystem::path& folder, std::uint64_t bytes) {
  return outcome_of([&] { const ScratchFile file(folder, bytes); }).kind;
}

TEST_CASE("A scratch file has what was written, and no name", "[unit]") {
  const TemporaryDirectory folder;
  ScratchFile file(folder.path(), 1 << 20);
  CHECK(folder.entries() == 0);
  std::array<std::byte, 3> first{std::byte{1}, std::byte{2}, std::byte{3}}, second = first, read{};
  second.fill(std::byte{7});
  file.write(0, first);
  file.write(1 << 21, second);  // beyond the room that was asked for
  file.read(1 << 21, read);
  CHECK(read == second);
  file.read(0, read);
  CHECK(read == first);
  CHECK_THROWS_AS(file.read(1 << 22, read), Error);
}

TEST_CASE("A scratch file is refused where it has no place", "[unit]") {
  const TemporaryDirectory folder;
  CHECK(refusal(folder.path() / "none", 1) == ErrorKind::cannot_create);
  CHECK(refusal(folder.path(), 2 * room_in(folder.path())) == ErrorKind::io);
  CHECK(folder.entries() == 0);
}

}  // namespace
}  // namespace minimod
