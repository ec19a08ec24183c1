/// Equations beside the wave equation of constant density on the host, their points run by a plain loop
/// or by the blocks of a family.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/cores/reference.hpp"
#include "kernels/equations/density.hpp"
#include "kernels/equations/density_medium.hpp"
#include "kernels/equations/vti.hpp"
#include "validation/cases/means/domain.hpp"

namespace minimod {

/// Runs every point of a launch, one after the other.
struct PlainLoop {
  template <class Equation>
  void run(const typename Equation::Args& args) const {
    at_cpu_level_v3([&] { run_reference<Equation>(args); });
  }
};

/// The fields of a wavefield and its way through the steps.
template <class Real>
struct Wavefield {
  std::vector<Real> now, next;  ///< next has the previous step's until it is computed
  std::vector<Real> phi;

  explicit Wavefield(std::int64_t size) : now(size), next(size), phi(size) {}
};

/// Grid and layer of a run, and the arguments that follow from them: the whole grid in one launch.
template <class Real, int Radius>
struct HostGrid {
  Domain domain;
  Grid grid;
  std::vector<Real> eta_x, eta_y, eta_z;
  WaveArgs<Real, Radius> args;

  explicit HostGrid(const Domain& given) : domain(of_radius(given)), grid(domain.grid()) {}

  /// Once Δt is known.
  void set_layer() {
    const Boundary boundary = domain.problem().boundary;
    eta_x.assign(boundary.x.eta.begin(), boundary.x.eta.end());
    eta_y.assign(boundary.y.eta.begin(), boundary.y.eta.end());
    eta_z.assign(boundary.z.eta.begin(), boundary.z.eta.end());
    args.box = domain.whole();
    args.inner = boundary.spec.regions(domain.n).inner;
    args.layout = args.phi_layout = grid.layout;
    static_cast<WaveConstants<Real, Radius>&>(args) = WaveConstants<Real, Radius>(LaunchArgs(grid));
    args.alpha = static_cast<Real>(boundary.alpha);
  }
  /// Where the fields are now.
  void set_fields(Wavefield<Real>& u) {
    args.u = u.now.data();
    args.u_before = args.u_next = u.next.data();
    args.phi = u.phi.data();
    args.eta_x = eta_x.data() + 1;
    args.eta_y = eta_y.data() + 1;
    args.eta_z = eta_z.data() + 1;
  }
  [[nodiscard]] std::int64_t index(Index3 p) const { return grid.layout.index(p.x, p.y, p.z); }

  template <class Visit>
  void for_points(const Visit& visit) const {
    for (int z = 0; z < domain.n.z; ++z) {
      for (int y = 0; y < domain.n.y; ++y) {
        for (int x = 0; x < domain.n.x; ++x) visit(Index3{x, y, z}, index({x, y, z}));
      }
    }
  }

 private:
  static Domain of_radius(Domain domain) {
    domain.radius = Radius;
    return domain;
  }
};

/// Waves of constant density.
template <class Real, int Radius = stencil_radius>
class WaveRun : public HostGrid<Real, Radius> {
 public:
  explicit WaveRun(const Domain& given)
      : HostGrid<Real, Radius>(given), u(this->grid.layout.size), v2dt2(this->grid.layout.size) {
    this->set_layer();
    this->for_points([&](Index3 p, std::int64_t i) {
      const double length = this->domain.velocity_of(p) * this->domain.dt;
      v2dt2[i] = static_cast<Real>(length * length);
    });
  }
  template <class Loop = PlainLoop>
  void step(const Loop& loop = {}) {
    this->set_fields(u);
    this->args.v2dt2 = v2dt2.data();
    loop.template run<MixedUpdate<Real, Radius>>(this->args);
    std::swap(u.now, u.next);
  }

  Wavefield<Real> u;
  std::vector<Real> v2dt2;
};

/// Waves of variable density; a Δt of 0 becomes the greatest that is stable.
template <class Real, int Radius = stencil_radius>
class DensityRun : public HostGrid<Real, Radius> {
 public:
  DensityRun(const Domain& given, const std::function<double(Index3)>& density)
      : HostGrid<Real, Radius>(given),
        buoyancy(make_buoyancy<Real>(this->grid, density)),
        u(this->grid.layout.size),
        modulus(this->grid.layout.size) {
    limit = density_dt_limit(this->grid, buoyancy, [&](Index3 p) { return this->domain.velocity_of(p); });
    if (this->domain.dt == 0) this->domain.dt = limit;
    this->set_layer();
    this->for_points([&](Index3 p, std::int64_t i) {
      const double length = this->domain.velocity_of(p) * this->domain.dt;
      modulus[i] = static_cast<Real>(length * length * density(p));
    });
  }
  template <class Loop = PlainLoop>
  void step(const Loop& loop = {}) {
    this->set_fields(u);
    DensityArgs<Real, Radius> all{this->args};
    all.v2dt2 = modulus.data();
    all.buoyancy = buoyancy.nodes.data();
    all.buoyancy_x = buoyancy.x.data();
    all.buoyancy_y = buoyancy.y.data();
    all.buoyancy_z = buoyancy.z.data();
    loop.template run<Density<MixedUpdate<Real, Radius>>>(all);
    std::swap(u.now, u.next);
  }

  Buoyancy<Real> buoyancy;
  Wavefield<Real> u;
  std::vector<Real> modulus;  ///< ρ (V Δt)²
  double limit = 0;           ///< limit of Δt, s
};

/// ε and δ of a node.
struct Thomsen {
  double epsilon = 0, delta = 0;
};

/// VTI waves; Δt is the caller's.
template <class Real, int Radius = stencil_radius>
class VtiRun : public HostGrid<Real, Radius> {
 public:
  VtiRun(const Domain& given, const std::function<Thomsen(Index3)>& medium)
      : HostGrid<Real, Radius>(given),
        p(size()),
        q(size()),
        v2dt2(size()),
        horizontal(size()),
        coupling(size()) {
    this->set_layer();
    this->for_points([&](Index3 at, std::int64_t i) {
      const double length = this->domain.velocity_of(at) * this->domain.dt;
      const Thomsen of = medium(at);
      v2dt2[i] = static_cast<Real>(length * length);
      horizontal[i] = static_cast<Real>(1 + 2 * of.epsilon);
      coupling[i] = static_cast<Real>(std::sqrt(1 + 2 * of.delta));
    });
  }
  template <class Loop = PlainLoop>
  void step(const Loop& loop = {}) {
    this->set_fields(p);
    VtiArgs<Real, Radius> all{this->args};
    all.v2dt2 = v2dt2.data();
    all.q = q.now.data();
    all.q_before = all.q_next = q.next.data();
    all.q_phi = q.phi.data();
    all.horizontal = horizontal.data();
    all.coupling = coupling.data();
    loop.template run<Vti<MixedUpdate<Real, Radius>>>(all);
    std::swap(p.now, p.next);
    std::swap(q.now, q.next);
  }

  Wavefield<Real> p, q;
  std::vector<Real> v2dt2, horizontal, coupling;

 private:
  [[nodiscard]] std::int64_t size() const { return this->grid.layout.size; }
};

}  // namespace minimod
