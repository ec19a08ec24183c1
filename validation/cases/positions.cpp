/// A user's positions in metres, of each kind, on nodes and between them, and the times of the samples.
#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/homogeneous_shot.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::positions_case {

namespace {

constexpr const char* common =
    "--model constant:2000 --spacing 10 --grid 84 --boundary cpml --pml-width 12 --dt 0.5e-3 --tmax 0.45 "
    "--wavelet ricker:f=10,t0=0.15 --source 303.7,296.1,301.9 ";
constexpr Point3 source{303.7, 296.1, 301.9};

/// The greatest error of the traces against the exact ones at the positions that the user wrote.
double worst(const UserShot& shot, const std::vector<Point3>& receivers, Point3 source_used = source) {
  const HomogeneousShot exact{.source = source_used};
  double error = shot.traces.size() == receivers.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(shot.traces.size(), receivers.size()); ++i) {
    error = std::max(error, relative_l2(shot.traces[i], exact.trace(receivers[i], shot.times())));
  }
  return error;
}

CaseReport run(Runner& runner) {
  const TemporaryDirectory folder;
  const std::string file = folder.write("receivers.csv", "id;z;y;x\n7;401.3;398.8;455.5\n9;120;500.1;77.7\n");
  const auto error = [&](const std::string& options, const std::vector<Point3>& receivers) {
    return worst(runner.shot(common + options), receivers);
  };
  CaseReport report;
  report.setup = {text("minimod ", common),
                  "positions in m as the user writes them; the worst trace's relative L2 against",
                  "s(t - r/V) / (4 pi r)"};
  report.figures = {
      at_most("line",
              error("--receivers line:51.2,300,310:552.2,306,289:4",
                    {{51.2, 300, 310}, {218.2, 302, 303}, {385.2, 304, 296}, {552.2, 306, 289}}),
              2e-3),
      at_most(
          "grid",
          error("--receivers grid:103.3,104.4,105.5:503.3,504.4,105.5:2,2",
                {{103.3, 104.4, 105.5}, {503.3, 104.4, 105.5}, {103.3, 504.4, 105.5}, {503.3, 504.4, 105.5}}),
          2e-3),
      at_most("file", error(text("--receivers \"", file, '"'), {{455.5, 398.8, 401.3}, {77.7, 500.1, 120}}),
              2e-3),
      at_most("recorded_every_8th_step",
              error("--record-dt 4e-3 --receivers line:551.7,305,290:551.7,305,290:1", {{551.7, 305, 290}}),
              2e-3)};
  const UserShot nearest =
      runner.shot(text(common, "--interpolation nearest --receivers line:551.7,305,291:551.7,305,291:1"));
  report.figures.push_back(
      at_most("on_the_nearest_nodes", worst(nearest, {{550, 310, 290}}, {300, 300, 300}), 2e-4));
  return report;
}

}  // namespace

CaseBody body() {
  return {"a user's positions and sample times: lines, grids, files, between nodes and on them", run};
}

}  // namespace minimod::positions_case
