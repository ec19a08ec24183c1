#include "src/job/gradient/sums/node_sums.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>

#include "src/base/error.hpp"
#include "src/base/process/on_all_cores.hpp"
#include "src/job/gradient/velocity_change.hpp"

namespace minimod {

namespace {

/// Values that one core adds at once.
constexpr std::size_t piece = std::size_t{1} << 16;

/// Points along an axis whose sums a node has: its own, and those of the layer beyond an outermost node.
IndexRange points_of(int node, int nodes, int inner_begin, int all) {
  return {node == 0 ? 0 : inner_begin + node, node + 1 == nodes ? all : inner_begin + node + 1};
}

template <class Real>
class Folding {
 public:
  Folding(const SumFactors& factors, const SampledMedium& medium, const SumKind& kind, Precision precision,
          IndexRange planes)
      : factors_(factors),
        medium_(medium),
        kind_(kind),
        n_(gradient_nodes(medium)),
        planes_(planes),
        mine_(nodes_in(planes)) {
    const Extent3 own{n_.x, n_.y, mine_.size()};
    for (NodeValues* values :
         {&folded_.correlation, &folded_.source_illumination, &folded_.receiver_illumination})
      *values = {own, Reals(precision, static_cast<std::size_t>(own.points()))};
  }

  /// All planes, part by part; each node's are in one.
  [[nodiscard]] GradientSums fold(const ReadPointSums& sums, int planes_at_once) {
    for (int begin = planes_.begin; begin < planes_.end;) {
      const int end = std::max(begin + planes_at_once, inner_.begin.z + 1);
      const IndexRange part{begin, end < inner_.end.z ? std::min(end, planes_.end) : planes_.end};
      add(part, sums(part));
      begin = part.end;
    }
    if (is_finite_) return std::move(folded_);
    throw Error(ErrorKind::data, text("the ", kind_.condition ? "image" : "gradient", " is not finite"),
                "look at the observed traces and the window");
  }

 private:
  struct Row {
    std::vector<double> product, drive, adjoint;
    explicit Row(int nodes) : product(nodes), drive(nodes), adjoint(nodes) {}
  };

  [[nodiscard]] IndexRange nodes_in(IndexRange planes) const {
    const int begin = std::max(planes.begin, inner_.begin.z), end = std::min(planes.end, inner_.end.z);
    return {begin - inner_.begin.z, std::max(begin, end) - inner_.begin.z};
  }

  void add(IndexRange part, const PointSums& sums) {
    constexpr int rows_at_once = 16;
    there_ = part;
    products_ = sums.product;
    drives_ = sums.drive.of<Real>();
    adjoints_ = sums.adjoint.of<Real>();
    const IndexRange nodes = nodes_in(part);
    const std::size_t plane = std::size_t(all_.x) * all_.y, count = static_cast<std::size_t>(nodes.size());
    velocity_.resize(count * plane);
    on_all_cores("velocity", count, [&](std::size_t i) {
      medium_.sample_plane(inner_.begin.z + nodes.begin + static_cast<int>(i),
                           std::span(velocity_).subspan(i * plane, plane));
    });
    on_all_cores(
        "fold", count * static_cast<std::size_t>(n_.y),
        [&](std::size_t row) {
          const std::size_t i = row / n_.y;
          fold_row(nodes.begin + static_cast<int>(i), static_cast<int>(row % n_.y), &velocity_[i * plane]);
        },
        rows_at_once);
  }

  void fold_row(int own_z, int own_y, const float* velocity) {
    Row row(n_.x);
    const IndexRange planes = points_of(own_z, n_.z, inner_.begin.z, all_.z),
                     rows = points_of(own_y, n_.y, inner_.begin.y, all_.y);
    for (int z = planes.begin; z < planes.end; ++z)
      for (int y = rows.begin; y < rows.end; ++y) add_points(y, z, row);
    const float* const v = velocity + std::size_t(all_.x) * (inner_.begin.y + own_y) + inner_.begin.x;
    put(row, v, (std::size_t(own_z - mine_.begin) * n_.y + own_y) * n_.x);
  }

