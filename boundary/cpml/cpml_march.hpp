/// How a GPU computes a CPML's correction in one pass: lines march along the axis through the layer and keep
/// what they have seen of u and ψ. ψ of a point is new when u of the R points behind it is there; R points
/// later ∂ψ is, and with it ζ and u⁺. So nothing is loaded twice.
#pragma once

#include "boundary/cpml/cpml.hpp"
#include "kernels/host/cpu_level.hpp"
#include "kernels/shape.hpp"
#include "kernels/vector4.hpp"

namespace minimod {

/// Lines of a Value: one, or the four of a vector.
template <class Value>
inline constexpr int lines_of_value = sizeof(Value) / sizeof(float);

MINIMOD_HD inline void store_lines(float* to, float value, int /*count*/) {
  *to = value;
}
MINIMOD_HD inline void store_lines(float* to, const Vector4<float>& values, int count) {
  store_first(to, values, count);
}

/// Through a layer, `Points` points at once in the middle of it, so that so many loads are under way; what
/// the next turn loads is brought into the L2 meanwhile. Not along x, where a sector has several points of a
/// line.
template <int Axis, class Value, int Points, class Block, class Pass>
class CpmlMarch {
 public:
  MINIMOD_INLINE MINIMOD_HD CpmlMarch(const Block& block, const Pass& pass, const CpmlLayer& layer,
                                      const CpmlLines<float>& lines)
      : block_(block), pass_(pass), layer_(layer), lines_(lines) {}

  MINIMOD_INLINE MINIMOD_HD void run() {
#pragma unroll 1
    for (int p = 0; p < Points; ++p) fetch_ahead(layer_.begin + p);
    enter();
    int j = layer_.begin;
#pragma unroll 1
    for (; j + Points <= layer_.end - R; j += Points) go_on<Points>(j);
    if constexpr (Points > 1) {
#pragma unroll 1
      for (; j < layer_.end - R; ++j) go_on<1>(j);
    }
    leave(j);
  }

 private:
  static constexpr int R = stencil_radius;
  using Terms = typename Pass::Terms;

  /// Values of a vector of lines; for lines that are not there, whatever the memory holds.
  [[nodiscard]] MINIMOD_HD static Value load(const float* from) {
    return *reinterpret_cast<const Value*>(from);
  }
  [[nodiscard]] MINIMOD_HD Value u_at(int i) const {
    return layer_.needs_u(i) ? load(lines_.u + i * lines_.along) : Value{};
  }
  [[nodiscard]] MINIMOD_HD Value v2dt2_at(int i) const {
    return load(lines_.v2dt2 + i * lines_.along);
  }
  [[nodiscard]] MINIMOD_HD Value u_next_at(int i) const {
    return load(lines_.u_next + i * lines_.along);
  }
  [[nodiscard]] MINIMOD_HD Value psi_at(int i) const {
    return load(lines_.psi + i * lines_.along_memory);
  }
  [[nodiscard]] MINIMOD_HD Value zeta_at(int i) const {
    return load(lines_.zeta + i * lines_.along_memory);
  }
  /// The media around point i.
  [[nodiscard]] MINIMOD_HD auto media_at(int i) const {
    return [this, i](int k, int m) { return load(lines_.media[k] + (i + m) * lines_.along); };
  }
  MINIMOD_HD void store(float* field, int i, const Value& value) const {
    store_lines(field + i * lines_.along, value, lines_.count);
  }
  MINIMOD_HD void store_memory(float* memory, int i, const Value& value) const {
    store_lines(memory + i * lines_.along_memory, value, lines_.count);
  }

