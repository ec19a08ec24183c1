/// The interpreter of stencils against loops that are written by hand.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "src/stencil/interpreter.hpp"
#include "src/stencil/language/parser.hpp"
#include "src/stencil/language/shipped.hpp"
#include "src/stencil/start_values.hpp"

using namespace minimod;
using namespace minimod::stencil;

namespace {

constexpr Extent3 awkward{5, 4, 3};
constexpr double rounding = 1e-14;

int index_of(const Specification& specification, const std::string& array) {
  for (std::size_t i = 0; i < specification.arrays.size(); ++i) {
    if (specification.arrays[i].name == array) return static_cast<int>(i);
  }
  FAIL(array);
  return 0;
}

/// An array by its name before any step, as a function of the point.
std::function<double(int, int, int)> start_of(const Specification& specification, const std::string& array) {
  const int index = index_of(specification, array);
  return [&specification, index](int x, int y, int z) {
    return StartValues(specification, index, awkward).at({x, y, z});
  };
}

/// Whether the array has the values that `expected(x, y, z)` gives.
void check_field(const Interpreter& interpreter, const std::string& array, const auto& expected) {
  const int index = index_of(interpreter.specification(), array);
  for (int z = 0; z < awkward.z; ++z) {
    for (int y = 0; y < awkward.y; ++y) {
      for (int x = 0; x < awkward.x; ++x) {
        const double right = expected(x, y, z);
        CAPTURE(array, x, y, z);
        CHECK(std::abs(interpreter.value(index, {x, y, z}) - right) <= rounding * (1 + std::abs(right)));
      }
    }
  }
}

Specification written(const std::string& specification) {
  return parse_specification(specification, "x.stencil");
}

double solution(Index3 p) {
  return std::sin(0.7 * p.x + 0.3 * p.y) + 0.02 * p.z * p.z * std::cos(p.y);
}

/// Steps of poisson.stencil from u = 0 with sides and a right side for which `solution` solves it, until it
/// is 1e-10 away from that at most.
int steps_to_solution(Sweep sweep) {
  const Specification specification = find_specification("poisson");
  const int u = index_of(specification, "u"), f = index_of(specification, "f"),
            u1 = index_of(specification, "u1");
  constexpr Extent3 n{9, 8, 7};
  Interpreter interpreter(specification, n);
  std::vector<Index3> grid;
  for (int z = -1; z <= n.z; ++z) {
    for (int y = -1; y <= n.y; ++y) {
      for (int x = -1; x <= n.x; ++x) {
        const bool is_inside = Box3{{}, {n.x, n.y, n.z}}.contains({x, y, z});
        if (is_inside) grid.push_back({x, y, z});
        for (const int array : {u, u1})
          interpreter.set_value(array, {x, y, z}, is_inside ? 0 : solution({x, y, z}));
      }
    }
  }
  for (const auto& [x, y, z] : grid) {
    interpreter.set_value(f, {x, y, z},
                          solution({x - 1, y, z}) + solution({x + 1, y, z}) + solution({x, y - 1, z}) +
                              solution({x, y + 1, z}) + solution({x, y, z - 1}) + solution({x, y, z + 1}) -
                              6 * solution({x, y, z}));
  }
  for (int steps = 1; steps < 1000; ++steps) {
    interpreter.step(sweep);
    double greatest = 0;
    for (const Index3& p : grid)
      greatest = std::max(greatest, std::abs(interpreter.value(u, p) - solution(p)));
    if (greatest <= 1e-10) return steps;
  }
  return 0;
}

}  // namespace

