/// How a GPU corrects a transposed layer on a face in one launch: a block has lines through the layer in
/// shared memory, with R points on either side. All its loads are under way at once; ζ is new before ψ is,
/// and ψ before p⁻.
#pragma once

#include "boundary/cpml/cpml_adjoint.hpp"
#include "kernels/shape.hpp"

namespace minimod {

/// Tiles of layers of at most `Width` points, across x or across another axis. Neighbouring threads have
/// neighbours in memory: points of a line along x, else lines.
template <bool IsAcrossX, int Width>
struct CpmlAdjointTile : ShapeDefaults {
  static constexpr int R = stencil_radius;
  static constexpr const char* family = "cpml";
  /// Lines of a block, and points of one that have threads: a thread with more of them asks for more at once.
  static constexpr int lines = 32, at_once = IsAcrossX || Width > 12 ? 8 : 4;
  static constexpr Extent3 threads{IsAcrossX ? at_once : lines, IsAcrossX ? lines : at_once, 1};
  static constexpr int sector = 8;  // values of 32 B, on which rows along x begin
  static constexpr int turns = ceil_div(Width + 2 * R + (IsAcrossX ? sector - 1 : 0), at_once);
  static constexpr int kept = Width + 4 * R;  // points of a line, from 2R before the layer on
  // Eight points of four lines, or one of 32, lie in banks of their own.
  static constexpr int line_pitch = IsAcrossX ? round_up(kept - sector, 32) + sector : 1;
  static constexpr int point_pitch = IsAcrossX ? 1 : lines;
  struct Shared {
    float met[lines * (IsAcrossX ? line_pitch : kept)];  ///< p + ζ
    float zeta[lines * (IsAcrossX ? line_pitch : kept)], psi[lines * (IsAcrossX ? line_pitch : kept)];
  };

  static bool takes(const CpmlAdjointFace& face) { return face.end - face.begin <= Width; }
  static MINIMOD_HD int tiles_abreast(const Box3& box) { return ceil_div(box.end.x, lines); }
  static Extent3 blocks(const Box3& box) { return {tiles_abreast(box) * box.end.y, 1, 1}; }

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const CpmlAdjointFace& face, Shared& shared) const {
    const int line = IsAcrossX ? block.thread().y : block.thread().x;
    const int mine = IsAcrossX ? block.thread().x : block.thread().y;
    const int tiles = tiles_abreast(face.box);
    const int abreast = block.index().x % tiles * lines + line, other = block.index().x / tiles;
    const bool has_line = abreast < face.box.end.x;
    const LineLayout field = lines_along(face.axis, face.layout),
                     memory = lines_along(face.axis, face.memory);
    const std::int64_t in_field = field.index(0, abreast, other), in_memory = memory.index(0, abreast, other);
    const int begin = face.begin - R, end = face.end + R;
    const int first =
        begin - (IsAcrossX ? static_cast<int>((face.layout.origin + begin + sector) % sector) : 0);
    const auto is_inside = [&](int i) { return i >= face.begin && i < face.end; };
    const auto is_next = [&](int i) { return i >= face.begin_next && i < face.end_next; };
    const auto for_each_point = [&](const auto& work) {
#pragma unroll
      for (int k = 0; k < turns; ++k) {
        const int i = first + mine + k * at_once;
        if (has_line && i >= begin && i < end) work(k, i);
      }
    };

    float p[turns], zeta[turns], psi[turns], p_next[turns], v2dt2[turns];
    for_each_point([&](int k, int i) {
      p[k] = face.p[in_field + i * field.along];
      zeta[k] = is_inside(i) ? face.zeta[in_memory + i * memory.along] : 0;
      if (is_inside(i)) psi[k] = face.psi[in_memory + i * memory.along];
      if (!is_next(i)) return;
      p_next[k] = face.p_next[in_field + i * field.along];
      v2dt2[k] = face.v2dt2[in_field + i * field.along];
    });
    const int row = line * line_pitch + (2 * R - face.begin) * point_pitch;
    float* const met = shared.met + row;
    float* const all_zeta = shared.zeta + row;
    float* const all_psi = shared.psi + row;
    for (int m = mine; m < 2 * R; m += at_once) {
      const int before = (face.begin - 2 * R + m) * point_pitch, behind = (face.end + m) * point_pitch;
      all_zeta[before] = all_psi[before] = all_zeta[behind] = all_psi[behind] = 0;
    }
    for_each_point([&](int k, int i) {
      if (is_inside(i)) {
        zeta[k] = renewed(face.a[i], face.b[i], zeta[k], p[k]);
        face.zeta[in_memory + i * memory.along] = all_zeta[i * point_pitch] = zeta[k];
      }
      met[i * point_pitch] = p[k] + zeta[k];
    });
    block.sync();
    for_each_point([&](int k, int i) {
      if (!is_inside(i)) return;
      const float flux = slope<R>(face, [&](int m) { return met[(i + m) * point_pitch]; });
      face.psi[in_memory + i * memory.along] = all_psi[i * point_pitch] =
          renewed(face.a[i], face.b[i], psi[k], flux);
    });
    block.sync();
    for_each_point([&](int k, int i) {
      if (!is_next(i)) return;
      const float terms = slope<R>(face, [&](int m) { return all_psi[(i + m) * point_pitch]; }) +
                          curvature<R>(face, [&](int m) { return all_zeta[(i + m) * point_pitch]; });
      face.p_next[in_field + i * field.along] = corrected(p_next[k], v2dt2[k], terms);
    });
  }
};

}  // namespace minimod
