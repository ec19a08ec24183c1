/// How fast a shape should be on a GPU, from what the compiler made of it: the model of Tang et al. 2013
/// (section VI, equations 6 to 14), and the same mended for GPUs of today.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/code_shape.hpp"
#include "kernels/tiles/tile_space.hpp"
#include "src/base/choices.hpp"

namespace minimod {

/// Facts of a GPU that the model knows.
struct GpuFacts {
  int multiprocessors = 0;        ///< SM
  double bytes_per_s = 0;         ///< BW, as measured
  double clock_hz = 0;            ///< Clock, the greatest of the multiprocessors
  double latency_cycles = 0;      ///< Lat, of a load from global memory under load
  int most_warps = 0;             ///< Warp_SM: of a multiprocessor at once
  int warp_threads = usual_warp;  ///< threads of a warp, which does an operation a clock
  friend bool operator==(const GpuFacts&, const GpuFacts&) = default;
};

/// Taken for Lat, which no driver tells: on an H200 it gives the register tiles of the in-plane method their
/// order.
inline constexpr double assumed_latency_cycles = 1000;

enum class ModelForm {
  /// The equations as they are printed.
  paper,
  /// For GPUs whose multiprocessors hide one block's waiting behind others at any occupancy:
  ///   Bytes are those that memory must move (neighbours' halos come from the L2), and those that pass
  ///     between the L2 and a multiprocessor, 64 a clock, halos and spills included; the slower counts;
  ///   transfers of all active blocks add up, they are not hidden by f;
  ///   T_c counts the active blocks once (11 and 12 both do), and runs beside the transfers;
  ///   a block does not hide its own work behind its barriers, where its first warps wait for its last: half
  ///     of it counts once more, which is why many small blocks beat few large ones;
  ///   a warp whose threads lie in several rows of a tile takes a clock more for each load of the star and
  ///     each further row, for the lines or the banks that it meets twice;
  ///   a round waits for memory once for its plane and once for each point of a thread, one after another,
  ///     since a point's store comes before the next point's loads; where a point loads nothing of its own,
  ///     as in Jacobi iterations, it waits for its sum alone, 4 cycles an operation.
  mended,
};
inline constexpr std::array model_forms{ModelForm::paper, ModelForm::mended};
inline constexpr NamedChoice<ModelForm> model_names[] = {{ModelForm::paper, "equations 6-14"},
                                                         {ModelForm::mended, "mended"}};

/// Seconds of a launch of what the compiler made of a shape's inner kernel. All numbers of the GPU and
/// active_blocks (ActBlks, equation 7 as the driver answers it) are above zero.
[[nodiscard]] double predicted_seconds(ModelForm form, const GpuFacts& gpu, const BlockWork& work,
                                       const LaunchFacts& compiled, std::size_t value_bytes);

}  // namespace minimod