TEST_CASE("Seven points of six weights, 20 steps by hand", "[unit]") {
  constexpr int nx = awkward.x + 2, ny = awkward.y + 2, nz = awkward.z + 2;
  const Specification specification = find_specification("seven_point");
  std::vector<double> u(nx * ny * nz);
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        u[(z * ny + y) * nx + x] = StartValues(specification, 0, awkward).at({x - 1, y - 1, z - 1});
      }
    }
  }
  Interpreter interpreter(specification, awkward);
  for (int step = 0; step < 20; ++step) {
    std::vector<double> v = u;
    for (int z = 1; z < nz - 1; ++z) {
      for (int y = 1; y < ny - 1; ++y) {
        for (int x = 1; x < nx - 1; ++x) {
          const int p = (z * ny + y) * nx + x;
          v[p] = 0.4 * u[p] + 0.06 * u[p - 1] + 0.14 * u[p + 1] + 0.08 * u[p - nx] + 0.12 * u[p + nx] +
                 0.09 * u[p - nx * ny] + 0.11 * u[p + nx * ny];
        }
      }
    }
    u = v;
    interpreter.step();
  }
  check_field(interpreter, "u", [&](int x, int y, int z) { return u[((z + 1) * ny + y + 1) * nx + x + 1]; });
}

TEST_CASE("A step of Himeno's benchmark by hand", "[unit]") {
  const Specification specification = find_specification("himeno");
  const auto of = [&](const std::string& array) { return start_of(specification, array); };
  const auto p = of("p"), a0 = of("a0"), a1 = of("a1"), a2 = of("a2"), a3 = of("a3"), b0 = of("b0"),
             b1 = of("b1"), b2 = of("b2"), c0 = of("c0"), c1 = of("c1"), c2 = of("c2"), wrk1 = of("wrk1"),
             bnd = of("bnd");
  Interpreter interpreter(specification, awkward);
  interpreter.step();
  check_field(interpreter, "p", [&](int x, int y, int z) {
    const auto off = [&](int dx, int dy, int dz) { return p(x + dx, y + dy, z + dz); };
    const auto at = [&](const auto& weight) { return weight(x, y, z); };
    const double sum = at(a0) * off(0, 0, 1) + at(a1) * off(0, 1, 0) + at(a2) * off(1, 0, 0) +
                       at(c0) * off(0, 0, -1) + at(c1) * off(0, -1, 0) + at(c2) * off(-1, 0, 0) + at(wrk1) +
                       at(b0) * (off(0, 1, 1) - off(0, -1, 1) - off(0, 1, -1) + off(0, -1, -1)) +
                       at(b1) * (off(1, 1, 0) - off(-1, 1, 0) - off(1, -1, 0) + off(-1, -1, 0)) +
                       at(b2) * (off(1, 0, 1) - off(-1, 0, 1) - off(1, 0, -1) + off(-1, 0, -1));
    return off(0, 0, 0) + 0.8 * ((sum * at(a3) - off(0, 0, 0)) * at(bnd));
  });
}

TEST_CASE("Several outputs, of arrays that no step changes", "[unit]") {
  const Specification specification = find_specification("grad");
  const auto f = start_of(specification, "f");
  Interpreter interpreter(specification, awkward);
  CHECK(std::isnan(interpreter.value(index_of(specification, "gx"), {0, 0, 0})));
  interpreter.step();
  interpreter.step();
  check_field(interpreter, "f", f);
  check_field(interpreter, "gx",
              [&](int x, int y, int z) { return (f(x + 1, y, z) - f(x - 1, y, z)) / 1.6; });
  check_field(interpreter, "gy",
              [&](int x, int y, int z) { return (f(x, y + 1, z) - f(x, y - 1, z)) / 2.0; });
  check_field(interpreter, "gz",
              [&](int x, int y, int z) { return (f(x, y, z + 1) - f(x, y, z - 1)) / 2.5; });
}

