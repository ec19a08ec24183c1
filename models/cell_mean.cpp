#include "models/cell_mean.hpp"

#include <algorithm>

namespace minimod {

double tolerance_at(double position) {
  return 1e-7 * std::max(1.0, std::abs(position));
}

Shares shares_of_cell(double position, double width, int nodes) {
  const double half = std::max(width, 1.0) / 2, tolerance = tolerance_at(position) + 1e-7 * half;
  const double begin = position - half, end = position + half, last = nodes - 1;
  const auto node_at = [last](double edge) {
    return static_cast<int>(std::clamp(std::floor(edge), 0.0, last));
  };
  // Node j fills j − 1/2 … j + 1/2, the outermost ones all beyond them too.
  const int first = node_at(begin + 0.5 + tolerance), final = node_at(std::ceil(end - 0.5 - tolerance));
  Shares shares;
  for (int node = first; node <= std::max(first, final); ++node) {
    const double from = node == first ? begin : node - 0.5, to = node >= final ? end : node + 0.5;
    shares.push_back({node, (to - from) / (end - begin)});
  }
  return shares;
}

bool are_nodes(const std::vector<Shares>& shares) {
  return std::ranges::all_of(shares, [](const Shares& s) { return s.size() == 1; });
}

}  // namespace minimod
