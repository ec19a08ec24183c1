/// The free surface: the field under it is that of the source minus that of its image above.
#include <cmath>

#include "src/base/error.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/ricker_error.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::free_surface_case {

namespace {

constexpr double f = 15, t0 = 0.1, end = 0.4, velocity = 2000;  // Hz, s, s, m/s
constexpr double depth = 100, offset = 200;                     // m, of source and receiver, of the receiver

/// The box from whose sides nothing returns before the end, with the source at the depth of 100 m.
struct Setup {
  double h, dt;
  int above;  ///< nodes from the surface to the grid's first plane
  [[nodiscard]] int nodes(double metres) const { return static_cast<int>(std::lround(metres / h)); }
  [[nodiscard]] int steps() const { return static_cast<int>(std::lround(end / dt)); }
  [[nodiscard]] Index3 source() const { return {nodes(320), nodes(360), above + nodes(depth)}; }
  [[nodiscard]] Index3 receiver(double z) const {
    return {source().x + nodes(offset), source().y, above + nodes(z)};
  }
  [[nodiscard]] Domain domain() const {
    Domain domain{{nodes(840) + 1, nodes(720) + 1, above + nodes(depth + 360) + 1}, h, dt};
    domain.velocity = velocity;
    domain.free_surface = above == 0;
    return domain;
  }
};

std::vector<std::vector<double>> traces(Runner& runner, const Setup& setup,
                                        const std::vector<Index3>& receivers) {
  return runner.traces(setup.domain(), setup.source(), ricker_samples(f, t0, setup.dt, setup.steps()),
                       receivers, setup.steps());
}

/// Against the full space, in which the image of the source reaches the receiver as the source its image.
double error_of_images(Runner& runner) {
  const Setup half{10, 2e-3, 0}, full{10, 2e-3, half.nodes(depth + 360)};
  const auto under = traces(runner, half, {half.receiver(depth), half.receiver(half.h)});
  const auto direct = traces(runner, full, {full.receiver(depth), full.receiver(full.h)});
  const auto image = traces(runner, full, {full.receiver(-depth), full.receiver(-full.h)});
  double worst = 0;
  for (std::size_t i = 0; i < under.size(); ++i) {
    std::vector<double> with_image = under[i];
    for (std::size_t n = 0; n < with_image.size(); ++n) with_image[n] += image[i][n];
    worst = std::max(worst, relative_l2(with_image, direct[i]));
  }
  return worst;
}

double error_of_closed_form(Runner& runner, Picture& picture) {
  const Setup setup{5, 0.25e-3, 0};
  const auto trace = traces(runner, setup, {setup.receiver(depth)}).front();
  const std::vector<double> t = times(setup.dt, setup.steps());
  std::vector<double> exact(t.size());
  for (std::size_t n = 0; n < t.size(); ++n) {
    exact[n] = point_source(offset, velocity, t[n], f, t0) -
               point_source(std::hypot(offset, 2 * depth), velocity, t[n], f, t0);
  }
  picture = {"Free surface: direct wave and ghost",
             "t (s)",
             "u",
             false,
             false,
             {{"closed form", t, exact}, {"minimod", t, trace}}};
  return relative_l2(trace, exact);
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      "2000 m/s, Ricker 15 Hz, t0 = 0.1 s, source and receiver 100 m deep, 200 m apart, 0.4 s; relative L2",
      "images: h = 10 m, dt = 2 ms, with the image's wave added against the full space, there and a node",
      "below the surface; closed form: h = 5 m, dt = 0.25 ms, against",
      "s(t - r1/V) / (4 pi r1) - s(t - r2/V) / (4 pi r2), r1 = 200 m, r2 = 282.8 m, to which the steps in",
      "time alone give the two waves errors of 4.8e-4 and 6.8e-4"};
  Picture picture;
  report.figures = {at_most("images", error_of_images(runner), 3e-6),
                    at_most("closed_form", error_of_closed_form(runner, picture), 6.0e-4)};
  report.pictures = {picture};
  return report;
}

}  // namespace

CaseBody body() {
  return {"u = 0 on z = 0: the source minus its image", run};
}

}  // namespace minimod::free_surface_case
