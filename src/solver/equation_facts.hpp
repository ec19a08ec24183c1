/// Facts of an equation that the solver must know beside its kernels: its arrays, the medium that these read
/// and what that is made of, the time step that it allows, what a source adds.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/equation_names.hpp"
#include "kernels/grid.hpp"

namespace minimod {

/// Columns of a model's medium beyond V, by number of the column, at points of a grid.
struct MediumColumns {
  Extent3 n;  ///< extent of the domain; {1, 1, n.z} where all depends on the depth alone
  std::function<double(std::size_t column, Index3 p)> at;

  [[nodiscard]] bool are_of_depth() const { return n.x == 1; }
  /// A point of the domain as one of theirs.
  [[nodiscard]] Index3 place(Index3 p) const { return are_of_depth() ? Index3{0, 0, p.z} : p; }
};

struct EquationFacts {
  Equation equation = Equation::wave;
  std::vector<std::string> wavefields{"u"}, media{"v2dt2"};  ///< in the order of launches' arguments
  std::vector<std::string> columns{};                        ///< columns of its model beyond V
  std::vector<double> usual{};   ///< values of these, of a constant medium where nothing is said
  bool reads_u_alone = false;    ///< a yardstick of kernels: no layer, no source, no shots; media lie idle
  bool has_cpml = true;          ///< beside pml and sponge
  bool has_free_surface = true;  ///< free surface of p = 0 alone
  /// "(1/V^2) u_tt - ...", and what a source of unit size gives; for gathers.
  const char *formula = "", *scaling = "";

  // All below of values of the columns at a point, in their order.
  /// What is wrong with them and its limit, empty where nothing is.
  std::string (*refusal)(std::span<const double> columns) = nullptr;
  /// Factor of (V Δt)² in the first medium.
  double (*modulus)(std::span<const double> columns) = nullptr;
  /// Speeds of the waves over V, at most and at least, in whatever direction.
  double (*fastest)(std::span<const double> columns) = nullptr;
  double (*slowest)(std::span<const double> columns) = nullptr;

  /// The media behind the first, in the layout of `grid`, which has the extent of the columns.
  std::vector<std::vector<double>> (*further_media)(const Grid& grid, const MediumColumns& columns) = nullptr;
  /// The greatest stable Δt, s, of V (m/s) at points of that grid.
  double (*dt_limit)(const Grid& grid, const MediumColumns& columns,
                     const std::function<double(Index3)>& velocity) = nullptr;
  /// Factor of a source's s(t) / (hx hy hz) in a wavefield's u⁺, of the media's values at the node.
  double (*source)(std::size_t wavefield, std::span<const double> media) = nullptr;
};

[[nodiscard]] const EquationFacts& facts_of(Equation equation);

/// Values that a point's update must move at least: of each wavefield those at tₙ and tₙ₋₁ read and that at
/// tₙ₊₁ written, its media read; in a pml φ read and written, too; where u is read alone, two.
[[nodiscard]] int values_of_point(Equation equation, bool damps);

/// The usual values everywhere.
[[nodiscard]] MediumColumns usual_columns(Equation equation, int planes);

/// At random around them from node to node, all of a point by one factor, 0.7 to 1.3.
[[nodiscard]] MediumColumns random_columns(Equation equation, Extent3 n);

/// The greatest stable Δt, s, where V is nowhere more than `v_max` (m/s).
[[nodiscard]] double dt_limit_of(Equation equation, double v_max, Point3 spacing, Difference difference,
                                 const MediumColumns& columns);

/// The values of all columns at a point.
[[nodiscard]] std::vector<double> values_at(const MediumColumns& columns, std::size_t count, Index3 p);

}  // namespace minimod
