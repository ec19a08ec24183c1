/// How a CPML's correction is computed on a host: in rows, the values of lines abreast at one point of the
/// layer, over which loops become vectors. Rows follow each other through the layer as the marches of a GPU
/// do, ψ R points ahead of ζ and u⁺, so that what the one needs of the other is still in the cache.
#pragma once

#include <algorithm>
#include <array>

#include "boundary/cpml/cpml.hpp"
#include "kernels/host/cpu_level.hpp"
#include "kernels/shape.hpp"

namespace minimod {

/// The media around value k of row i.
template <class Real, class Lanes>
MINIMOD_INLINE auto media_at(const CpmlLines<Real>& rows, int i, int k, const Lanes& lanes) {
  return [&rows, &lanes, at = i * rows.along_u + k](int medium, int m)
             MINIMOD_INLINED { return lanes.load(rows.media[medium] + at + m * rows.along_u); };
}

MINIMOD_INLINE void prefetch(const void* from) {
#if defined(__GNUC__)
  __builtin_prefetch(from);
#endif
}

/// Most values of a row.
inline constexpr int cpml_row = 1024;

/// Takes the values of a row one by one, in a loop that becomes vectors where the compiler knows the radius.
struct ByValue {
  /// Reads and writes values of a row.
  template <class Real>
  struct Lanes {
    MINIMOD_INLINE Real load(const Real* from) const { return *from; }
    MINIMOD_INLINE void store(Real* to, Real value) const { *to = value; }
  };
  /// Calls work(k, lanes) for the values from k on that `lanes` takes.
  template <class Real, class Work>
  static MINIMOD_INLINE void over_row(int count, const Work& work) {
    MINIMOD_INDEPENDENT
    for (int k = 0; k < count; ++k) work(k, Lanes<Real>());
  }
};

/// ψ of a row.
template <class Values, int Radius, class Pass, class Real>
MINIMOD_INLINE void renew_psi(const Pass& pass, const CpmlLines<Real>& rows, int i) {
  const Real* const u = rows.u + i * rows.along_u;
  Real* const psi = rows.psi + i * rows.along_memory;
  const Real a = pass.a[i], b = pass.b[i];
  Values::template over_row<Real>(rows.count, [&](int k, const auto& lanes) MINIMOD_INLINED {
    const auto flux = Pass::Terms::template flux<Radius>(
        pass, [&](int m) { return lanes.load(u + k + m * rows.along_u); }, media_at(rows, i, k, lanes));
    lanes.store(psi + k, renewed(a, b, lanes.load(psi + k), flux));
  });
}

/// ζ and u⁺ of a row, whose neighbours have their new ψ; inwards of the layer there is no ζ.
template <class Values, int Radius, class Pass, class Real>
MINIMOD_INLINE void correct_row(const Pass& pass, const CpmlLayer& layer, const CpmlLines<Real>& rows,
                                int i) {
  const int R = radius_of<Radius>(pass);
  static constexpr Real zeros[cpml_row]{};
  const Real* psi[2 * most_radius + 1];
  for (int m = -R; m <= R; ++m)
    psi[R + m] = layer.contains(i + m) ? rows.psi + (i + m) * rows.along_memory : zeros;
  const Real* const v2dt2 = rows.v2dt2 + i * rows.along;
  Real* const u_next = rows.u_next + i * rows.along;
  if (!layer.contains(i)) {
    Values::template over_row<Real>(rows.count, [&](int k, const auto& lanes) MINIMOD_INLINED {
      const auto of_psi = slope<Radius>(pass, [&](int m) { return lanes.load(psi[R + m] + k); });
      lanes.store(u_next + k, corrected(lanes.load(u_next + k), lanes.load(v2dt2 + k), of_psi));
    });
    return;
  }
  const Real* const u = rows.u + i * rows.along_u;
  Real* const zeta = rows.zeta + i * rows.along_memory;
  const Real a = pass.a[i], b = pass.b[i];
  Values::template over_row<Real>(rows.count, [&](int k, const auto& lanes) MINIMOD_INLINED {
    const auto of_psi = slope<Radius>(pass, [&](int m) { return lanes.load(psi[R + m] + k); });
    const auto terms = renewed_terms<Radius>(
        pass, of_psi, [&](int m) { return lanes.load(u + k + m * rows.along_u); },
        media_at(rows, i, k, lanes),
        [&](const auto& met) MINIMOD_INLINED {
          const auto now = renewed(a, b, lanes.load(zeta + k), met);
          lanes.store(zeta + k, now);
          return now;
        });
    lanes.store(u_next + k, corrected(lanes.load(u_next + k), lanes.load(v2dt2 + k), terms));
  });
}

/// A part of a pass's layer: lines abreast and others.
struct CpmlPart {
  int layer, abreast, end_abreast, other, end_other;
};

/// A pass in parts for the threads of a host.
template <int Axis>
struct CpmlParts {
  static constexpr int abreast = Axis == 0 ? 128 : cpml_row;
  /// Across z, several rows y at once: planes are far apart, and it is long rows that memory likes.
  static constexpr int others = Axis == 2 ? 8 : 1;

