/// The nodes of a file that a model keeps: read in slabs, checked, cropped and decimated.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "models/arrays/distant_nodes.hpp"
#include "models/band_limit.hpp"
#include "models/readers.hpp"

namespace minimod {

/// Nodes of a file that are kept along one axis: begin, begin + step, ..., of those before `end`.
struct Pick {
  int begin = 0, end = 0, count = 0, step = 1;
  [[nodiscard]] int node(int i) const { return begin + i * step; }
};

struct Picks {
  Pick x, y, z;
  [[nodiscard]] const Pick& along(char axis) const { return axis == 'x' ? x : axis == 'y' ? y : z; }
};

/// Facts of velocities that were looked at.
struct VelocityFacts {
  float v_min = std::numeric_limits<float>::infinity();  ///< m/s
  std::vector<float> greatest;  ///< m/s, of each of the picked nodes along z; 0 of what was not looked at
  std::int64_t bad = 0;         ///< values that are no velocities
  Extent3 first_bad;            ///< the first of these, in the file's numbering
  float value = 0;              ///< m/s, of that node

  [[nodiscard]] float v_max() const { return *std::ranges::max_element(greatest); }
  void note_bad(const Extent3& at, float v);
  /// Adds those of others of as many nodes along z.
  void add(const VelocityFacts& others);
  /// Error 65 with the first node, in the file's numbering, that holds no velocity.
  void require_velocities(const std::filesystem::path& path) const;
};

/// Facts of the nodes that are kept of distant ones without decimation, which stay where they are.
[[nodiscard]] VelocityFacts facts_of(const DistantNodes& distant, const ModelNodes& kept, const Picks& picks);

/// The planes of a file, read in slabs and checked as they come.
class CheckedPlanes {
 public:
  /// `factor`: to m/s.
  CheckedPlanes(ModelFile& file, const Picks& picks, double factor);

  /// Indices of the slowest axis that are read at once.
  [[nodiscard]] static int thickness_of(const FileLayout& layout);

  /// The file's values, as it has them, of index `node` of its slowest axis, which never goes down from call
  /// to call. Errors: as ModelFile::read.
  const double* at(int node);

  /// Facts of the nodes looked at.
  [[nodiscard]] const VelocityFacts& facts() const { return facts_; }

 private:
  void check(const double* plane, int node);
  void check_row(const double* row, int j, int node, VelocityFacts& found) const;

  ModelFile& file_;
  const FileLayout& layout_;
  double factor_;
  int thickness_;
  std::array<Pick, 3> picks_;
  std::vector<double> slab_;
  int first_ = 0, count_ = 0, checked_ = -1;
  std::size_t depth_axis_;  ///< axis z in the file
  VelocityFacts facts_;
};

/// The values of the nodes that are kept, of some planes along z. A decimated axis has band-limited samples
/// of 1/V² (models/band_limit.hpp), taken along the file's fastest axis first.
class KeptNodes {
 public:
  /// `bounds`: of 1/V², for what is decimated; `planes`: of the model, along z.
  KeptNodes(const FileLayout& layout, const Picks& picks, double factor, const SlownessBounds& bounds,
            IndexRange planes);

  /// Bytes that decimation takes beside the model and the file's planes.
  [[nodiscard]] double bytes() const;

  /// All of them in m/s, x fastest.
  void read(CheckedPlanes& planes, std::span<float> values);

 private:
  struct Axis {
    int first = 0;            ///< node of the file that is node 0 of the shares
    ResampledAxis of;         ///< kept nodes
    IndexRange wanted;        ///< kept nodes that are asked for
    std::int64_t stride = 0;  ///< from one to the next in the model
  };
  [[nodiscard]] std::vector<double> decimated(const double* plane) const;
  [[nodiscard]] std::vector<double> sample(CheckedPlanes& planes, int index);
  template <class Visit>
  void for_each_of_plane(int k, const Visit& visit) const;
  void copy_all(CheckedPlanes& planes, std::span<float> values) const;

  std::int64_t row_;  ///< values of a row of the file
  double factor_;
  SlownessBounds bounds_;
  std::array<Axis, 3> axes_;  ///< from the file's fastest
  bool all_kept_ = false;
  std::map<int, std::vector<double>> window_;  ///< decimated planes of the file that samples still need
};

}  // namespace minimod
