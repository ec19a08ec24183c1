/// The wavefield and its time step.
#pragma once

#include <functional>
#include <vector>

#include "boundary/decomposition.hpp"
#include "src/backend.hpp"

namespace minimod {

/// η of the three axes, each with its two ghost values (boundary/pml_profile.hpp).
struct PmlProfiles {
  std::vector<double> x, y, z;
};

/// Owns the fields of a domain (or of a slab of one) and advances them: a step is one launch for the inner
/// box and one for each PML region, the injection of the source, and the swap of the wavefields. Knows no
/// files and no options.
class Propagator {
 public:
  /// Seconds of the launches of a step, in their order.
  using LaunchSeconds = std::vector<double>;

  /// Fields at rest. Error 71 when the device's memory does not hold them.
  Propagator(Backend& backend, const Grid& grid, const PmlWidths& widths, const PmlProfiles& profiles,
             const KernelSet& kernels, Decomposition decomposition = Decomposition::seven);

  /// Device memory of such a propagator in bytes (receivers and wavelet apart).
  [[nodiscard]] static std::size_t bytes_needed(const Grid& grid, const Regions& regions,
                                                const KernelSet& kernels,
                                                Decomposition decomposition = Decomposition::seven);

  /// Takes V (m/s) plane by plane: fill(z, plane) writes the n.x · n.y values of plane z, x fastest.
  void set_velocity(double dt, const std::function<void(int z, float* plane)>& fill);

  /// A point source at a node: adds (V Δt)² s(tₙ) / (hx hy hz) to u⁺ (equation 2). After set_velocity.
  void set_source(Index3 node, const std::vector<double>& samples);

  /// Nodes whose values `record` keeps, and how many samples of each before they must be fetched.
  void set_receivers(const std::vector<Index3>& nodes, int batch);

  /// Puts the same random values in [-1, 1) into u at this and the previous step.
  void set_random_field(std::uint32_t seed);

  /// Goes on with other code shapes. Error 71 when they need more memory than there is.
  void set_kernels(const KernelSet& kernels);

  /// u at tₙ becomes u at tₙ₊₁. With `timed`, sets the time marks that launch_seconds reads.
  void step(bool timed = false);
  [[nodiscard]] int steps_done() const { return steps_done_; }
  [[nodiscard]] LaunchSeconds launch_seconds() const;
  [[nodiscard]] const std::vector<RegionLaunch>& launches() const { return launches_; }

  /// Keeps u at the receivers as the next sample of the batch.
  void record();
  /// The batch's samples, [sample][receiver], and empties it. Waits for the device.
  [[nodiscard]] std::vector<float> fetch_batch();

  /// Of u at the present time over all points.
  [[nodiscard]] Extremes extremes() const;
  /// u at the present time over the points of `box`, x fastest.
  [[nodiscard]] std::vector<float> wavefield(const Box3& box) const;
  [[nodiscard]] const Regions& regions() const { return regions_; }

 private:
  void make_eta_field();
  [[nodiscard]] StencilArgs<float> make_args(const RegionLaunch& launch) const;
  void launch(const RegionLaunch& launch);

  Backend& backend_;
  Grid grid_;
  Regions regions_;
  std::vector<RegionLaunch> launches_;
  PmlProfiles profiles_;
  KernelSet kernels_;
  DeviceArray<float> u_, u_next_, v2dt2_, phi_;
  DeviceArray<float> eta_x_, eta_y_, eta_z_;
  DeviceArray<float> eta_;  ///< 3-D, only for the shapes that read it
  StencilWeights<float> weights_;
  DeviceArray<char> workspace_;  ///< of the launch in progress, for the shapes that ask for some

  DeviceArray<float> source_samples_;
  std::int64_t source_index_ = 0;
  DeviceArray<std::int64_t> receiver_indices_;
  DeviceArray<float> batch_;
  int receivers_ = 0, batch_size_ = 0, batch_filled_ = 0;
  int steps_done_ = 0;
};

}  // namespace minimod
