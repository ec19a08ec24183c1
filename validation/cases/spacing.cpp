/// A user's shot on a grid with another spacing along each axis.
#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/cases/means/field_comparison.hpp"
#include "validation/cases/means/homogeneous_shot.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::spacing_case {

namespace {

constexpr const char* line =
    "--model constant:2000 --spacing 10,8,12.5 --grid 84,100,72 --boundary cpml --pml-width 12 "
    "--wavelet ricker:f=10,t0=0.15 --source 300,304,300 --dt 0.5e-3 --tmax 0.45 --receivers ";
constexpr const char* names[] = {"along_x", "along_y", "along_z", "aslant"};
constexpr Point3 receivers[] = {{550, 304, 300}, {300, 552, 300}, {300, 304, 550}, {450, 456, 450}};  // m

CaseReport run(Runner& runner) {
  const TemporaryDirectory folder;
  const std::string file =
      folder.write("receivers.csv", "x,y,z\n550,304,300\n300,552,300\n300,304,550\n450,456,450\n");
  const UserShot shot = runner.shot(text(line, '"', file, '"'));
  CaseReport report;
  report.setup = {text("minimod ", line, "receivers.csv"),
                  "on nodes, some 250 m from the source; relative L2 against s(t - r/V) / (4 pi r)"};
  const HomogeneousShot exact{.source = {300, 304, 300}};
  for (int i = 0; i < 4; ++i) {
    const double error = relative_l2(shot.traces[i], exact.trace(receivers[i], shot.times()));
    report.figures.push_back(at_most(names[i], error, 2e-4));
  }
  return report;
}

}  // namespace

CaseBody body() {
  return {"a user's shot, h = 10, 8 and 12.5 m along the axes", run};
}

}  // namespace minimod::spacing_case
