/// How loud the absorbing layer's echo is, as a run expects it and as it is: against the same shot in a
/// domain that is larger by 28 points on each face, behind a CPML of 20.
#include <cmath>
#include <fstream>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/cases/means/reflection.hpp"
#include "validation/cases/means/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::echoes_case {

namespace {

constexpr int room = 28, quiet_width = 20;  // points
constexpr double tolerance = 6;             // dB
constexpr double float_left = -70;          // dB: what is less, an echo and the reference's own, is no matter

/// A shot in a model of n points, positions in m.
struct EchoShot {
  const char* name;
  const char* options;
  Extent3 n;
  double spacing;
  Point3 source;
  std::vector<Point3> receivers;
  bool free_surface = false;
};

const std::vector<EchoShot>& echo_shots() {
  static const std::vector<EchoShot> shots = {
      {"centre",
       "--model constant:2000 --tmax 0.9",
       {41, 41, 41},
       20,
       {400, 400, 400},
       {{0, 400, 400}, {0, 0, 400}, {0, 0, 0}, {200, 300, 100}, {400, 400, 20}}},
      {"streamer",
       "--model constant:2000 --tmax 1.2",
       {81, 31, 31},
       20,
       {100, 300, 60},
       {{200, 300, 60}, {400, 300, 60}, {700, 300, 60}, {1000, 300, 60}, {1300, 300, 60}, {1500, 300, 60}}},
      {"corner",
       "--model constant:2000 --tmax 1.1",
       {41, 41, 41},
       20,
       {60, 60, 60},
       {{60, 60, 400}, {200, 200, 200}, {60, 400, 400}, {700, 60, 60}, {700, 700, 700}, {20, 20, 600}}},
      {"well",
       "--model constant:2000 --tmax 1.2",
       {31, 31, 81},
       20,
       {300, 300, 100},
       {{60, 300, 100}, {60, 300, 400}, {60, 300, 800}, {60, 300, 1200}, {60, 300, 1500}}},
      {"shallow",
       "--model layered:1500@0,3000@100 --free-surface --tmax 1.5",
       {101, 41, 29},
       15,
       {150, 300, 45},
       {{250, 300, 45}, {400, 300, 45}, {700, 300, 45}, {1050, 300, 45}, {1350, 300, 45}},
       true}};
  return shots;
}

constexpr std::pair<BoundaryKind, int> layers[] = {{BoundaryKind::pml, 10},    {BoundaryKind::pml, 27},
                                                   {BoundaryKind::cpml, 6},    {BoundaryKind::cpml, 10},
                                                   {BoundaryKind::sponge, 10}, {BoundaryKind::sponge, 20}};

std::string triple(double x, double y, double z) {
  return text(x, ',', y, ',', z);
}

/// The shot with that layer around its model and `more` points of it.
UserShot shoot(Runner& runner, const EchoShot& shot, BoundaryKind kind, int width, int more,
               const std::string& receivers) {
  const double moved = more * shot.spacing, down = shot.free_surface ? 0 : moved;
  std::ofstream file(receivers);
  for (const Point3& r : shot.receivers) file << triple(r.x + moved, r.y + moved, r.z + down) << '\n';
  file.close();
  const int around = 2 * (width + more), along_z = shot.free_surface ? width + more : around;
  return runner.shot(text(shot.options, " --wavelet ricker:f=10 --spacing ", shot.spacing, " --boundary ",
                          boundary_name(kind), " --pml-width ", width, " --grid ",
                          triple(shot.n.x + around, shot.n.y + around, shot.n.z + along_z), " --source ",
                          triple(shot.source.x + moved, shot.source.y + moved, shot.source.z + down),
                          " --receivers ", receivers));
}

/// The loudest at a receiver, dB of the greatest of its trace.
double measured_echo(const UserShot& shot, const UserShot& quiet) {
  double greatest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < shot.traces.size(); ++i) {
    greatest = std::max(greatest, reflection_decibel(shot.traces[i], quiet.traces[i]));
  }
  return greatest;
}

Figure compare(const std::string& name, double expected, double measured) {
  if (measured < float_left) return at_most(name, expected, float_left + tolerance, "dB");
  return within(name, expected, measured, tolerance, "dB");
}

CaseReport run(Runner& runner) {
  CaseReport report;
  report.setup = {text("The loudest echo that a run says it expects, against the greatest difference from "
                       "the same shot in a"),
                  text("model of ", room, " points more on each face, behind a CPML of ", quiet_width,
                       ", over the greatest value of the trace"),
                  text("there. Five geometries, Ricker 10 Hz; the names have layer and width. Under ",
                       float_left, " dB an expectation is right")};
  const TemporaryDirectory folder;
  const std::string receivers = (folder.path() / "receivers.csv").string();
  for (const EchoShot& shot : echo_shots()) {
    const UserShot quiet = shoot(runner, shot, BoundaryKind::cpml, quiet_width, room, receivers);
    for (const auto& [kind, width] : layers) {
      const std::string name = text(shot.name, '_', boundary_name(kind), '_', width);
      try {
        const UserShot with_layer = shoot(runner, shot, kind, width, 0, receivers);
        const double expected = with_layer.plan.echo ? with_layer.plan.echo->decibel : NAN;
        report.figures.push_back(compare(name, expected, measured_echo(with_layer, quiet)));
      } catch (const Error& refusal) {  // a schedule refuses a boundary that is more than launches
        report.add(name, refusal);
      }
    }
  }
  return report;
}

}  // namespace

CaseBody body() {
  return {"the echo of the absorbing layer that a run expects, against the one that it has", run};
}

}  // namespace minimod::echoes_case
