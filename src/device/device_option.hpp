/// Devices by name, in the texts of options, workers and records: this file alone spells them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace minimod {

/// The kinds of devices by name, as DeviceInfo::kind has them.
inline constexpr const char* cpu_kind = "cpu";
#if defined(MINIMOD_HIP)
#define MINIMOD_GPU_KIND "hip"
#elif defined(MINIMOD_KOKKOS)
#define MINIMOD_GPU_KIND "kokkos"
#else
#define MINIMOD_GPU_KIND "cuda"
#endif
inline constexpr const char* gpu_kind = MINIMOD_GPU_KIND;

/// The forms that parse_device reads, for help.
inline constexpr const char* device_forms =
    "auto, cpu, " MINIMOD_GPU_KIND " or " MINIMOD_GPU_KIND ":N; a survey takes several with " MINIMOD_GPU_KIND
    ":0,2 or " MINIMOD_GPU_KIND ":all";
#undef MINIMOD_GPU_KIND

/// The device that a run takes.
struct DeviceOption {
  enum class Kind { automatic, cpu, gpu } kind = Kind::automatic;
  int index = 0;                 ///< index of the GPU
  std::vector<int> others = {};  ///< more GPUs, for a survey
  bool all = false;              ///< all GPUs, for a survey

  [[nodiscard]] bool names_several() const { return all || !others.empty(); }
};

/// Reads "auto", "cpu", "cuda", "cuda:1", "cuda:0,2" or "cuda:all"; of a build with HIP "hip" and so on, of
/// one whose GPU is Kokkos' "kokkos". `may_repeat`: a GPU may be named twice. Error 64; 69 for the kind of
/// another build's GPUs.
[[nodiscard]] DeviceOption parse_device(const std::string& value, bool may_repeat = false);

/// "cuda:0,2" of GPUs by their numbers.
[[nodiscard]] std::string gpus_text(std::span<const int> gpus);

/// For remedies: what a GPU is asked for by, "cuda or cuda:N", and several of them, "cuda:0,1".
[[nodiscard]] std::string one_gpu_text();
[[nodiscard]] std::string several_gpus_text();

}  // namespace minimod
