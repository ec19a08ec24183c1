/// The relaxation of a heated plate as an equation: a half sweep has the nodes of one colour, each from its
/// four neighbours of the other, in place.
#pragma once

#include "kernels/equation.hpp"
#include "kernels/relaxation/plate.hpp"
#include "kernels/stencil.hpp"

namespace minimod::relaxation {

/// The weights of a node's update.
template <class Real>
struct Weights {
  Real keep, along_x, along_y;

  /// 1 − ω, ω / (2 (1 + β²)) and β² times that; `beta` = Δx / Δy.
  static Weights of(double omega, double beta) {
    const double along_x = omega / (2 * (1 + beta * beta));
    return {Real(1 - omega), Real(along_x), Real(along_x * beta * beta)};
  }
};

/// The relaxed temperature of a node, equations 3 to 5 of Itu et al. 2011: the one place where they stand.
template <class Real>
MINIMOD_HD inline Real relaxed(const Weights<Real>& w, Real t, Real west, Real east, Real south, Real north) {
  return fused(w.along_x, west + east, fused(w.along_y, south + north, w.keep * t));
}

/// The arguments of a half sweep's launch, passed by value.
template <class RealType>
struct PlateArgs {
  using Real = RealType;
  Box3 box;   ///< points of the layout, those of one colour's plane
  Extent3 n;  ///< nodes that are sought
  Layout layout;
  Weights<Real> weights;
  Real* t = nullptr;

  PlateArgs(Extent3 nodes, Storage storage, Weights<Real> by)
      : box{{0, 0, 0}, {storage == Storage::colours_apart ? ceil_div(nodes.x, 2) : nodes.x, nodes.y, 1}},
        n(nodes),
        layout(make_plate_layout(nodes, storage, sizeof(Real))),
        weights(by) {}
  /// The arguments for the nodes of one colour.
  [[nodiscard]] PlateArgs of_colour(int colour) const {
    PlateArgs args = *this;
    args.box.begin.z = colour;
    args.box.end.z = colour + 1;
    return args;
  }
  [[nodiscard]] MINIMOD_HD Real& at(int i, int j) const { return t[index_of_node(layout, i, j)]; }
  /// |mean of the neighbours − t| of a node, with the weights of ω = 1.
  [[nodiscard]] MINIMOD_HD Real defect(int i, int j) const {
    const Real mean = relaxed(weights, Real(0), at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1));
    return std::fabs(mean - at(i, j));
  }
};

/// The part that the equations of both layouts share: their one array.
template <class RealType>
struct OnePlate {
  using Real = RealType;
  using Args = PlateArgs<Real>;
  static constexpr bool is_read_only = false;
  enum Array : int { t };
  using Elsewhere = ArrayList<>;
  using Beside = ArrayList<t>;
  using BesideInPlane = ArrayList<t>;
  using Outputs = ArrayList<t>;

  template <int>
  using Value = Real;
  template <int>
  static MINIMOD_HD Real* data(const Args& args) {
    return args.t;
  }
};

struct OnePlane {
  std::int64_t origin, stride_y;
  static constexpr std::int64_t stride_z = 0;
  [[nodiscard]] MINIMOD_HD std::int64_t index(int x, int y, int) const { return origin + x + y * stride_y; }
};

/// Colours among each other in rows; points of the other one are passed over.
template <class Real>
struct Heat : OnePlate<Real> {
  using OnePlate<Real>::t;
  static MINIMOD_HD constexpr Reach reach(int) { return {{1, 1, 0}, {1, 1, 0}}; }
  static MINIMOD_HD constexpr bool is_star(int) { return true; }
  template <int>
  static MINIMOD_HD OnePlane layout(const PlateArgs<Real>& args) {
    return {args.layout.origin, args.layout.stride_y};
  }
  static MINIMOD_HD bool updates(const PlateArgs<Real>&, const Index3& p) { return ((p.x + p.y) & 1) == p.z; }
  template <class Point>
  static MINIMOD_HD void compute(const Point& point) {
    point.template store<t>(relaxed(point.args().weights, point.template load<t>(),
                                    point.template load<t>(-1), point.template load<t>(1),
                                    point.template load<t>(0, -1), point.template load<t>(0, 1)));
  }
};

/// Colours apart: the neighbours along x are pairs of columns of the other colour, this one and one beside.
template <class Real>
struct HeatOfColour : OnePlate<Real> {
  using OnePlate<Real>::t;
  static MINIMOD_HD constexpr Reach reach(int) { return {{1, 1, 1}, {1, 1, 1}}; }
  static MINIMOD_HD constexpr bool is_star(int) { return false; }
  template <int>
  static MINIMOD_HD const Layout& layout(const PlateArgs<Real>& args) {
    return args.layout;
  }
  /// Whether the node of the pair is the right one.
  static MINIMOD_HD int odd(const Index3& p) { return (p.y + p.z) & 1; }
  static MINIMOD_HD bool updates(const PlateArgs<Real>& args, const Index3& p) {
    return 2 * p.x + odd(p) < args.n.x;
  }
  template <class Point>
  static MINIMOD_HD void compute(const Point& point) {
    const Index3 p = point.at();
    const int other = 1 - 2 * p.z, east = odd(p);
    point.template store<t>(
        relaxed(point.args().weights, point.template load<t>(), point.template load<t>(east - 1, 0, other),
                point.template load<t>(east, 0, other), point.template load<t>(0, -1, other),
                point.template load<t>(0, 1, other)));
  }
};

}  // namespace minimod::relaxation
