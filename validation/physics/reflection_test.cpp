/// The reflections that a run prints are those that its layers have.
#include "validation/cases/reflection.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "src/commands/shot_line.hpp"

using namespace minimod;

TEST_CASE("Rows of the table of reflections are what is measured now", "[physics]") {
  KernelOptions options;
  options.device.kind = DeviceOption::Kind::cpu;
  Runner runner(options, parse_shot);
  const ReflectionMeter meter(runner);
  for (const auto& [kind, width] :
       {std::pair{BoundaryKind::pml, 10}, {BoundaryKind::cpml, 4}, {BoundaryKind::sponge, 10}}) {
    INFO(boundary_name(kind) << ' ' << width);
    const Reflection found = meter.measure(kind, width), row = *measured_reflection(kind, width);
    CHECK(std::abs(found.face - row.face) < 1);
    CHECK(std::abs(found.edge - row.edge) < 1);
    CHECK(std::abs(found.corner - row.corner) < 1);
    CHECK(std::abs(found.grazing - row.grazing) < 1);
  }
}
