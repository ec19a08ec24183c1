/// Levels of the processor that a run takes, and those it refuses.
#include "kernels/host/cpu_level.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "src/base/error.hpp"

using namespace minimod;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The code and the message of the error that `work` throws.
std::pair<ErrorKind, std::string> error_of(const auto& work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {ErrorKind::none, ""};
}

}  // namespace

TEST_CASE("The level of a run is the machine's, or a lower one that is asked for", "[unit]") {
  for (const CpuLevel machine : {CpuLevel::least, CpuLevel::v3, CpuLevel::v4}) {
    CHECK(choose_cpu_level(std::nullopt, machine) == machine);
  }
  CHECK(choose_cpu_level("x86-64-v3", CpuLevel::v4) == CpuLevel::v3);
  CHECK(choose_cpu_level("x86-64-v4", CpuLevel::v4) == CpuLevel::v4);
}

TEST_CASE("A level that is unknown or not the machine's is refused", "[unit]") {
  const auto [usage, unknown] = error_of([] { return choose_cpu_level("avx2", CpuLevel::v4); });
  CHECK(usage == ErrorKind::parameter);
  CHECK_THAT(unknown, ContainsSubstring("MINIMOD_CPU_LEVEL is 'avx2'; give x86-64-v3 or x86-64-v4"));
  const auto [unavailable, missing] = error_of([] { return choose_cpu_level("x86-64-v4", CpuLevel::v3); });
  CHECK(unavailable == ErrorKind::unavailable);
  CHECK_THAT(missing, ContainsSubstring("'x86-64-v4', this processor has x86-64-v3"));
  const auto [old, too_old] = error_of([] { return choose_cpu_level("x86-64-v3", CpuLevel::least); });
  CHECK(old == ErrorKind::unavailable);
  CHECK_THAT(too_old, ContainsSubstring("'x86-64-v3', this processor has x86-64"));
}

#if defined(__x86_64__)
TEST_CASE("A processor without fused multiply-add is refused for kernels", "[unit]") {
  const auto [code, message] = error_of([] { require_fused_multiply_add(CpuLevel::least); });
  CHECK(code == ErrorKind::unavailable);
  CHECK_THAT(message, ContainsSubstring("no AVX2 and FMA"));
  CHECK_NOTHROW(require_fused_multiply_add(CpuLevel::v3));
}

TEST_CASE("Work at a level runs once", "[unit]") {
  for (const CpuLevel level : {CpuLevel::v3, CpuLevel::v4}) {
    if (level > cpu_level_of_machine()) continue;
    int runs = 0;
    at_cpu_level(level, [&] { ++runs; });
    CHECK(runs == 1);
  }
}
#endif
