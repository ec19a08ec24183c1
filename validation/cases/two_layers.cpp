/// A point source over a faster half space: direct wave and reflection, exact at zero offset and beyond.
#include "src/base/error.hpp"
#include "validation/cases/means/answers/layered_medium.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/ricker_error.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::two_layers_case {

namespace {

constexpr LayeredMedium medium{1500, 2500};                             // m/s
constexpr double f = 12, t0 = 0.125, h = 5, dt = 0.25e-3, end = 0.45;   // Hz, s, m, s, s
constexpr double source_height = 35.5 * h, receiver_height = 25.5 * h;  // above the interface, m
constexpr double heights = source_height + receiver_height;
/// The project's, at zero offset and these velocities, h and f; their heights are not known, on which they
/// depend by some percent.
constexpr double whole_figure = 3.8e-4, reflected_figure = 9.6e-3;
constexpr int offsets[] = {0, 10, 20, 30};  // nodes; 45.5 would be critical
const int steps = static_cast<int>(std::lround(end / dt));

struct ExactTrace {
  std::vector<double> direct, reflected;
  int window = 0;  ///< first sample of the reflection's window
};

ExactTrace exact_trace(double offset) {
  ExactTrace exact;
  exact.direct = times(dt, steps);
  const double r = std::hypot(offset, source_height - receiver_height);
  for (double& t : exact.direct) t = point_source(r, medium.c1, t, f, t0);
  exact.reflected = reflected_ricker(medium, offset, heights, f, t0, dt, steps);
  exact.window = static_cast<int>(std::hypot(offset, heights) / medium.c1 / dt);
  return exact;
}

/// The traces at the offsets; nothing returns from the box's sides before the end, over the lower layer
/// neither.
std::vector<std::vector<double>> run_layers(Runner& runner) {
  constexpr int interface = 98;  // the first node of the lower layer: the interface lies half a cell above
  const Index3 source{70, 70, interface - 36};
  Domain domain{{156, 141, 158}, h, dt};
  domain.velocity_at = [](Index3 p) { return p.z < interface ? medium.c1 : medium.c2; };
  std::vector<Index3> receivers;
  for (const int offset : offsets) receivers.push_back({source.x + offset, source.y, interface - 26});
  return runner.traces(domain, source, ricker_samples(f, t0, dt, steps), receivers, steps);
}

std::vector<double> sum(const std::vector<double>& a, const std::vector<double>& b, double sign) {
  std::vector<double> result(a);
  for (std::size_t i = 0; i < a.size(); ++i) result[i] += sign * b[i];
  return result;
}

Picture draw(const std::vector<std::vector<double>>& traces) {
  Picture picture{
      "Two layers: the reflection (trace without the direct wave)", "t (s)", "u", false, false, {}};
  const auto t = times(dt, steps);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const ExactTrace exact = exact_trace(offsets[i] * h);
    picture.curves.push_back({text("exact, offset ", offsets[i] * h, " m"), t, exact.reflected});
    picture.curves.push_back({text("minimod, ", offsets[i] * h, " m"), t, sum(traces[i], exact.direct, -1)});
  }
  return picture;
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      text(medium.c1, " over ", medium.c2, " m/s, source ", source_height, " m and receivers ",
           receiver_height, " m above the interface, which lies half a cell above the first"),
      text("node of the lower layer; h = ", h, " m, dt = ", dt, " s, Ricker ", f, " Hz, ", steps,
           " steps; relative L2 against the direct wave and the"),
      "reflection by Cagniard and de Hoop: of the whole trace, and of the reflection from its first "
      "arrival on"};
  const auto traces = run_layers(runner);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const ExactTrace exact = exact_trace(offsets[i] * h);
    const auto from = [&](const std::vector<double>& trace) {
      return std::vector<double>(trace.begin() + exact.window, trace.end());
    };
    const auto reflected = sum(traces[i], exact.direct, -1);
    const double error = relative_l2(from(reflected), from(exact.reflected));
    if (offsets[i] == 0) {
      const double whole = relative_l2(traces[i], sum(exact.direct, exact.reflected, 1));
      report.figures = {within("whole_zero_offset", whole, whole_figure, 0.05 * whole_figure),
                        within("reflected_zero_offset", error, reflected_figure, 0.05 * reflected_figure)};
    } else {
      report.figures.push_back(
          at_most(text("reflected_offset_", offsets[i] * h, "m"), error, reflected_figure));
    }
  }
  report.pictures = {draw(traces)};
  return report;
}

}  // namespace

CaseBody body() {
  return {"a point source over a faster half space, exact at zero and pre-critical offsets", run};
}

}  // namespace minimod::two_layers_case