TEST_CASE("Temporaries, quotients and points on one side alone", "[unit]") {
  const Specification specification = written(
      "in double a; in double b from 1 to 2; out double s, d;\nscalar half = 1 / 2;\n"
      "t = a[i-2,j,k] * half; r = t / b[i,j,k+1]; t += 3 - -r;\n"
      "d[i,j,k] = t - r; s[i,j,k] = t * t;");
  const auto a = start_of(specification, "a"), b = start_of(specification, "b");
  Interpreter interpreter(specification, awkward);
  interpreter.step();
  const auto r = [&](int x, int y, int z) { return a(x - 2, y, z) / 2 / b(x, y, z + 1); };
  const auto t = [&](int x, int y, int z) { return a(x - 2, y, z) / 2 + 3 + r(x, y, z); };
  check_field(interpreter, "d", [&](int x, int y, int z) { return t(x, y, z) - r(x, y, z); });
  check_field(interpreter, "s", [&](int x, int y, int z) { return t(x, y, z) * t(x, y, z); });
}

TEST_CASE("Three arrays take over each other's values", "[unit]") {
  const Specification specification = written(
      "in double u, before; out double after;\nnext before = u; next u = after;\n"
      "after[i,j,k] = 2 * u[i,j,k] - before[i,j,k] + 0.1 * (u[i-1,j,k] - 2 * u[i,j,k] + u[i+1,j,k]);");
  const auto u = start_of(specification, "u"), before = start_of(specification, "before");
  Interpreter interpreter(specification, awkward);
  // One step, then two: the halo is the same in all of them.
  const auto one = [&](int x, int y, int z) {
    if (x < 0 || x >= awkward.x) return u(x, y, z);
    return 2 * u(x, y, z) - before(x, y, z) + 0.1 * (u(x - 1, y, z) - 2 * u(x, y, z) + u(x + 1, y, z));
  };
  const auto two = [&](int x, int y, int z) {
    return 2 * one(x, y, z) - u(x, y, z) + 0.1 * (one(x - 1, y, z) - 2 * one(x, y, z) + one(x + 1, y, z));
  };
  CHECK(results_of(specification) == std::vector<int>{0, 1});
  interpreter.step();
  check_field(interpreter, "u", one);
  check_field(interpreter, "before", u);
  interpreter.step();
  check_field(interpreter, "u", two);
  check_field(interpreter, "before", one);
}

TEST_CASE("Relaxed colour by colour, Poisson's equation is solved in half of Jacobi's steps", "[unit]") {
  const int jacobi = steps_to_solution(Sweep::at_once), red_black = steps_to_solution(Sweep::red_black);
  CAPTURE(jacobi, red_black);
  CHECK(red_black > 0);
  CHECK(std::abs(jacobi - 2 * red_black) <= 4);  // Young 1954: the square of the spectral radius
}

TEST_CASE("20 steps of every shipped stencil stay finite, and differ from the first", "[unit]") {
  for (const std::string& name : shipped_names()) {
    CAPTURE(name);
    const Specification specification = find_specification(name);
    Interpreter interpreter(specification, {7, 3, 5});
    for (int step = 0; step < 20; ++step) interpreter.step();
    for (const int result : results_of(specification)) {
      const double value = interpreter.value(result, {3, 1, 2});
      CHECK(std::abs(value) < 10);
      CHECK(value != StartValues(specification, result, {7, 3, 5}).at({3, 1, 2}));
    }
  }
}

TEST_CASE("Start values lie in their range, and in their array's precision", "[unit]") {
  const Specification specification = written(
      "in float a from 0.1 to 0.3; in double b from 4 to 4; out float c; next a = c;\n"
      "c[i,j,k] = a[i+1,j,k] * b[i,j,k];");
  for (int x = 0; x <= awkward.x; ++x) {
    const double a = StartValues(specification, 0, awkward).at({x, 1, 1});
    CHECK((a >= 0.1F && a <= 0.3F && a == static_cast<float>(a)));
    CHECK(StartValues(specification, 1, awkward).at({x, 1, 1}) == 4);
  }
  CHECK(StartValues(specification, 2, awkward).at({-1, 0, 0}) ==
        StartValues(specification, 0, awkward).at({-1, 0, 0}));
  CHECK(std::isnan(StartValues(specification, 2, awkward).at({4, 3, 2})));
}