  template <class Pass>
  [[nodiscard]] static std::int64_t count(const Pass& pass) {
    return std::int64_t{ceil_div(pass.box.end.x, abreast)} * ceil_div(pass.box.end.y, others) *
           pass.box.end.z;
  }
  template <class Pass>
  MINIMOD_INLINE static CpmlPart part(const Pass& pass, std::int64_t number) {
    const int side = ceil_div(pass.box.end.x, abreast), behind = ceil_div(pass.box.end.y, others);
    const int from = static_cast<int>(number % side) * abreast;
    const int other = static_cast<int>(number / side % behind) * others;
    return {static_cast<int>(number / side / behind), from, std::min(from + abreast, pass.box.end.x), other,
            std::min(other + others, pass.box.end.y)};
  }
};

/// Across x the lines lie along the rows of memory: those of a part are turned on their way in and out, some
/// at once, while the next come.
template <class Values, int Radius, class Pass>
class CpmlTurnedRows {
  using Real = typename Pass::Real;

 public:
  MINIMOD_INLINE CpmlTurnedRows(const Pass& pass, const CpmlPart& part)
      : pass_(pass),
        R(radius_of<Radius>(pass)),
        layer_(pass.layers[part.layer]),
        corner_(lines_along(0, pass.layout).index(0, part.abreast, part.other)),
        memory_(layer_.memory.index(0, part.abreast, part.other)),
        count_(part.end_abreast - part.abreast) {}

  MINIMOD_INLINE void correct() {
    for (int i = layer_.begin - R; i < layer_.end_corrected; i += points) {
      correct(i, std::min(i + points, layer_.end_corrected));
    }
  }

 private:
  static constexpr int most = Radius == any_radius ? most_radius : Radius;
  static constexpr int points = 48, cache_line = 64 / sizeof(Real);
  static constexpr std::int64_t pitch = CpmlParts<0>::abreast + cache_line;  // rows in sets of their own
  using Row = Real[pitch];

