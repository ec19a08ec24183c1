/// A transposed CPML in one launch, as the blocks of a GPU do it, against its formulas point by point.
#include <limits>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "boundary/cpml/cpml_shapes.hpp"
#include "kernels/host/host_block.hpp"
#include "kernels/random_field.hpp"
#include "kernels/stencil.hpp"
#include "validation/cases/means/field_comparison.hpp"

namespace minimod {

namespace {

/// A transposed layer on a face, with zeros around p and around ζ and ψ, and NaN wherever nothing may be
/// read.
struct AdjointCase {
  Grid grid;
  CpmlAdjointFace face;
  std::vector<float> p, p_next, v2dt2, a, b, psi, zeta;

  AdjointCase(int axis, Extent3 n, int width, bool is_high, int aligned_x)
      : grid(make_grid(n, {20, 15, 12.5}, aligned_x)) {
    constexpr int R = stencil_radius;
    const int points = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
    face.layout = grid.layout;
    face.axis = axis;
    face.along = lines_along(axis, grid.layout).along;
    face.box.end = {axis == 0 ? n.y : n.x, axis == 2 ? n.y : n.z, 1};
    face.begin = is_high ? points - width : 0;
    face.end = is_high ? points : width;
    face.begin_next = is_high ? points - width - R : 0;
    face.end_next = is_high ? points : width + R;
    const DifferenceWeights weights = difference_weights(R);
    for (int m = 0; m < R; ++m) {
      face.first[m] = static_cast<float>(weights.first[m] / 20);
      face.second[m] = static_cast<float>(weights.second[m] / 400);
    }
    face.centre = static_cast<float>(weights.centre / 400);
    Box3 around{{-R, -R, -R}, {n.x + R, n.y + R, n.z + R}};
    fill(around, grid.layout, {&p}, 0);
    fill(whole(), grid.layout, {&p, &p_next, &v2dt2}, 1);
    for (auto* profile : {&a, &b}) {
      for (int i = 0; i < points; ++i) profile->push_back(random_value(5, i, axis, 0));
    }
    const Box3 kept = across(face.begin_next - R, face.end_next + R);
    const Extent3 size = kept.extent();
    face.memory.stride_y = ceil_div(size.x, 8) * 8;
    face.memory.stride_z = face.memory.stride_y * size.y;
    face.memory.size = face.memory.stride_z * size.z;
    face.memory.origin = -face.memory.index(kept.begin.x, kept.begin.y, kept.begin.z);
    face.along_memory = lines_along(axis, face.memory).along;
    fill(kept, face.memory, {&psi, &zeta}, 0);
    fill(across(face.begin, face.end), face.memory, {&psi, &zeta}, 1);
  }

  [[nodiscard]] Box3 whole() const { return {{0, 0, 0}, {grid.n.x, grid.n.y, grid.n.z}}; }
  [[nodiscard]] Box3 across(int begin, int end) const {
    Box3 box = whole();
    (face.axis == 0 ? box.begin.x : face.axis == 1 ? box.begin.y : box.begin.z) = begin;
    (face.axis == 0 ? box.end.x : face.axis == 1 ? box.end.y : box.end.z) = end;
    return box;
  }
  static void for_points(const Box3& box, const auto& work) {
    for (int z = box.begin.z; z < box.end.z; ++z) {
      for (int y = box.begin.y; y < box.end.y; ++y) {
        for (int x = box.begin.x; x < box.end.x; ++x) work(Index3{x, y, z});
      }
    }
  }
  /// Random values times `factor`; where the fields have none yet, NaN.
  static void fill(const Box3& box, const Layout& layout, const std::vector<std::vector<float>*>& fields,
                   float factor) {
    std::uint32_t seed = 1;
    for (std::vector<float>* field : fields) {
      field->resize(layout.size, std::numeric_limits<float>::quiet_NaN());
      ++seed;
      for_points(box, [&](const Index3& at) {
        (*field)[layout.index(at.x, at.y, at.z)] = factor * random_value(seed, at.x, at.y, at.z);
      });
    }
  }

  [[nodiscard]] CpmlAdjointFace ready() {
    CpmlAdjointFace ours = face;
    ours.p = p.data();
    ours.p_next = p_next.data();
    ours.v2dt2 = v2dt2.data();
    ours.a = a.data();
    ours.b = b.data();
    ours.psi = psi.data();
    ours.zeta = zeta.data();
    return ours;
  }
  [[nodiscard]] std::vector<float> results() const {
    std::vector<float> all = p_next;
    for (const auto* memory : {&psi, &zeta}) all.insert(all.end(), memory->begin(), memory->end());
    return all;
  }
};

/// Whether the blocks of a GPU take a transposed layer, which then they compute as points do.
bool check_transposed(AdjointCase domain) {
  constexpr int R = stencil_radius;
  AdjointCase by_points = domain;
  const CpmlAdjointFace face = by_points.ready();
  const Box3 inside = domain.across(face.begin, face.end);
  AdjointCase::for_points(inside, CpmlAdjointZeta<float, R>{face});
  AdjointCase::for_points(inside, CpmlAdjointPsi<float, R, false>{face});
  AdjointCase::for_points(domain.across(face.begin_next, face.end_next), CpmlAdjointTerms<float, R>{face});
  const CpmlAdjointFace ours = domain.ready();
  const bool is_taken = with_device_shape(ours, [&]<class Shape>() { run_on_host<Shape>(ours, 3); });
  CHECK((!is_taken || same_bits(domain.results(), by_points.results())));
  return is_taken;
}

}  // namespace

TEST_CASE("Blocks of a GPU compute a transposed layer of a CPML as points do", "[unit]") {
  for (int axis = 0; axis < 3; ++axis) {
    for (const int width : {1, 3, 4, 10, 12, 13, 28, 29, 56, 57, 88, 89, 112, 113}) {
      for (const bool is_high : {false, true}) {
        const int points = width + 11;
        const int abreast = width == 10 ? 71 : 33, aligned_x = width == 10 ? 9 : 0;
        const Extent3 n = axis == 0   ? Extent3{points, abreast, 2}
                          : axis == 1 ? Extent3{abreast, points, 2}
                                      : Extent3{abreast, 2, points};
        CAPTURE(axis, width, is_high);
        CHECK(check_transposed({axis, n, width, is_high, aligned_x}) == (width <= (axis == 0 ? 88 : 112)));
      }
    }
  }
}

}  // namespace minimod