  /// Fetches ahead what the march loads at point i.
  MINIMOD_INLINE MINIMOD_HD void fetch_ahead(int i) const {
    if constexpr (Axis == 0) return;
    if (layer_.needs_u(i + 2 * R)) block_.prefetch(lines_.u + (i + 2 * R) * lines_.along);
    if (layer_.contains(i + R)) block_.prefetch(lines_.psi + (i + R) * lines_.along_memory);
    for (int k = 0; k < Terms::media; ++k) {
      if (layer_.contains(i + R)) block_.prefetch(lines_.media[k] + (i + R) * lines_.along);
    }
    if (layer_.contains(i)) block_.prefetch(lines_.zeta + i * lines_.along_memory);
    if (!layer_.corrects(i)) return;
    block_.prefetch(lines_.v2dt2 + i * lines_.along);
    block_.prefetch(lines_.u_next + i * lines_.along);
  }

  /// ∂ψ of the point in slot w; ψ is 0 outside of the slots below `end`.
  [[nodiscard]] MINIMOD_INLINE MINIMOD_HD Value slope_of_psi(int w, int end) const {
    return slope(pass_, [&](int m) { return w + m < 0 || w + m >= end ? Value{} : psi_[w + m]; });
  }

  /// Up to ψ of the first R points: from there on it is the march of every point. Where the layer lies behind
  /// the points inwards of it, these are corrected.
  MINIMOD_INLINE MINIMOD_HD void enter() {
    const int first = layer_.begin - R;
    Value v2dt2[R], u_next[R];
#pragma unroll
    for (int w = 0; w < 3 * R; ++w) u_[w] = u_at(first + w);
#pragma unroll
    for (int p = 0; p < R; ++p) {
      const int i = layer_.begin + p;
      if (!layer_.contains(i)) continue;
      psi_[R + p] = psi_at(i);
      a_[p] = pass_.a[i];
      b_[p] = pass_.b[i];
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (!layer_.corrects(first + p)) continue;
      v2dt2[p] = v2dt2_at(first + p);
      u_next[p] = u_next_at(first + p);
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (!layer_.contains(layer_.begin + p)) continue;
      renew_psi(layer_.begin + p, R + p, a_[p], b_[p]);
    }
#pragma unroll
    for (int p = 0; p < R; ++p) {
      if (layer_.corrects(first + p)) correct_inner(first + p, p, v2dt2[p], u_next[p]);
    }
  }

  /// ψ of a point, whose u and ψ are in slot w.
  MINIMOD_INLINE MINIMOD_HD void renew_psi(int i, int w, float a, float b) {
    const Value flux = Terms::flux(
        pass_, [&](int m) { return u_[w + m]; }, media_at(i));
    psi_[w] = renewed(a, b, psi_[w], flux);
    store_memory(lines_.psi, i, psi_[w]);
  }

  /// A point beside the layer, whose ψ is in slot w.
  MINIMOD_INLINE MINIMOD_HD void correct_inner(int i, int w, const Value& v2dt2, const Value& u_next) {
    store(lines_.u_next, i, corrected(u_next, v2dt2, slope_of_psi(w, 2 * R)));
  }

  /// A point of the layer, whose u and ψ are in slot w.
  MINIMOD_INLINE MINIMOD_HD void correct(int i, int w, int end, float a, float b, const Value& zeta,
                                         const Value& v2dt2, const Value& u_next) {
    const Value terms = renewed_terms(
        pass_, slope_of_psi(w, end), [&](int m) { return u_[w + m]; }, media_at(i),
        [&](const Value& met) {
          const Value now = renewed(a, b, zeta, met);
          store_memory(lines_.zeta, i, now);
          return now;
        });
    store(lines_.u_next, i, corrected(u_next, v2dt2, terms));
  }

