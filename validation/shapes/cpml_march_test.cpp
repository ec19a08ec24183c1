/// A CPML's correction in one pass, as the host and the blocks of a GPU do it, against the formula point by
/// point.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "boundary/cpml/cpml_rows.hpp"
#include "boundary/cpml/cpml_shapes.hpp"
#include "kernels/host/host_block.hpp"
#include "validation/cases/means/field_comparison.hpp"

using namespace minimod;

namespace {

/// Fields, and layers at both ends of an axis, with NaN wherever nothing may be read.
template <class PassType>
struct CpmlCase {
  using Pass = PassType;
  using Real = typename Pass::Real;
  int axis, low, high, radius;
  Grid grid;
  std::vector<Real> u, u_next, v2dt2, a, b, psi, zeta;
  std::vector<Real> media[2];  ///< above 0, as far as differences along the axis read them
  std::vector<Pass> passes;

  CpmlCase(int axis_number, Extent3 n, int low_width, int high_width, int aligned_x,
           int of_radius = stencil_radius)
      : axis(axis_number),
        low(low_width),
        high(high_width),
        radius(of_radius),
        grid(make_grid(n, {20, 15, 12.5}, aligned_x, of_radius)) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    std::mt19937 random(7);
    std::uniform_real_distribution<Real> value(-1, 1);
    for (auto* field : {&u, &u_next, &v2dt2}) field->assign(grid.layout.size, nan);
    for (int z = -radius; z < n.z + radius; ++z) {
      for (int y = -radius; y < n.y + radius; ++y) {
        for (int x = -radius; x < n.x + radius; ++x) u[grid.layout.index(x, y, z)] = 0;
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
    const int before[] = {radius / 2, (radius + 1) / 2}, behind[] = {radius / 2, (radius - 1) / 2};
    for (int k = 0; k < Pass::Terms::media; ++k) {
      media[k].assign(grid.layout.size, nan);
      const auto reach = [&](int of_axis, int far) { return of_axis == axis ? far : 0; };
      for (int z = -reach(2, before[k]); z < n.z + reach(2, behind[k]); ++z) {
        for (int y = -reach(1, before[k]); y < n.y + reach(1, behind[k]); ++y) {
          for (int x = -reach(0, before[k]); x < n.x + reach(0, behind[k]); ++x)
            media[k][grid.layout.index(x, y, z)] = 2 + value(random);
        }
      }
    }
    for (auto* profile : {&a, &b}) {
      for (int i = 0; i < points; ++i) profile->push_back(value(random));
    }
    make_passes(points, nan, [&] { return value(random); });
  }

  /// Rows of ψ end in values that are no line's.
  template <class Random>
  void make_passes(int points, Real nan, const Random& value) {
    const Extent3 n = grid.n;
    const int abreast = axis == 0 ? n.y : n.x, others = axis == 2 ? n.y : n.z;
    const std::int64_t row = std::int64_t{(abreast + 7) / 8} * 8;
    const DifferenceWeights weights = difference_weights(radius);
    Pass pass;
    pass.radius = radius;
    pass.axis = axis;
    pass.layout = grid.layout;
    for (int m = 0; m < radius; ++m) {
      pass.first[m] = static_cast<Real>(weights.first[m] / 20);
      pass.second[m] = static_cast<Real>(weights.second[m] / 400);
    }
    pass.centre = static_cast<Real>(weights.centre / 400);
    const CpmlLayer both[] = {{0, low, 0, std::min(low + radius, points - high), 0, low + radius, {}},
                              {points - high,
                               points,
                               std::max(points - high - radius, low),
                               points,
                               points - high - radius,
                               points,
                               {}}};
    for (const CpmlLayer& layer : both) {
      const int width = layer.end - layer.begin;
      if (width == 0) continue;
      const bool together = !passes.empty() && passes[0].layers[0].end_corrected <= layer.begin_corrected;
      if (!together) passes.push_back(pass);
      Pass& mine = passes.back();
      CpmlLayer& placed = mine.layers[mine.box.end.z];
      placed = layer;
      const auto first = static_cast<std::int64_t>(psi.size());
      placed.memory = {first - layer.begin * row, row, 1, row * width};
      for (auto* memory : {&psi, &zeta}) {
        memory->resize(first + row * others * width, nan);
        for (std::int64_t line = 0; line < std::int64_t{others} * width; ++line) {
          for (int k = 0; k < abreast; ++k) (*memory)[first + line * row + k] = value();
        }
      }
      mine.box.end = {abreast, others, mine.box.end.z + 1};
    }
  }

  [[nodiscard]] std::vector<Pass> ready() {
    std::vector<Pass> ours = passes;
    for (Pass& pass : ours) {
      pass.u = u.data();
      pass.u_next = u_next.data();
      pass.v2dt2 = v2dt2.data();
      pass.a = a.data();
      pass.b = b.data();
      pass.psi = psi.data();
      pass.zeta = zeta.data();
      for (int k = 0; k < 2; ++k) pass.media[k] = media[k].data();
    }
    return ours;
  }

  [[nodiscard]] std::vector<Real> results() const {
    std::vector<Real> all = u_next;
    for (const auto* memory : {&psi, &zeta}) all.insert(all.end(), memory->begin(), memory->end());
    return all;
  }
};

/// The formula, first ψ of all points.
template <int Radius, class Pass>
void correct_point_by_point(const Pass& pass) {
  using Real = typename Pass::Real;
  const LineLayout field = lines_along(pass.axis, pass.layout);
  for (int face = 0; face < pass.box.end.z; ++face) {
    const CpmlLayer& layer = pass.layers[face];
    const auto psi_at = [&](int i, int k, int o) {
      return layer.contains(i) ? pass.psi[layer.memory.index(i, k, o)] : Real(0);
    };
    for (int o = 0; o < pass.box.end.y; ++o) {
      for (int k = 0; k < pass.box.end.x; ++k) {
        const auto u_around = [&](int i) {
          return [&, i](int m) { return pass.u[field.index(i + m, k, o)]; };
        };
        const auto media_around = [&](int i) {
          return [&, i](int medium, int m) { return pass.media[medium][field.index(i + m, k, o)]; };
        };
        for (int i = layer.begin; i < layer.end; ++i) {
          Real& psi = pass.psi[layer.memory.index(i, k, o)];
          const Real flux = Pass::Terms::template flux<Radius>(pass, u_around(i), media_around(i));
          psi = std::fma(pass.a[i], flux, pass.b[i] * psi);
        }
        for (int i = layer.begin_corrected; i < layer.end_corrected; ++i) {
          const Real of_psi = slope<Radius>(pass, [&](int m) { return psi_at(i + m, k, o); });
          Real now = 0;
          if (layer.contains(i)) {
            const Real of_u = Pass::Terms::template divergence<Radius>(pass, u_around(i), media_around(i));
            Real& zeta = pass.zeta[layer.memory.index(i, k, o)];
            now = zeta = std::fma(pass.a[i], of_u + of_psi, pass.b[i] * zeta);
          }
          Real& u_next = pass.u_next[field.index(i, k, o)];
          u_next = std::fma(pass.v2dt2[field.index(i, k, o)], of_psi + now, u_next);
        }
      }
    }
  }
}

template <int Axis, class Pass>
void correct_parts(const Pass& pass) {
  for (std::int64_t part = 0; part < CpmlParts<Axis>::count(pass); ++part)
    correct_part<Axis>(cpu_level(), pass, part);
}

template <class Pass>
void correct_in_rows(const Pass& pass) {
  if (pass.axis == 0) correct_parts<0>(pass);
  if (pass.axis == 1) correct_parts<1>(pass);
  if (pass.axis == 2) correct_parts<2>(pass);
}

template <class Pass>
std::vector<typename Pass::Real> results_of(CpmlCase<Pass> domain, const auto& correct) {
  for (const Pass& pass : domain.ready()) correct(pass);
  return domain.results();
}

/// Layers of two widths with so many points between them, and lines abreast and others.
struct LayersAndLines {
  int low, between, high;
  int abreast = 71, others = 3;
  int aligned_x = 0;
};

template <class Pass>
CpmlCase<Pass> make_case(int axis, const LayersAndLines& sizes, int radius) {
  const auto [low, between, high, abreast, others, aligned_x] = sizes;
  const int points = low + between + high;
  const Extent3 n = axis == 0   ? Extent3{points, abreast, others}
                    : axis == 1 ? Extent3{abreast, points, others}
                                : Extent3{abreast, others, points};
  return {axis, n, low, high, aligned_x, radius};
}

template <int Radius = stencil_radius, class Pass = CpmlPass<float>>
void check_rows(int axis, const LayersAndLines& sizes) {
  CAPTURE(axis, Radius, sizes.low, sizes.between, sizes.high, sizes.abreast, sizes.others, sizes.aligned_x);
  const auto domain = make_case<Pass>(axis, sizes, Radius);
  CHECK(same_bits(results_of(domain, correct_in_rows<Pass>),
                  results_of(domain, correct_point_by_point<Radius, Pass>)));
}

/// Counts what is prefetched, and what of it no thread may read.
class WatchingBlock : public HostBlock {
 public:
  using HostBlock::HostBlock;
  void prefetch(const void* global) const {
    ++prefetched;
    forbidden += std::isnan(*static_cast<const float*>(global)) ? 1 : 0;
  }
  static inline int prefetched = 0, forbidden = 0;
};

template <int Radius = stencil_radius, class Pass = CpmlPass<float>>
void check_blocks(int axis, const LayersAndLines& sizes) {
  CAPTURE(axis, Radius, sizes.low, sizes.between, sizes.high, sizes.abreast, sizes.others, sizes.aligned_x);
  const auto domain = make_case<Pass>(axis, sizes, Radius);
  const auto with_blocks = [](const Pass& pass) {
    with_device_shape(pass, [&]<class Shape>() { run_on_host<Shape>(pass, 3); });
  };
  CHECK(same_bits(results_of(domain, with_blocks), results_of(domain, correct_point_by_point<Radius, Pass>)));
}

/// Checks either equation that has a CPML.
template <int Radius = stencil_radius, class Real = float>
void check_both(int axis, const LayersAndLines& sizes) {
  check_rows<Radius, CpmlPass<Real>>(axis, sizes);
  check_blocks<Radius, CpmlPass<Real>>(axis, sizes);
  check_rows<Radius, CpmlPass<Real, CpmlOfDensity>>(axis, sizes);
  check_blocks<Radius, CpmlPass<Real, CpmlOfDensity>>(axis, sizes);
}

template <class Pass>
void check_prefetches(int axis, const LayersAndLines& sizes) {
  CAPTURE(axis, sizes.low, sizes.between, sizes.high, Pass::Terms::media);
  auto domain = make_case<Pass>(axis, sizes, stencil_radius);
  WatchingBlock::prefetched = 0;
  for (const Pass& pass : domain.ready()) {
    with_device_shape(pass, [&]<class Shape>() { run_on_host<Shape, Pass, WatchingBlock>(pass, 3); });
  }
  CHECK(WatchingBlock::prefetched > 0);
  CHECK(WatchingBlock::forbidden == 0);
}

}  // namespace

TEST_CASE("Lines that march through a CPML compute what its formula says of every point", "[shapes]") {
  const std::vector<LayersAndLines> cases{{1, 20, 1},
                                          {2, 11, 3},
                                          {4, 8, 5},
                                          {10, 9, 10},
                                          {27, 30, 27},  //
                                          {0, 12, 13},
                                          {60, 14, 0},
                                          {0, 9, 1},  // on one side
                                          {3, 8, 3},
                                          {3, 7, 3},
                                          {6, 3, 6},
                                          {5, 0, 7},
                                          {1, 0, 1},  // up to where corrections meet, and over
                                          {13, 9, 12},
                                          {20, 9, 0},
                                          {21, 9, 0},
                                          {28, 9, 0},
                                          {0, 12, 28},
                                          {29, 9, 0},
                                          {36, 9, 0},
                                          {37, 9, 0},  // tiles across x that are just full
                                          {84, 9, 0},
                                          {0, 12, 84},
                                          {0, 11, 84},
                                          {85, 9, 0},
                                          {93, 9, 0},
                                          {100, 9, 9},  // the widest, and none
                                          {9, 20, 10, 1, 1},
                                          {9, 20, 10, 5, 2},
                                          {9, 20, 10, 64, 4},  // as many lines as a tile, fewer, more
                                          {9, 20, 10, 65, 5},
                                          {9, 20, 10, 128, 8},
                                          {9, 20, 10, 129, 9},
                                          {3, 9, 2, cpml_row + 1, 1},
                                          {9, 20, 10, 70, 3, 9},
                                          {27, 30, 27, 71, 3, 27}};  // lines that stand on no vectors
  for (int axis = 0; axis < 3; ++axis) {
    for (const LayersAndLines& sizes : cases) {
      check_both(axis, sizes);
    }
  }
}

TEST_CASE("Lines that march through a CPML prefetch nothing that they may not read", "[shapes]") {
  for (const int axis : {1, 2}) {
    for (const LayersAndLines& sizes : {LayersAndLines{10, 9, 10}, LayersAndLines{1, 20, 2, 5, 2},
                                        LayersAndLines{27, 0, 27, 71, 3, 27}, LayersAndLines{0, 12, 13}}) {
      check_prefetches<CpmlPass<float>>(axis, sizes);
      check_prefetches<CpmlPass<float, CpmlOfDensity>>(axis, sizes);
    }
  }
}

TEST_CASE("A CPML's rows and blocks compute its formula with differences of other orders and in double",
          "[shapes]") {
  for (int axis = 0; axis < 3; ++axis) {
    for (const LayersAndLines& sizes : {LayersAndLines{9, 20, 10, 65, 5, 9}, LayersAndLines{60, 14, 3, 71, 3},
                                        LayersAndLines{1, 17, 0, 64, 2}}) {
      check_both<1>(axis, sizes);
      check_both<3>(axis, sizes);
      check_both<8>(axis, sizes);
      check_both<4, double>(axis, sizes);
      check_both<6, double>(axis, sizes);
    }
  }
}
