/// More runs that are far longer than a shot, thick layers among them.
#include "validation/cases/means/long_runs.hpp"

namespace minimod::long_all_case {

namespace {

using enum BoundaryKind;
using enum LongMedium;

CaseReport run(Runner& runner) {
  const int steps = runner.on_gpu() ? 300'000 : 100'000;
  const std::vector<LongRun> runs{{pml, 3, 0.8, true, layered, true, false},
                                  {pml, 4, 0.999, false, random, false, true, beside},
                                  {pml, 6, 0.8, true, random, false, true, whole},
                                  {pml, 10, 0.999, false, layered, true, false},
                                  {pml, 20, 0.999, false, random, false, true, whole},
                                  {pml, 20, 0.8, true, layered, true, false},
                                  {pml, 27, 0.8, false, constant, false, true, whole},
                                  {pml, 27, 0.999, true, random, false, false, beside},
                                  {cpml, 2, 0.8, true, layered, true, true},
                                  {cpml, 4, 0.999, false, random, true, false},
                                  {cpml, 10, 0.8, true, random, false, true},
                                  {cpml, 20, 0.999, false, layered, false, true},
                                  {cpml, 27, 0.8, false, constant, true, false},
                                  {sponge, 1, 0.999, true, random, true, true},
                                  {sponge, 4, 0.8, true, random, false, true},
                                  {sponge, 6, 0.999, false, constant, false, true},
                                  {sponge, 10, 0.999, true, layered, true, false},
                                  {sponge, 20, 0.8, false, random, false, false},
                                  {sponge, 27, 0.999, true, layered, false, true},
                                  {pml, 0, 0.8, false, layered, false, false}};
  return report_long_runs(runner, runs, steps);
}

}  // namespace

CaseBody body() {
  return {"twenty more of them, with layers to 27 points: an hour on two cores", run};
}

}  // namespace minimod::long_all_case
