/// A CPML's correction in one pass, as the host and the blocks of a GPU do it, against the formula point by
/// point.
#include "boundary/cpml_march.hpp"

#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/host_block.hpp"
#include "src/measure/field_comparison.hpp"

using namespace minimod;

namespace {

constexpr int R = stencil_radius;

/// Fields, and layers at both ends of an axis, with NaN wherever nothing may be read.
struct CpmlCase {
  int axis, low, high;
  Grid grid;
  std::vector<float> u, u_next, v2dt2, a, b, psi, zeta;
  std::vector<CpmlPass> passes;

  CpmlCase(int axis_number, Extent3 n, int low_width, int high_width)
      : axis(axis_number), low(low_width), high(high_width), grid(make_grid(n, {20, 15, 12.5}, 0)) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::mt19937 random(7);
    std::uniform_real_distribution<float> value(-1, 1);
    for (auto* field : {&u, &u_next, &v2dt2}) field->assign(grid.layout.size, nan);
    for (int z = -R; z < n.z + R; ++z) {
      for (int y = -R; y < n.y + R; ++y) {
        for (int x = -R; x < n.x + R; ++x) u[grid.layout.index(x, y, z)] = 0;
      }
    }
    for (int z = 0; z < n.z; ++z) {
      for (int y = 0; y < n.y; ++y) {
        for (int x = 0; x < n.x; ++x) {
          for (auto* field : {&u, &u_next, &v2dt2}) (*field)[grid.layout.index(x, y, z)] = value(random);
        }
      }
    }
    const int points = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
    for (auto* profile : {&a, &b}) {
      for (int i = 0; i < points; ++i) profile->push_back(value(random));
    }
    make_passes(points, nan, [&] { return value(random); });
  }

  /// Rows of ψ end in values that are no line's.
  template <class Random>
  void make_passes(int points, float nan, const Random& value) {
    const Extent3 n = grid.n;
    const int abreast = axis == 0 ? n.y : n.x, others = axis == 2 ? n.y : n.z;
    const std::int64_t row = (abreast + 7) / 8 * 8;
    CpmlPass pass;
    pass.axis = axis;
    pass.layout = grid.layout;
    for (int m = 0; m < R; ++m) {
      pass.first[m] = static_cast<float>(first_difference[m] / 20);
      pass.second[m] = static_cast<float>(SecondDifference<R>::ring[m] / 400);
    }
    pass.centre = static_cast<float>(SecondDifference<R>::centre / 400);
    const CpmlLayer both[] = {
        {0, low, 0, std::min(low + R, points - high), 0, low + R, {}},
        {points - high, points, std::max(points - high - R, low), points, points - high - R, points, {}}};
    for (const CpmlLayer& layer : both) {
      const int width = layer.end - layer.begin;
      if (width == 0) continue;
      const bool together = !passes.empty() && passes[0].layers[0].end_corrected <= layer.begin_corrected;
      if (!together) passes.push_back(pass);
      CpmlPass& mine = passes.back();
      CpmlLayer& placed = mine.layers[mine.box.end.z];
      placed = layer;
      const auto first = static_cast<std::int64_t>(psi.size());
      placed.memory = {first - layer.begin * row, row, 1, row * width};
      for (auto* memory : {&psi, &zeta}) {
        memory->resize(first + others * row * width, nan);
        for (std::int64_t line = 0; line < others * width; ++line) {
          for (int k = 0; k < abreast; ++k) (*memory)[first + line * row + k] = value();
        }
      }
      mine.box.end = {abreast, others, mine.box.end.z + 1};
    }
  }

  [[nodiscard]] std::vector<CpmlPass> ready() {
    std::vector<CpmlPass> ours = passes;
    for (CpmlPass& pass : ours) {
      pass.u = u.data();
      pass.u_next = u_next.data();
      pass.v2dt2 = v2dt2.data();
      pass.a = a.data();
      pass.b = b.data();
      pass.psi = psi.data();
      pass.zeta = zeta.data();
    }
    return ours;
  }

  [[nodiscard]] std::vector<float> results() const {
    std::vector<float> all = u_next;
    for (const auto* memory : {&psi, &zeta}) all.insert(all.end(), memory->begin(), memory->end());
    return all;
  }
};

/// The formula, first ψ of all points.
void correct_point_by_point(const CpmlPass& pass) {
  const LineLayout field = lines_along(pass.axis, pass.layout);
  for (int face = 0; face < pass.box.end.z; ++face) {
    const CpmlLayer& layer = pass.layers[face];
    const auto psi_at = [&](int i, int k, int o) {
      return layer.contains(i) ? pass.psi[layer.memory.index(i, k, o)] : 0;
    };
    for (int o = 0; o < pass.box.end.y; ++o) {
      for (int k = 0; k < pass.box.end.x; ++k) {
        for (int i = layer.begin; i < layer.end; ++i) {
          float& psi = pass.psi[layer.memory.index(i, k, o)];
          psi = pass.b[i] * psi +
                pass.a[i] * slope(pass, [&](int m) { return pass.u[field.index(i + m, k, o)]; });
        }
        for (int i = layer.begin_corrected; i < layer.end_corrected; ++i) {
          const float of_psi = slope(pass, [&](int m) { return psi_at(i + m, k, o); });
          const float of_u = curvature(pass, [&](int m) { return pass.u[field.index(i + m, k, o)]; });
          float now = 0;
          if (layer.contains(i)) {
            float& zeta = pass.zeta[layer.memory.index(i, k, o)];
            now = zeta = pass.b[i] * zeta + pass.a[i] * (of_u + of_psi);
          }
          pass.u_next[field.index(i, k, o)] += pass.v2dt2[field.index(i, k, o)] * (of_psi + now);
        }
      }
    }
  }
}

void correct_with_host_lines(const CpmlPass& pass) {
  for (std::int64_t group = 0; group < groups_on_host(pass); ++group) {
    if (pass.axis == 0) correct_on_host<0>(pass, group);
    if (pass.axis == 1) correct_on_host<1>(pass, group);
    if (pass.axis == 2) correct_on_host<2>(pass, group);
  }
}

std::vector<float> results_of(CpmlCase domain, const auto& correct) {
  for (const CpmlPass& pass : domain.ready()) correct(pass);
  return domain.results();
}

}  // namespace

TEST_CASE("Lines that march through a CPML compute what its formula says of every point", "[shapes]") {
  const int axis = GENERATE(0, 1, 2);
  const auto [low, between, high] = GENERATE(table<int, int, int>({{1, 20, 1},
                                                                   {2, 11, 3},
                                                                   {4, 8, 5},
                                                                   {6, 3, 6},
                                                                   {10, 9, 10},
                                                                   {0, 12, 13},
                                                                   {27, 30, 27},
                                                                   {60, 14, 0},
                                                                   {100, 9, 9}}));
  const int points = low + between + high;
  const Extent3 n = axis == 0   ? Extent3{points, 71, 3}
                    : axis == 1 ? Extent3{71, points, 3}
                                : Extent3{71, 5, points};
  CAPTURE(axis, low, between, high);
  const CpmlCase domain(axis, n, low, high);
  const auto expected = results_of(domain, correct_point_by_point);
  CHECK(same_bits(results_of(domain, correct_with_host_lines), expected));
  const auto with_blocks = [](const CpmlPass& pass) {
    with_device_shape(pass, [&]<class Shape>() { run_on_host<Shape>(pass, 3); });
  };
  CHECK(same_bits(results_of(domain, with_blocks), expected));
}