  /// As the rows of a part across y or z, from `begin` to `end`.
  MINIMOD_INLINE void correct(int begin, int end) {
    const int first = std::max(begin, layer_.begin_corrected), first_u = std::max(begin, layer_.begin) - R;
    const int end_u = std::min(end + R, layer_.end) + R;
    turn_in(u_ + (first_u - begin + R), pass_.u, first_u, end_u);
    turn_in(v2dt2_ + (first - begin), pass_.v2dt2, first, end);
    turn_in(u_next_ + (first - begin), pass_.u_next, first, end);
    CpmlLines<Real> rows{u_[R] - begin * pitch,
                         v2dt2_[0] - begin * pitch,
                         u_next_[0] - begin * pitch,
                         pass_.psi + memory_,
                         pass_.zeta + memory_,
                         pitch,
                         pitch,
                         layer_.memory.along,
                         count_,
                         {}};
    for (int k = 0; k < Pass::Terms::media; ++k) {
      turn_in(media_[k].rows + (first_u - begin + R), pass_.media[k], first_u, end_u);
      rows.media[k] = media_[k].rows[R] - begin * pitch;
    }
    for (int i = begin; i < end; ++i) {
      if (layer_.contains(i + R)) renew_psi<Values, Radius>(pass_, rows, i + R);
      if (layer_.corrects(i)) correct_row<Values, Radius>(pass_, layer_, rows, i);
    }
    for (int k = 0; k < count_; ++k) {
      Real* const line = pass_.u_next + corner_ + k * pass_.layout.stride_y;
      for (int i = first; i < end; ++i) line[i] = u_next_[i - begin][k];
    }
  }

  MINIMOD_INLINE void turn_in(Row* to, const Real* field, int begin, int end) const {
    constexpr int at_once = 8;
    const std::int64_t apart = pass_.layout.stride_y;
    for (int first = 0; first < count_; first += at_once) {
      const Real* from[at_once];
      for (int k = 0; k < at_once; ++k) {
        from[k] = field + corner_ + std::min(first + k, count_ - 1) * apart;
        const Real* const next = from[k] + at_once * apart;
        for (int i = begin; i < end + cache_line - 1; i += cache_line) prefetch(next + i);
      }
      for (int i = begin; i < end; ++i) {
        for (int k = 0; k < at_once; ++k) to[i - begin][first + k] = from[k][i];
      }
    }
  }

  const Pass& pass_;
  const int R;
  const CpmlLayer& layer_;
  std::int64_t corner_, memory_;
  int count_;
  Row u_[points + 3 * most], v2dt2_[points], u_next_[points];
  struct Medium {
    Row rows[points + 3 * most];
  };
  std::array<Medium, Pass::Terms::media> media_;
};

/// Corrects a part of a pass of that radius.
template <int Axis, class Values, int Radius, class Pass>
MINIMOD_INLINE void correct_on_host(const Pass& pass, std::int64_t number) {
  const CpmlPart part = CpmlParts<Axis>::part(pass, number);
  if constexpr (Axis == 0) {
    CpmlTurnedRows<Values, Radius, Pass>(pass, part).correct();
  } else {
    const int R = radius_of<Radius>(pass);
    const CpmlLayer& layer = pass.layers[part.layer];
    const auto rows = [&](int other) {
      return lines_of(pass, Axis, layer, part.abreast, other, part.end_abreast - part.abreast);
    };
    for (int i = layer.begin - R; i < layer.end_corrected; ++i) {
      if (layer.contains(i + R)) {
        for (int o = part.other; o < part.end_other; ++o) renew_psi<Values, Radius>(pass, rows(o), i + R);
      }
      if (layer.corrects(i)) {
        for (int o = part.other; o < part.end_other; ++o)
          correct_row<Values, Radius>(pass, layer, rows(o), i);
      }
    }
  }
}

namespace x86_64_v3 {
/// The same of a pass of any radius, in a file that is compiled for x86-64-v3.
template <int Axis, class Pass>
void correct_part(const Pass& pass, std::int64_t number);
}  // namespace x86_64_v3

/// Corrects a part of a pass at a level of the processor, which but for the common stencil is v3.
template <int Axis, class Pass>
void correct_part(CpuLevel level, const Pass& pass, std::int64_t number) {
  if constexpr (is_common_stencil<typename Pass::Real, stencil_radius>) {
    if (pass.radius == stencil_radius) {
      return at_cpu_level(level, [&] { correct_on_host<Axis, ByValue, stencil_radius>(pass, number); });
    }
  }
  x86_64_v3::correct_part<Axis>(pass, number);
}

}  // namespace minimod