  /// From j on, where ψ of R points ahead is known.
  template <int Count>
  MINIMOD_INLINE MINIMOD_HD void go_on(int j) {
    Value zeta[Count], v2dt2[Count], u_next[Count];
#pragma unroll
    for (int p = 0; p < Count; ++p) fetch_ahead(j + Points + p);
#pragma unroll
    for (int p = 0; p < Count; ++p) {
      u_[3 * R + p] = u_at(j + 2 * R + p);
      psi_[2 * R + p] = psi_at(j + R + p);
      zeta[p] = zeta_at(j + p);
      v2dt2[p] = v2dt2_at(j + p);
      u_next[p] = u_next_at(j + p);
      a_[R + p] = pass_.a[j + R + p];
      b_[R + p] = pass_.b[j + R + p];
    }
#pragma unroll
    for (int p = 0; p < Count; ++p) {
      renew_psi(j + R + p, 2 * R + p, a_[R + p], b_[R + p]);
      correct(j + p, R + p, 2 * R + p + 1, a_[p], b_[p], zeta[p], v2dt2[p], u_next[p]);
    }
#pragma unroll
    for (int w = 0; w < 3 * R; ++w) u_[w] = u_[w + Count];
#pragma unroll
    for (int w = 0; w < 2 * R; ++w) psi_[w] = psi_[w + Count];
#pragma unroll
    for (int w = 0; w < R; ++w) {
      a_[w] = a_[w + Count];
      b_[w] = b_[w + Count];
    }
  }

  /// The last R points of the layer, from j on, and where it lies before the points inwards of it, these.
  MINIMOD_INLINE MINIMOD_HD void leave(int j) {
    Value zeta[R], v2dt2[2 * R], u_next[2 * R];
#pragma unroll
    for (int p = 0; p < 2 * R; ++p) {
      if (p < R && layer_.contains(j + p)) zeta[p] = zeta_at(j + p);
      if (!layer_.corrects(j + p)) continue;
      v2dt2[p] = v2dt2_at(j + p);
      u_next[p] = u_next_at(j + p);
    }
#pragma unroll
    for (int p = 0; p < 2 * R; ++p) {
      if (p < R && layer_.contains(j + p)) {
        correct(j + p, R + p, 2 * R, a_[p], b_[p], zeta[p], v2dt2[p], u_next[p]);
      } else if (layer_.corrects(j + p)) {
        correct_inner(j + p, R + p, v2dt2[p], u_next[p]);
      }
    }
  }

  const Block& block_;
  const Pass& pass_;
  const CpmlLayer& layer_;
  const CpmlLines<float>& lines_;
  // Values known when the march is at point j.
  Value u_[4 * R]{};               ///< from point j − R on
  Value psi_[3 * R]{};             ///< from point j − R on
  float a_[2 * R]{}, b_[2 * R]{};  ///< from point j on
};

/// Layers on a GPU, straight from memory: a thread has a line, or four of a vector, whose neighbours abreast
/// are its warp's.
template <int Axis, class Value, int Points>
struct CpmlMarches : ShapeDefaults {
  static constexpr const char* family = "cpml";
  static constexpr Extent3 threads{32, 4, 1};
  static constexpr int lines = lines_of_value<Value>;
  struct Shared {};

  /// Vectors stand on vectors of the memory.
  template <class Pass>
  static bool takes(const Pass& pass) {
    return lines == 1 || (Axis != 0 && pass.layout.origin % vector_alignment == 0);
  }

  static MINIMOD_HD int tiles_abreast(const Box3& box) { return ceil_div(box.end.x, threads.x * lines); }
  static Extent3 blocks(const Box3& box) {
    return {tiles_abreast(box) * ceil_div(box.end.y, threads.y), box.end.z, 1};
  }

  template <class Block, class Pass>
  MINIMOD_HD void operator()(const Block& block, const Pass& pass, Shared& /*shared*/) const {
    const int tiles = tiles_abreast(pass.box);
    const int abreast = (block.index().x % tiles * threads.x + block.thread().x) * lines;
    const int other = block.index().x / tiles * threads.y + block.thread().y;
    if (abreast >= pass.box.end.x || other >= pass.box.end.y) return;
    const CpmlLayer& layer = pass.layers[block.index().y];
    const auto mine = lines_of(pass, Axis, layer, abreast, other, pass.box.end.x - abreast);
    CpmlMarch<Axis, Value, Points, Block, Pass>(block, pass, layer, mine).run();
  }
};

}  // namespace minimod
