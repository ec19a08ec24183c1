/// Ten runs that are far longer than a shot: nothing grows.
#include "validation/cases/means/long_runs.hpp"

namespace minimod::long_case {

namespace {

using enum BoundaryKind;
using enum LongMedium;

CaseReport run(Runner& runner) {
  const int steps = runner.on_gpu() ? 1'000'000 : 100'000;
  const std::vector<LongRun> runs{{pml, 3, 0.999, false, layered, false, true},
                                  {pml, 4, 0.8, true, layered, false, false},
                                  {pml, 6, 0.999, false, constant, true, true},
                                  {pml, 10, 0.8, false, random, false, false, beside},
                                  {pml, 10, 0.999, true, layered, false, true, whole},
                                  {pml, 8, 0.8, false, constant, false, false, whole},
                                  {cpml, 2, 0.999, false, random, false, false},
                                  {cpml, 6, 0.8, true, layered, true, true},
                                  {sponge, 2, 0.8, false, layered, false, false},
                                  {pml, 0, 0.999, true, random, true, true}};
  return report_long_runs(runner, runs, steps);
}

}  // namespace

CaseBody body() {
  return {"ten runs far longer than a shot: nothing grows", run};
}

}  // namespace minimod::long_case
