/// The levels of x86-64 that loops of the host are compiled for, of which a program takes the one that its
/// processor has. All else is compiled for any x86-64.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/base/extents.hpp"

namespace minimod {

/// Named as the x86-64 psABI does. There is no x86-64-v2: what it has more than the least is of no use here.
enum class CpuLevel {
  least,  ///< the compiler's least; on x86-64 no kernel is compiled for it: it has no FMA
  v3,     ///< AVX2 and FMA: Haswell, Zen and newer
  v4,     ///< AVX-512 with its 32 registers, which stencils want more than the width
};

/// The level of this processor; the least on another kind of processor.
[[nodiscard]] CpuLevel cpu_level_of_machine();

/// The level of a run: `wanted` (x86-64-v3, x86-64-v4) or that of the machine. Error 64 where there is no
/// such level, 69 where the machine has not got it.
[[nodiscard]] CpuLevel choose_cpu_level(const std::optional<std::string>& wanted, CpuLevel machine);

/// The level that loops are run at: chosen once, by MINIMOD_CPU_LEVEL. Call it first where errors are caught.
[[nodiscard]] CpuLevel cpu_level();

/// "x86-64-v3"; empty on another kind of processor.
[[nodiscard]] std::string cpu_level_name(CpuLevel level);

/// Error 69 where the least level has no fused multiply-add: what the compiler's library does instead is a
/// thousand times slower.
void require_fused_multiply_add(CpuLevel machine);

/// Asks for vectors of the loop that follows: its iterations are independent of each other.
#if defined(__clang__)
#define MINIMOD_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__) && !defined(__CUDA_ARCH__)
#define MINIMOD_INDEPENDENT _Pragma("GCC ivdep")
#else
#define MINIMOD_INDEPENDENT
#endif

#if defined(__x86_64__) && defined(__GNUC__)

// Attributes instead of files with an -march of their own: of an inline function that several files have, the
// linker keeps one copy, and it must not be that of a level.
template <class Work>
[[gnu::target("avx2,fma"), gnu::flatten]] void at_cpu_level_v3(const Work& work) {
  work();
}

template <class Work>
[[gnu::target("avx2,fma,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"), gnu::flatten]] void at_cpu_level_v4(
    const Work& work) {
  work();
}

/// Runs work() at a level, of which machines without the lower one have been refused.
template <class Work>
void at_cpu_level(CpuLevel level, const Work& work) {
  if (level == CpuLevel::v4) return at_cpu_level_v4(work);
  at_cpu_level_v3(work);
}

#else

template <class Work>
void at_cpu_level_v3(const Work& work) {
  work();
}

template <class Work>
void at_cpu_level_v4(const Work& work) {
  work();
}

template <class Work>
void at_cpu_level(CpuLevel, const Work& work) {
  work();
}

#endif

}  // namespace minimod
