#include "kernels/equations/density_medium.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/stencil.hpp"

namespace minimod {

namespace {

/// Visits the points of a grid and `reach` more on each side.
void for_points_and_halo(const Grid& grid, int reach, const std::function<void(Index3)>& visit) {
  for (int z = -reach; z < grid.n.z + reach; ++z) {
    for (int y = -reach; y < grid.n.y + reach; ++y) {
      for (int x = -reach; x < grid.n.x + reach; ++x) visit({x, y, z});
    }
  }
}

std::int64_t place(const Grid& grid, Index3 p) {
  return grid.layout.index(p.x, p.y, p.z);
}

Index3 nearest_of(const Grid& grid, Index3 p) {
  return {std::clamp(p.x, 0, grid.n.x - 1), std::clamp(p.y, 0, grid.n.y - 1),
          std::clamp(p.z, 0, grid.n.z - 1)};
}

Index3 moved(Index3 p, int axis, int by) {
  return {p.x + (axis == 0 ? by : 0), p.y + (axis == 1 ? by : 0), p.z + (axis == 2 ? by : 0)};
}

/// Weights by which the value between two nodes is made of those k away on both sides (k = 1 … R; 1: the
/// two).
struct HalfNode {
  int radius = 0;
  std::array<double, most_radius> interpolation{};  ///< Lagrange's weights half-way
  std::array<double, most_radius> least{};          ///< by which b counts in what it must be at least
};

HalfNode make_half_node(Difference difference) {
  const DifferenceWeights weights = difference_weights(difference);
  HalfNode half{difference.radius};
  for (int k = 1; k <= half.radius; ++k) {
    double product = 0.5;
    for (int j = 1; j <= half.radius; ++j) {
      const double a = (j - 0.5) * (j - 0.5), b = (k - 0.5) * (k - 0.5);
      if (j != k) product *= a / (a - b);
    }
    half.interpolation[k - 1] = product;
    // (p(i+m) − p(i))² is at most m times the sum of the squares of its m steps: each of them is met by m
    // terms, with b at the nodes up to m/2 away from it.
    for (int m = 2 * k; m <= half.radius; m += 2)
      half.least[k - 1] += m * std::abs(weights.second[m - 1]) / weights.second[0];
  }
  return half;
}

/// b half-way between two nodes. `node(k)` is the index of those k = 1 … R behind it, and of those
/// −k = 0 … R − 1 before it, `b` and its logarithm are at the nodes.
template <class Real, class Node>
double half_way(const HalfNode& half, const std::vector<Real>& b, const std::vector<double>& logarithm,
                const Node& node) {
  double sum = 0, least = 0;
  for (int k = half.radius; k >= 1; --k) {
    const std::int64_t before = node(1 - k), behind = node(k);
    sum += half.interpolation[k - 1] * (logarithm[before] + logarithm[behind]);
    least += half.least[k - 1] * (double{b[before]} + b[behind]);
  }
  return std::max(std::exp(sum), least);
}

/// Sets b half a spacing behind the points along an axis.
template <class Real>
void set_half_nodes(const Grid& grid, int axis, const HalfNode& half, const std::vector<Real>& b,
                    const std::vector<double>& logarithm, std::vector<Real>& made) {
  made.resize(grid.layout.size);
  for_points_and_halo(grid, grid.radius, [&](Index3 p) {
    const auto node = [&](int k) { return place(grid, nearest_of(grid, moved(p, axis, k))); };
    made[place(grid, p)] = static_cast<Real>(half_way(half, b, logarithm, node));
  });
}

}  // namespace

template <class Real>
Buoyancy<Real> make_buoyancy(const Grid& grid, const std::function<double(Index3)>& density) {
  Buoyancy<Real> made;
  made.nodes.resize(grid.layout.size);
  std::vector<double> logarithm(grid.layout.size);
  for_points_and_halo(grid, grid.radius, [&](Index3 p) {
    const double b = 1 / density(nearest_of(grid, p));
    made.nodes[place(grid, p)] = static_cast<Real>(b);
    logarithm[place(grid, p)] = std::log(b);
  });
  const HalfNode half = make_half_node(grid.difference());
  set_half_nodes(grid, 0, half, made.nodes, logarithm, made.x);
  set_half_nodes(grid, 1, half, made.nodes, logarithm, made.y);
  set_half_nodes(grid, 2, half, made.nodes, logarithm, made.z);
  return made;
}

template <class Real>
double density_dt_limit(const Grid& grid, const Buoyancy<Real>& buoyancy,
                        const std::function<double(Index3)>& velocity) {
  const DifferenceWeights weights = difference_weights(grid.difference());
  const std::vector<Real>* const axes[] = {&buoyancy.x, &buoyancy.y, &buoyancy.z};
  const double spacings[] = {grid.spacing.x, grid.spacing.y, grid.spacing.z};
  double greatest = 0;
  for_points_and_halo(grid, 0, [&](Index3 p) {
    double row = 0;  // the terms of even m add as much to the diagonal as they take beside it
    for (int axis = 0; axis < 3; ++axis) {
      const std::vector<Real>& half = *axes[axis];
      for (int m = 1; m <= grid.radius; m += 2) {
        const double both = double{half[place(grid, moved(p, axis, (m - 1) / 2))]} +
                            half[place(grid, moved(p, axis, -(m + 1) / 2))];
        row += 2 * weights.second[m - 1] * both / (spacings[axis] * spacings[axis]);
      }
    }
    const double v = velocity(p);
    greatest = std::max(greatest, row * v * v / buoyancy.nodes[place(grid, p)]);
  });
  return 2 / std::sqrt(greatest);
}

template Buoyancy<float> make_buoyancy(const Grid&, const std::function<double(Index3)>&);
template Buoyancy<double> make_buoyancy(const Grid&, const std::function<double(Index3)>&);
template double density_dt_limit(const Grid&, const Buoyancy<float>&, const std::function<double(Index3)>&);
template double density_dt_limit(const Grid&, const Buoyancy<double>&, const std::function<double(Index3)>&);

}  // namespace minimod
