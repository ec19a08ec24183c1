#include "kernels/host/cpu_level.hpp"

#include <cstdlib>

#include "src/base/choices.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

constexpr const char* variable = "MINIMOD_CPU_LEVEL";

constexpr NamedChoice<CpuLevel> levels[] = {{CpuLevel::v3, "x86-64-v3"}, {CpuLevel::v4, "x86-64-v4"}};

std::string name_of(CpuLevel level) {
  return level == CpuLevel::least ? "x86-64" : name_in(levels, level);
}

std::optional<std::string> wanted_level() {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace

CpuLevel cpu_level_of_machine() {
#if defined(__x86_64__) && defined(__GNUC__)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? CpuLevel::v4 : v3 ? CpuLevel::v3 : CpuLevel::least;
#else
  return CpuLevel::least;
#endif
}

CpuLevel choose_cpu_level(const std::optional<std::string>& wanted, CpuLevel machine) {
  if (!wanted) return machine;
  const CpuLevel level = parse_choice(levels, *wanted, variable);
  if (level > machine) {
    throw Error(ErrorKind::unavailable,
                text(variable, " is '", *wanted, "', this processor has ", name_of(machine)),
                text("leave ", variable, " out"));
  }
  return level;
}

CpuLevel cpu_level() {
  static const CpuLevel level = choose_cpu_level(wanted_level(), cpu_level_of_machine());
  return level;
}

std::string cpu_level_name([[maybe_unused]] CpuLevel level) {
#if defined(__x86_64__)
  return name_of(level);
#else
  return "";
#endif
}

void require_fused_multiply_add([[maybe_unused]] CpuLevel machine) {
#if defined(__x86_64__)
  if (machine >= CpuLevel::v3) return;
  throw Error(ErrorKind::unavailable,
              "this processor has no AVX2 and FMA (x86-64-v3), which the CPU's kernels need",
              text("run on a GPU, or on a processor of 2013 or newer that has them"));
#endif
}

}  // namespace minimod
