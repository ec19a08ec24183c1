#include "src/io/gather/midpoints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minimod {

namespace {

/// Square of a distance on the map, m². (The hypot of a million positions takes its time.)
double square_of_distance(Point3 a, Point3 b) {
  const double x = a.x - b.x, y = a.y - b.y;
  return x * x + y * y;
}

template <class Visit>
void for_each_position(const std::vector<ShotGeometry>& shots, Visit visit) {
  for (const ShotGeometry& shot : shots) {
    for (const ShotSource& source : shot.sources) visit(source.position);
    for (const Point3& receiver : shot.receivers) visit(receiver);
  }
}

Point3 farthest_from(const std::vector<ShotGeometry>& shots, Point3 point) {
  Point3 farthest = point;
  double greatest = 0;
  for_each_position(shots, [&](Point3 p) {
    const double square = square_of_distance(p, point);
    if (square > greatest) {
      greatest = square;
      farthest = p;
    }
  });
  return farthest;
}

double receiver_spacing(const std::vector<ShotGeometry>& shots, double node_spacing) {
  constexpr double least = 1e-3;  // m: nearer ones stand above each other
  std::vector<double> squares;
  for (const ShotGeometry& shot : shots) {
    for (std::size_t i = 1; i < shot.receivers.size(); ++i) {
      const double square = square_of_distance(shot.receivers[i - 1], shot.receivers[i]);
      if (square > least * least) squares.push_back(square);
    }
  }
  if (squares.empty()) return node_spacing;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::ranges::nth_element(squares, middle);
  return std::sqrt(*middle);
}

}  // namespace

std::int64_t MidpointBins::number_of(Point3 midpoint) const {
  if (size <= 0) return 0;
  // Midpoints between two centres go one way, whatever the rounding of their positions.
  constexpr double half = 0.5 + 1e-6;
  const auto bin = [&](double position) { return std::floor(position / size + half); };
  const double column = bin(along[0] * midpoint.x + along[1] * midpoint.y - first);
  const double row = columns == 0 ? 0 : bin(midpoint.y);
  // As doubles, which hold every such number: what a file says of bins may be anything.
  const double number = 1 + column + static_cast<double>(columns) * row;
  return number >= 1 && number <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int64_t>(number)
                                                                           : 0;
}

MidpointBins bins_of(const std::vector<ShotGeometry>& shots, Point3 extent, double node_spacing) {
  MidpointBins bins;
  bins.size = receiver_spacing(shots, node_spacing) / 2;
  const Point3 from = farthest_from(shots, shots.front().sources.front().position);
  const Point3 to = farthest_from(shots, from);
  const double length = std::sqrt(square_of_distance(from, to));
  double x = 1, y = 0;
  if (length > 0) {
    const bool is_back = to.x < from.x || (to.x == from.x && to.y < from.y);
    x = (is_back ? from.x - to.x : to.x - from.x) / length;
    y = (is_back ? from.y - to.y : to.y - from.y) / length;
  }
  bool is_line = true;
  for_each_position(shots, [&](Point3 p) {
    is_line = is_line && std::abs((p.y - from.y) * x - (p.x - from.x) * y) <= bins.size / 2;
  });
  if (is_line) {
    bins.along[0] = x;
    bins.along[1] = y;
    bins.first = std::min(0.0, y * extent.y);
  } else {
    bins.columns = static_cast<std::int64_t>(extent.x / bins.size) + 2;
  }
  return bins;
}

std::vector<std::pair<std::string, AttributeValue>> facts_of(const MidpointBins& bins) {
  return {{"cmp_bin_size", bins.size},
          {"cmp_direction", std::vector<double>{bins.along[0], bins.along[1]}},
          {"cmp_first", bins.first},
          {"cmp_columns", bins.columns}};
}

MidpointBins bins_of(const ShotGather& gather) {
  const auto direction = gather.fact<std::vector<double>>("cmp_direction");
  if (direction.size() != 2) return {};
  return {gather.fact<double>("cmp_bin_size"),
          {direction[0], direction[1]},
          gather.fact<double>("cmp_first"),
          gather.fact<std::int64_t>("cmp_columns")};
}

}  // namespace minimod
