/// A user's two layers, from `layered:` and from files that are cropped, decimated, resampled and extruded:
/// the reflection comes from where the interface is.
#include <cmath>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/cases/means/answers/interface_amplitudes.hpp"
#include "validation/cases/means/answers/layered_medium.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/homogeneous_shot.hpp"
#include "validation/cases/means/model_file.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::interfaces_case {

namespace {

constexpr LayeredMedium medium{1500, 2500};        // m/s
constexpr double f = 8, t0 = .1875, offset = 200;  // Hz, s, m
constexpr double source_depth = 100, receiver_depth = 200;
constexpr const char* common =
    "--source 150,150,100 --receivers line:350,150,200:350,150,200:1 --boundary cpml --pml-width 12 "
    "--wavelet ricker:f=8,t0=0.1875 --dt 0.75e-3 --tmax 0.65 --model ";
constexpr float decoy = 4000;  // m/s, of what a file has beyond the part that is taken

/// The error of the reflection at an interface of that depth (m), from its first arrival on.
double error_at(double depth, const UserShot& shot) {
  const double heights = 2 * depth - source_depth - receiver_depth;
  const auto times = shot.times();
  const auto exact =
      reflected_ricker(medium, offset, heights, f, t0, times[1], static_cast<int>(times.size()) - 1);
  const HomogeneousShot direct{medium.c1, f, t0, {150, 150, source_depth}};
  const auto wave = direct.trace({350, 150, receiver_depth}, times);
  std::vector<double> reflected, expected;
  for (auto n = static_cast<std::size_t>(std::hypot(offset, heights) / medium.c1 / times[1]);
       n < times.size(); ++n) {
    reflected.push_back(shot.traces[0][n] - wave[n]);
    expected.push_back(exact[n]);
  }
  return relative_l2(reflected, expected);
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {
      text("minimod ", common, "…"),
      "h = 10 m, 1500 over 2500 m/s, the interface at the depth of the figure's name (m); the reflection",
      "at 200 m offset, relative L2 against Cagniard and de Hoop"};
  const auto add = [&](const std::string& name, double depth, double limit, const std::string& options) {
    report.figures.push_back(at_most(name, error_at(depth, runner.shot(common + options)), limit));
  };
  for (const double depth : {400.0, 402.5, 405.0, 408.0}) {
    add(text("layered_", depth), depth, 0.003,
        text("layered:1500@0,2500@", depth, " --spacing 10 --grid 75,55,75"));
  }
  const TemporaryDirectory folder;
  const auto layers = [](int first_lower) {
    return [=](Index3 p) { return static_cast<float>(p.z < first_lower ? medium.c1 : medium.c2); };
  };
  const auto cropped = write_model(folder.path() / "cropped.h5", {61, 45, 60}, 10, [&](Index3 p) {
    const Index3 q{p.x - 4, p.y - 6, p.z - 3};
    const bool taken = q.x >= 0 && q.x < 51 && q.y >= 0 && q.y < 31 && q.z >= 0 && q.z < 51;
    return taken ? layers(41)(q) : decoy;
  });
  add("cropped_405", 405, 0.02, text('"', cropped, "\" --crop 4:55,6:37,3:54"));
  const auto fine = write_model(folder.path() / "fine.h5", {101, 61, 101}, 5, layers(81));
  add("decimated_402.5", 402.5, 0.003, text('"', fine, "\" --decimate 2"));
  const auto other = write_model(folder.path() / "other.h5", {64, 1, 64}, 8, layers(51));
  add("resampled_extruded_404", 404, 0.003, text('"', other, "\" --spacing 10 --extrude 31"));
  add_amplitudes(report, runner);
  return report;
}

}  // namespace

CaseBody body() {
  return {"a user's layers, between nodes, thin and dipping, from files cut and resampled", run};
}

}  // namespace minimod::interfaces_case
