#include "src/choice/candidates.hpp"

#include <algorithm>

#include "src/solver/schedules.hpp"

namespace minimod {

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all{
      {"tma_ring_128x32", "tma_ring_128x32", &sequence()},
      {"tma_ring_64x64", "tma_ring_64x64", &sequence()},
      {"tma_ring_128x32", "st_window_64x16x32", &beside()},
      {"tma_ring_128x32", "st_window_32x32x32", &beside()},
      {"st_window_32x32x64", "st_window_32x32x64", &sequence()},
      {"st_window_32x32x64", "st_window_32x32x32", &beside()},
      {"st_reg_shft_db_32x16", "gmem_16x16x4", &sequence()},
      {"gmem_column_32x8x8", "gmem_16x16x4", &sequence()},
      {"gmem_32x32x1", "gmem_16x16x4", &sequence()},
      {"kokkos", "kokkos", &sequence()},  // the only one of a GPU that Kokkos reaches
      // Last, as their fields lie otherwise.
      {"tma_whole_step_128x32", "tma_whole_step_128x32", &whole_step()},
      {"tma_whole_step_64x64", "tma_whole_step_64x64", &whole_step()},
      {"tma_whole_step_200x20", "tma_whole_step_200x20", &whole_step()},
      {"tma_whole_64x32", "tma_whole_64x32", &whole()},
  };
  return all;
}

std::vector<Candidate> candidates_with(const std::vector<std::string>& tuned) {
  std::vector<Candidate> all = candidates();
  const auto lies_otherwise = [](const Candidate& candidate) {
    return candidate.schedule != &sequence() && candidate.schedule != &beside();
  };
  for (const std::string& kernel : tuned) {
    const auto behind = std::ranges::find_if(all, lies_otherwise);
    all.insert(behind, {kernel, "gmem_16x16x4", &sequence()});
  }
  return all;
}

}  // namespace minimod