  /// The layer has no image, and no illuminations.
  void add_points(int y, int z, Row& row) const {
    const std::size_t first = (std::size_t(z - there_.begin) * all_.y + y) * all_.x,
                      own = first + inner_.begin.x;
    const bool is_inner = inner_.contains({inner_.begin.x, y, z});
    const auto add = [&](const auto& values, std::vector<double>& to) {
      for (int x = 0; x < n_.x; ++x) to[x] += values[own + x];
    };
    if (is_inner || !kind_.condition) add(products_, row.product);
    if (!kind_.condition) {
      for (std::size_t i = first; i < own; ++i) row.product.front() += products_[i];
      for (std::size_t i = own + n_.x; i < first + all_.x; ++i) row.product.back() += products_[i];
    }
    if (!is_inner) return;
    add(drives_, row.drive);
    add(adjoints_, row.adjoint);
  }

  /// The row in its units, from a place among the nodes on.
  void put(const Row& row, const float* v, std::size_t first) {
    const double dt2 = factors_.dt * factors_.dt;
    Reals::Values<Real>&product = folded_.correlation.values.template of<Real>(),
    &drive = folded_.source_illumination.values.template of<Real>(),
    &adjoint = folded_.receiver_illumination.values.template of<Real>();
    bool is_finite = true;
    for (int x = 0; x < n_.x; ++x) {
      const double m = double{v[x]} * v[x] * dt2;
      const std::size_t i = first + x;
      product[i] =
          static_cast<Real>(kind_.condition ? row.product[x] : by_parameter(row.product[x], m, v[x]));
      drive[i] = static_cast<Real>(factors_.drive / (dt2 * dt2) * row.drive[x]);
      adjoint[i] = static_cast<Real>(factors_.adjoint / (m * m) * row.adjoint[x]);
      is_finite =
          is_finite && std::isfinite(product[i]) && std::isfinite(drive[i]) && std::isfinite(adjoint[i]);
    }
    if (!is_finite) is_finite_ = false;
  }

  /// The derivative by V, or by 1/V², of which V is the power −1/2.
  [[nodiscard]] double by_parameter(double product, double m, double v) const {
    const double by_velocity = factors_.product * 2 * product / (m * v);
    return kind_.by == GradientBy::velocity ? by_velocity : -by_velocity * v * v * v / 2;
  }

  SumFactors factors_;
  const SampledMedium& medium_;
  SumKind kind_;
  Extent3 all_ = medium_.grid(), n_;
  Box3 inner_ = medium_.inner();
  IndexRange planes_, mine_;  ///< planes of the run, and those of the nodes in them
  GradientSums folded_;
  // Part at hand: planes, values at their points, and V of the planes that have nodes.
  IndexRange there_;
  const double* products_ = nullptr;
  const Real *drives_ = nullptr, *adjoints_ = nullptr;
  std::vector<float> velocity_;
  std::atomic<bool> is_finite_ = true;
};

}  // namespace

void NodeValues::add(const NodeValues& others) {
  n = others.n;
  if (values.empty()) values = Reals(Precision::float64, others.values.size());
  Reals::Values<double>& sums = values.of<double>();
  others.values.visit([&](const auto& more) {
    in_pieces("sums", sums.size(), piece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sums[i] += more[i];
    });
  });
}

NodeValues NodeValues::rounded_to(Precision precision) const {
  NodeValues rounded{n, Reals(precision, values.size())};
  with_real(precision, [&]<class Real>() {
    Reals::Values<Real>& to = rounded.values.of<Real>();
    values.visit([&](const auto& from) {
      in_pieces("rounding", to.size(), piece, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<Real>(from[i]);
      });
    });
  });
  return rounded;
}

void GradientSums::add(const GradientSums& others) {
  correlation.add(others.correlation);
  source_illumination.add(others.source_illumination);
  receiver_illumination.add(others.receiver_illumination);
}

GradientSums GradientSums::rounded_to(Precision precision) const {
  return {correlation.rounded_to(precision), source_illumination.rounded_to(precision),
          receiver_illumination.rounded_to(precision)};
}

GradientSums fold(const ReadPointSums& sums, const SumFactors& factors, const SampledMedium& medium,
                  const SumKind& kind, Precision precision, IndexRange planes, int planes_at_once) {
  return with_real(precision, [&]<class Real>() {
    return Folding<Real>(factors, medium, kind, precision, planes).fold(sums, planes_at_once);
  });
}

}  // namespace minimod
