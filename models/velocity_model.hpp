/// Velocity models: what the command line says of one, what it is once read, and its values on a run's grid.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/grid.hpp"
#include "models/arrays/distant_nodes.hpp"
#include "models/file_coordinates.hpp"

namespace minimod {

/// Words of a SEG-Y model's trace headers, from the command line. Words are known by their first byte,
/// counted from 1, and have four.
struct SegyWords {
  std::optional<int> inline_number, crossline_number;  ///< nothing: 189 and 193, else 9 and 21
  std::optional<int> x, y;  ///< coordinates, both or none; nothing: the first of 181, 73, 81 that varies
  bool in_depth = false;    ///< samples are in depth, whatever else the file says
  friend bool operator==(const SegyWords&, const SegyWords&) = default;
};

/// Velocities that the caller has in memory and keeps there, in place of a file: a section has one point
/// along y.
struct ModelArray {
  Extent3 n;                                      ///< nodes
  Point3 spacing;                                 ///< between them, m
  std::span<const float> v;                       ///< values of all nodes, x fastest
  std::shared_ptr<const DistantNodes> distant{};  ///< in place of v, where the host does not read them
};

/// The source of a model that is an array, in messages and records.
inline constexpr const char* array_source = "array";

/// A model as the command line describes it, or as another program has it.
struct ModelSpec {
  /// "constant:V[/COLUMNS]", "layered:V0[/COLUMNS]@Z0,V1@Z1,...", "gradient:V+Kz", "file.h5[:/dataset]",
  /// "file.sgy" or ".segy"; any other file is raw little-endian float32.
  std::string source;
  std::optional<Extent3> dims;    ///< points of the file: a raw file needs them, any other must agree
  std::string axes;               ///< axes of the file, slowest first, as "z,y,x"; empty: as the file says
  std::string unit;               ///< "m/s", "km/s" or "ft/s"; empty: as the file says
  std::optional<Point3> spacing;  ///< spacing of the file's nodes, m; empty: as the file says
  SegyWords segy;                 ///< words of a SEG-Y file
  std::optional<Box3> crop;       ///< nodes of the file to keep; 0 to 0 along an axis keeps all of it
  Index3 decimate{1, 1, 1};       ///< every n-th node of those is kept, band-limited
  /// In place of the file, where `source` is array_source; null: none.
  std::shared_ptr<const ModelArray> array;
};

/// From depth `top` (m) down to the next layer's the velocity is `v` (m/s), and what is said beyond it, as an
/// equation's columns ("V/RHO", "V/EPSILON/DELTA"), is `columns`.
struct Layer {
  double top = 0;
  float v = 0;
  std::vector<double> columns{};
};

/// V(z) = at_zero + slope z.
struct Gradient {
  double at_zero = 0;  ///< m/s
  double slope = 0;    ///< m/s a metre
};

/// Where a model's nodes are in its file and where the file lies.
struct ModelCut {
  std::string axes;                ///< axes of the file, slowest first, as "z,y,x"
  Extent3 dims;                    ///< nodes of the file
  std::string unit;                ///< unit of its velocities; empty where neither it nor an option says
  Point3 spacing;                  ///< spacing of the file's nodes, m
  Box3 crop;                       ///< nodes of the file that were kept
  Index3 decimate{1, 1, 1};        ///< every n-th node of those
  FileCoordinates coordinates;     ///< coordinates of the first node kept
  std::uint32_t crc32 = 0;         ///< checksum of the file's bytes
  std::vector<std::string> notes;  ///< assumptions where the file does not say, and axes that were turned
};

/// The planes begin <= z < end.
struct PlaneRange {
  int begin = 0, end = 0;
  friend bool operator==(const PlaneRange&, const PlaneRange&) = default;
};

/// P velocities in m/s as they are described: nodes of a file, layers or a gradient. What a run has of them
/// is its SampledMedium (models/sampled_medium.hpp).
struct VelocityModel {
  Extent3 n{1, 1, 1};    ///< nodes of a file; n.y = 1 is a 2-D section
  Point3 spacing;        ///< between them, m; 0 without a file
  PlaneRange held;       ///< planes of nodes that `v` has: all, or what hold_planes has read
  std::vector<float> v;  ///< values of those, x fastest; empty without a file
  /// Nodes that stay where they are (ModelSpec::array), in place of v.
  std::optional<ModelNodes> distant{};
  float v_min = 0, v_max = 0;        ///< extremes of the file's nodes within the crop, decimated or not
  std::vector<float> greatest;       ///< greatest of those at each of the file's depths, m/s
  std::vector<Layer> layers;         ///< from the top down; one in a constant model
  std::optional<Gradient> gradient;  ///< in place of layers
  std::string name;                  ///< the source, as given
  ModelSpec spec;                    ///< description that it was read by
  bool from_file = false;
  ModelCut cut;  ///< cut of a model from a file
};

/// Reads, converts to m/s, crops, decimates (models/band_limit.hpp) and checks a model. Errors: 64 the
/// specification is wrong; 65 the content is (a size, a value that is no velocity); 66 and 77 no file to
/// read; 71 larger than the free memory.
[[nodiscard]] VelocityModel load_model(const ModelSpec& spec);

/// The same, checked as well, without the values of a file, which then need not fit into memory.
[[nodiscard]] VelocityModel load_model_without_values(const ModelSpec& spec);

/// Has a model from a file hold those planes of its nodes, and no others. Errors: as load_model.
void hold_planes(VelocityModel& model, PlaneRange planes);

/// How many values beyond V each layer has. Error 64 where they differ.
[[nodiscard]] std::size_t columns_of(const VelocityModel& model);

/// The greatest velocity between two depths (m) of the model, `top` no deeper than `bottom`, m/s.
[[nodiscard]] float greatest_velocity(const VelocityModel& model, double top, double bottom);

/// Points, `spacing` metres apart, that a model from a file fills; a 2-D section becomes `extrude` points
/// along y. Errors: 71 more points along an axis than an int counts.
[[nodiscard]] Extent3 inner_extent(const VelocityModel& model, Point3 spacing, int extrude);

}  // namespace minimod
