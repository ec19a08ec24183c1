/// The medium of a run: a velocity model on the nodes that the run has. All that depends on velocities (the
/// time step, the layer's profile, the points per wavelength, what is recorded) follows from it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/band_limit.hpp"
#include "models/velocity_model.hpp"

namespace minimod {

/// A file that is resampled is sampled once where its samples are few beside the free memory: they then take
/// the place of the file's nodes. Else planes are sampled as they are asked for, so that a run of any size
/// needs no second cube of velocities.
///
/// A node has a band-limited sample of 1/V² (models/band_limit.hpp): of layers along z, of a file's nodes
/// along each axis on which the run has others. A gradient has no interfaces: its nodes have its own values.
/// Where the run's nodes are the file's, values are the file's, bit by bit. In the absorbing layer the
/// outermost values of the inner box go on, as the layer's theory asks.
///
/// Nodes of a memory that the host does not read stay there where the run's are the same. Else they are
/// copied.
class SampledMedium {
 public:
  SampledMedium() = default;

  /// `model` on a grid of `n` nodes, `spacing` metres apart, whose box `inner` holds the model: its first
  /// node lies on the model's. A model that came without values is read in so many parts, one at a time,
  /// where its extremes on those nodes are to be found. Errors: 65 where a gradient's velocity is none at
  /// some node; as hold_planes.
  SampledMedium(VelocityModel model, Extent3 n, const Box3& inner, Point3 spacing, int parts = 1);

  /// Reads values of a model that came without: the planes begin <= z < end of the grid have theirs from here
  /// on, no others have. Errors: as hold_planes.
  void hold(int begin, int end);

  /// The extremes of the model, or of the nodes where those do not come to them (a thin layer), m/s.
  [[nodiscard]] float v_min() const { return v_min_; }
  [[nodiscard]] float v_max() const { return v_max_; }
  /// The greatest velocity of any node, m/s: beside an interface up to 1.2 of v_max(). Stability is its.
  [[nodiscard]] float v_highest() const { return v_highest_; }
  /// The distance of the nodes that bound the medium's band, m; 0 where the nodes have the model's own
  /// values.
  [[nodiscard]] double band_spacing() const { return band_spacing_; }

  /// The model that it was cut from.
  [[nodiscard]] const VelocityModel& model() const { return model_; }
  /// The run's nodes, and what lies between them, m.
  [[nodiscard]] Extent3 grid() const { return n_; }
  [[nodiscard]] Point3 spacing() const { return spacing_; }
  /// The nodes that the model fills, and their extent, m.
  [[nodiscard]] const Box3& inner() const { return inner_; }
  [[nodiscard]] Point3 extent() const;
  /// Coordinates in the file of the first of these nodes. An extruded section lies in the plane of the middle
  /// points, where the default source is.
  [[nodiscard]] FileCoordinates file_coordinates() const;

  /// Nodes of the grid that stay in the memory of model().spec.array; nothing where the host has the values.
  [[nodiscard]] std::optional<PlacedNodes> distant_nodes() const;

  /// Velocities (m/s) of plane `z` of the grid into n.x * n.y values, x fastest.
  void sample_plane(int z, std::span<float> values) const;
  /// Whether plane `z` is known to have the values of plane `z` - 1.
  [[nodiscard]] bool repeats(int z) const;
  /// Values beyond V that the model's layers have, and one of them at plane `z` of the grid: that of the
  /// layers in the cell around the nodes, in the mean.
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  [[nodiscard]] double column(std::size_t number, int z) const { return columns_[number][plane_inside(z)]; }
  /// Velocities of the nodes of a box, x fastest, m/s.
  [[nodiscard]] std::vector<float> values(const Box3& box) const;

 private:
  /// Part of a plane of the inner box, or of the model's nodes along x and y.
  struct Rows {
    IndexRange y, x;
    [[nodiscard]] std::size_t size() const { return std::size_t(y.size()) * x.size(); }
  };
  [[nodiscard]] int plane_inside(int z) const;
  void sample_layers();
  void sample_gradient();
  void place_nodes();
  void copy_distant();
  [[nodiscard]] bool has_all_nodes() const;
  void find_extremes(int parts);
  [[nodiscard]] IndexRange different_rows() const;
  [[nodiscard]] bool can_keep_samples() const;
  [[nodiscard]] SlownessBounds extremes_of(int begin, int end, bool keeps);
  void set_extremes(float least, float greatest, float lowest, float highest);
  [[nodiscard]] const float* plane_of_nodes(int node) const;
  /// Planes next to each other along z, not settled; empty beyond the ends, or where settling is not needed.
  struct AlongZ {
    std::vector<double> before, here, after;
  };
  [[nodiscard]] std::vector<double> along_z(int z, const Rows& nodes) const;
  void move_along_z(AlongZ& planes, int z, const Rows& nodes) const;
  [[nodiscard]] std::vector<double> settled_along_z(const AlongZ& planes, const Rows& nodes) const;
  [[nodiscard]] std::vector<double> along_y(const std::vector<double>& plane, IndexRange wanted,
                                            const Rows& nodes) const;
  [[nodiscard]] std::vector<double> slownesses(int z, const Rows& wanted) const;
  [[nodiscard]] std::vector<double> along_y_and_x(const std::vector<double>& plane, const Rows& wanted,
                                                  const Rows& nodes) const;
  void read_distant(IndexRange z, const Rows& wanted, std::span<float> values) const;
  void copy_samples(int z, const Rows& wanted, std::span<float> values) const;
  void sample_rows(int z, const Rows& wanted, std::span<float> values) const;

  VelocityModel model_;
  Extent3 n_;
  Box3 inner_;
  Point3 spacing_;
  float v_min_ = 0, v_max_ = 0, v_highest_ = 0;
  double band_spacing_ = 0;
  SlownessBounds bounds_;
  std::vector<float> depths_;  ///< depths of each plane of the inner box, where the model knows depths alone
  std::vector<std::vector<double>> columns_;  ///< by number, of each of those planes
  ResampledAxis x_, y_, z_;                   ///< axes of the inner box, where it has nodes
  bool has_the_files_nodes_ = false;
  std::vector<float> samples_;  ///< velocities of the inner box, of a section one row a plane; or none
};

/// Error 65 for velocities that no rock or water has, whatever unit `spec` or the file says.
void require_plausible(const ModelSpec& spec, const SampledMedium& medium);

}  // namespace minimod
