#include "src/solver/equation_facts.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/equations/density_medium.hpp"
#include "kernels/random_field.hpp"
#include "src/base/error.hpp"
#include "src/solver/numerics/time_step.hpp"

namespace minimod {

namespace {

double of_first_medium(std::size_t, std::span<const double> media) {
  return media[0];
}

EquationFacts wave() {
  EquationFacts facts;
  facts.formula = "(1/V^2) u_tt - laplacian(u) = s(t) delta(x - x_s)";
  facts.scaling = "u+ += (V dt)^2 s(t) / (hx hy hz); a unit source gives u = s(t - r/V) / (4 pi r)";
  facts.source = of_first_medium;
  return facts;
}

EquationFacts jacobi() {
  EquationFacts facts = wave();
  facts.equation = Equation::jacobi;
  facts.reads_u_alone = true;
  return facts;
}

// ---- variable density: column 0 is rho, kg/m³ ----

std::function<double(Index3)> density_of(const MediumColumns& columns) {
  return [&columns](Index3 p) { return columns.at(0, p); };
}

EquationFacts density() {
  EquationFacts facts;
  facts.equation = Equation::density;
  facts.media = {"modulus", "buoyancy", "buoyancy_x", "buoyancy_y", "buoyancy_z"};
  facts.columns = {"rho"};
  facts.usual = {1000};
  facts.formula = "1/(rho V^2) p_tt - div(grad(p) / rho) = s(t) delta(x - x_s)";
  facts.scaling =
      "p+ += rho (V dt)^2 s(t) / (hx hy hz); where rho is constant a unit source gives rho s(t - r/V) / (4 "
      "pi r)";
  facts.refusal = [](std::span<const double> columns) {
    return columns[0] > 0 ? "" : text("rho is ", columns[0], " kg/m^3, and must be above 0");
  };
  facts.modulus = [](std::span<const double> columns) { return columns[0]; };
  facts.fastest = facts.slowest = [](std::span<const double>) { return 1.0; };
  facts.further_media = [](const Grid& grid, const MediumColumns& columns) {
    Buoyancy<double> b = make_buoyancy<double>(grid, density_of(columns));
    return std::vector{std::move(b.nodes), std::move(b.x), std::move(b.y), std::move(b.z)};
  };
  facts.dt_limit = [](const Grid& grid, const MediumColumns& columns,
                      const std::function<double(Index3)>& velocity) {
    return density_dt_limit(grid, make_buoyancy<double>(grid, density_of(columns)), velocity);
  };
  facts.source = of_first_medium;
  return facts;
}

// ---- VTI: columns 0 and 1 are Thomsen's ε and δ ----

std::vector<double> over_grid(const Grid& grid, const std::function<double(Index3)>& value) {
  std::vector<double> made(grid.layout.size);
  for (int z = 0; z < grid.n.z; ++z) {
    for (int y = 0; y < grid.n.y; ++y) {
      for (int x = 0; x < grid.n.x; ++x) made[grid.layout.index(x, y, z)] = value({x, y, z});
    }
  }
  return made;
}

EquationFacts vti() {
  EquationFacts facts;
  facts.equation = Equation::vti;
  facts.wavefields = {"p", "q"};
  facts.media = {"v2dt2", "horizontal", "coupling"};
  facts.columns = {"epsilon", "delta"};
  facts.usual = {0.24, 0.1};
  facts.has_cpml = false;
  facts.has_free_surface = false;
  facts.formula =
      "p_tt = V^2 [(1 + 2 eps) (dxx + dyy) p + sqrt(1 + 2 delta) dzz q], q_tt = V^2 [sqrt(1 + 2 delta) (dxx "
      "+ dyy) "
      "p + dzz q], a source s(t) delta(x - x_s) of the strain, two thirds of it across";
  facts.scaling =
      "where eps = delta = 0: p+ += (V dt)^2 s(t) / (hx hy hz); a unit source gives p = q = s(t - r/V) / (4 "
      "pi r)";
  facts.refusal = [](std::span<const double> columns) {
    const double epsilon = columns[0], delta = columns[1];
    if (!(delta > -0.5)) return text("delta is ", delta, ", and must be above -0.5");
    return epsilon >= delta
               ? std::string()
               : text("epsilon is ", epsilon, ", less than delta, ", delta, ": waves would grow");
  };
  facts.modulus = [](std::span<const double>) { return 1.0; };
  facts.fastest = [](std::span<const double> columns) {
    return std::sqrt(1 + 2 * std::max(0.0, columns[0]));
  };
  facts.slowest = [](std::span<const double> columns) {
    return std::sqrt(1 + 2 * std::min(0.0, columns[1]));
  };
  facts.further_media = [](const Grid& grid, const MediumColumns& columns) {
    return std::vector{over_grid(grid, [&](Index3 p) { return 1 + 2 * columns.at(0, p); }),
                       over_grid(grid, [&](Index3 p) { return std::sqrt(1 + 2 * columns.at(1, p)); })};
  };
  facts.dt_limit = [](const Grid& grid, const MediumColumns& columns,
                      const std::function<double(Index3)>& velocity) {
    double fastest = 0, epsilon = -0.5, delta = -0.5;
    static_cast<void>(over_grid(grid, [&](Index3 p) {
      fastest = std::max(fastest, velocity(p));
      epsilon = std::max(epsilon, columns.at(0, p));
      return delta = std::max(delta, columns.at(1, p));
    }));
    return vti_dt_limit(fastest, epsilon, delta, grid.spacing, grid.difference());
  };
  // A source of the strain, a third along each axis, to whose stresses Hooke's law takes it.
  facts.source = [](std::size_t wavefield, std::span<const double> media) {
    const double h = media[1], c = media[2];
    return media[0] * ((wavefield == 0 ? 2 * h + c : 2 * c + 1) / 3);
  };
  return facts;
}

}  // namespace

const EquationFacts& facts_of(Equation equation) {
  static const EquationFacts all[] = {wave(), jacobi(), density(), vti()};
  return *std::ranges::find(all, equation, &EquationFacts::equation);
}

int values_of_point(Equation equation, bool damps) {
  const EquationFacts& facts = facts_of(equation);
  if (facts.reads_u_alone) return 2;
  return static_cast<int>((damps ? 5 : 3) * facts.wavefields.size() + facts.media.size());
}

MediumColumns usual_columns(Equation equation, int planes) {
  return {{1, 1, planes},
          [usual = facts_of(equation).usual](std::size_t column, Index3) { return usual[column]; }};
}

MediumColumns random_columns(Equation equation, Extent3 n) {
  return {n, [usual = facts_of(equation).usual](std::size_t column, Index3 p) {
            return usual[column] * (1 + 0.3 * random_value(3, p.x, p.y, p.z));
          }};
}

double dt_limit_of(Equation equation, double v_max, Point3 spacing, Difference difference,
                   const MediumColumns& columns) {
  const auto limit = facts_of(equation).dt_limit;
  if (limit == nullptr) return stable_dt_limit(v_max, spacing, difference);
  return limit(make_grid(columns.n, spacing, 0, difference), columns, [=](Index3) { return v_max; });
}

std::vector<double> values_at(const MediumColumns& columns, std::size_t count, Index3 p) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = columns.at(i, p);
  return values;
}

}  // namespace minimod
