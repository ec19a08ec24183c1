/// Jacobi iterations u⁺ = u + τ ∇²ₕu, all points alike (Tang et al. 2013, equation 1): a yardstick of
/// kernels. It is the wave's star with weights of its own, those of 1 + τ ∇²ₕ, and reads u alone.
#pragma once

#include "kernels/update.hpp"

namespace minimod {

/// τ of Jacobi's iteration u + τ ∇²ₕu (m²): the greatest with which no wave changes its sign.
[[nodiscard]] constexpr double jacobi_relaxation(int radius, Point3 h) {
  const DifferenceWeights difference = taylor_weights(radius);
  double greatest = -difference.centre;  // greatest eigenvalue of -∇²ₕ: its field alternates
  for (int m = 1; m <= radius; ++m) greatest += 2 * (m % 2 == 1 ? 1 : -1) * difference.second[m - 1];
  return 1 / (greatest * (1 / (h.x * h.x) + 1 / (h.y * h.y) + 1 / (h.z * h.z)));
}

/// The weights of 1 + τ ∇²ₕ.
template <class Real, int Radius>
[[nodiscard]] StencilWeights<Real, Radius> relaxed(StencilWeights<Real, Radius> weights, double tau) {
  double centre = 1;
  for (Real* const ring : {&weights.x[0], &weights.y[0], &weights.z[0]}) {
    for (int m = 0; m < weights.radius; ++m) {
      ring[m] = static_cast<Real>(tau * ring[m]);
      centre -= 2 * double{ring[m]};
    }
  }
  weights.centre = static_cast<Real>(centre);
  return weights;
}

template <class Real, int Radius>
struct JacobiArgs : WaveArgs<Real, Radius> {
  using Wave = WaveArgs<Real, Radius>;
  struct Constants : Wave::Constants {
    explicit Constants(const StarArgs& of) : Wave::Constants(of) {
      this->weights = relaxed(this->weights, jacobi_relaxation(of.difference.radius, of.spacing));
    }
  };

  JacobiArgs() = default;
  JacobiArgs(const LaunchArgs& given, const Constants& constants) : Wave(given, constants) {}
};

/// `Formula`: InnerUpdate, since it has no layer.
template <class Formula>
struct Jacobi : WaveEquation<Jacobi<Formula>, typename Formula::Real, Formula::radius> {
  using Real = typename Formula::Real;
  using Wave = WaveEquation<Jacobi, Real, Formula::radius>;
  using Args = JacobiArgs<Real, Formula::radius>;
  using Outputs = ArrayList<Wave::u_next>;
  static constexpr bool damps = false;

  static MINIMOD_HD bool writes(const Args&, Index3) { return true; }
  static MINIMOD_HD void advance(const Args&, Index3, PointFields<Real>& f, const StarValues<Real>& s,
                                 const Damping<Real>&, const EtaGradient<Real>&) {
    f.u_next = s.laplacian;
  }
  template <class Point>
  static MINIMOD_HD void finish(const Point& point, const StarValues<Real>& s) {
    point.place().template store<Wave::u_next>(s.laplacian);
  }
};

}  // namespace minimod
