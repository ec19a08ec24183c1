/// The wavefield and its time step.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "boundary/decomposition.hpp"
#include "src/solver/layer_corrections.hpp"

namespace minimod {

/// A part of a time step that takes a time of its own.
struct TimedPart {
  std::string name;  ///< of a launch; "pml", "inner"; "layer"; "step" where all run beside each other
  Formula formula = Formula::inner;
  std::int64_t points = 0;
  double seconds = 0;
};

/// Owns the fields of a domain (or of a slab of one) and advances them: a step is one launch for the inner
/// box and one for each PML region, the corrections of another boundary, the injection of the source, and the
/// swap of the wavefields. Knows no files and no options.
class Propagator {
 public:
  /// Fields at rest. Error 71 when the device's memory does not hold them.
  Propagator(Backend& backend, const Grid& grid, const Boundary& boundary, const KernelSet& kernels,
             Decomposition decomposition = Decomposition::seven);

  /// Device memory of such a propagator in bytes (receivers and wavelet apart).
  [[nodiscard]] static std::size_t bytes_needed(const Grid& grid, const BoundarySpec& boundary,
                                                const KernelSet& kernels,
                                                Decomposition decomposition = Decomposition::seven);

  /// Takes V (m/s) plane by plane: fill(z, plane) writes the n.x · n.y values of plane z, x fastest.
  void set_velocity(double dt, const std::function<void(int z, float* plane)>& fill);

  /// The code of the 16-bit (V Δt)² where the inner kernel reads that, which it does with an error.
  [[nodiscard]] std::optional<VelocityCode> velocity_code() const;
  /// Puts into the inner box's (V Δt)² what its 16-bit codes stand for: the medium in which a kernel that
  /// reads them computes, for another kernel to be compared with it. After set_velocity and set_source.
  void round_velocity_to_codes();

  /// A point source at a node: adds (V Δt)² s(tₙ) / (hx hy hz) to u⁺ (equation 2). After set_velocity.
  void set_source(Index3 node, const std::vector<double>& samples);
  /// The same between nodes: each takes its share. Only where the launches make one step.
  void set_source_between(const NodeWeights& place, const std::vector<double>& samples);

  /// Nodes whose values `record` keeps, and how many samples of each before they must be fetched.
  void set_receivers(const std::vector<Index3>& nodes, int batch);
  /// The same between nodes.
  void set_receivers_between(const std::vector<NodeWeights>& places, int batch);

  /// Puts u and the layer to rest. A step that was computed ahead is dropped, not counted.
  void set_at_rest();
  /// From rest, puts the same random values in [-1, 1) into u at this and the previous step.
  void set_random_field(std::uint32_t seed);

  /// Goes on with other code shapes and another schedule; steps on where a step waits for its turn. Error 71
  /// when they need more memory than there is.
  void set_kernels(const KernelSet& kernels);

  /// u at tₙ becomes u at tₙ₊₁. With `timed`, sets the time marks that timed_parts reads. Where two steps are
  /// one launch, every second call only goes on to what the first has computed.
  void step(bool timed = false);
  [[nodiscard]] int steps_done() const { return steps_done_; }
  /// Of the last step that was timed.
  [[nodiscard]] std::vector<TimedPart> timed_parts() const;

  /// Error 71 that names the shape when a launch has given up since the last call; the field is lost then.
  /// All that reads the field calls it.
  void check_status() const;

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
  [[nodiscard]] VelocityCode code_of_velocity() const;
  void encode_velocity();
  /// What a launch gets of what all share.
  struct Share {
    int blocks = 0;             ///< of a launch whose blocks stay; 0: as many as fit
    std::size_t workspace = 0;  ///< its first byte
  };

  [[nodiscard]] StencilArgs<float> make_args(std::size_t number) const;
  void share_out();
  void forget_graphs();
  void clear_workspace();
  [[nodiscard]] const Launches& launches_of(Formula formula) const;
  [[nodiscard]] WorkspaceBytes workspace_of(Formula formula) const;
  void step_in_sequence(bool timed);
  void step_beside(bool timed);
  void launch_beside();
  void compute_two_steps();
  void launch_pml(const float* u, const float* u_before, float* u_next);
  void inject(float* u_next, int step);
  void set_source_nodes(const std::vector<Index3>& nodes, const std::vector<double>& weights,
                        const std::vector<double>& samples);
  /// Whether the boundary follows the launches.
  [[nodiscard]] bool corrects() const { return boundary_.spec.kind != BoundaryKind::pml; }
  void make_batch(std::size_t receivers, int samples);
  void check_schedule() const;

  Backend& backend_;
  Grid grid_;
  Regions regions_;
  std::vector<RegionLaunch> launches_;
  std::vector<Share> shares_;  ///< one a launch
  Boundary boundary_;
  LayerCorrections corrections_;
  KernelSet kernels_;
  DeviceArray<float> u_, u_next_, v2dt2_, phi_;  ///< u_next holds u at the time before, between the steps
  DeviceArray<float> u_first_, u_second_;        ///< of a launch of two steps; the second waits for its turn
  bool second_waits_ = false;
  DeviceArray<float> eta_x_, eta_y_, eta_z_;
  DeviceArray<float> eta_;                  ///< 3-D, only for the shapes that read it
  DeviceArray<std::uint16_t> v2dt2_codes_;  ///< of v2dt2, only for the shapes that read them
  VelocityCode v2dt2_code_;
  bool has_velocity_ = false;
  StencilWeights<float> weights_;
  DeviceArray<char> workspace_;             ///< of the launches of a step, for the shapes that ask for some
  DeviceArray<unsigned> status_;            ///< not zero when a launch gave up
  std::unique_ptr<LaunchGraph> beside_[2];  ///< all launches of a step, for either order of the wavefields

  DeviceArray<float> source_samples_;
  DeviceArray<std::int64_t> source_indices_;
  DeviceArray<float> source_weights_;
  Index3 source_node_;                          ///< the first of them
  DeviceArray<std::int64_t> receiver_indices_;  ///< of receivers at nodes, or else
  DeviceArray<NodeWeights> receiver_places_;    ///< of receivers between nodes
  DeviceArray<float> batch_;
  int receivers_ = 0, batch_size_ = 0, batch_filled_ = 0;
  int steps_done_ = 0;
};

}  // namespace minimod
