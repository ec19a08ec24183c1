/* A stranger's program: a source of its own at a node, against the exact wave.  stranger [DEVICE]
 * Ends with the status of what failed, 1 where the wave is another. */
#include <math.h>
#include <minimod/minimod.h>
#include <minimod/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { edge = 61, middle = edge / 2, steps = 700, away = 16 };
static const double pi = 3.14159265358979324, h = 10, V = 2000, dt = 5e-4;

static double ricker(double t) {
  const double a = pow(pi * 15 * (t - 0.1), 2);
  return (1 - 2 * a) * exp(-a);
}

static void check(minimod_status status, const minimod_simulation* simulation) {
  if (status == MINIMOD_OK) return;
  fprintf(stderr, "stranger: %s\n", minimod_last_error(simulation));
  exit(status);
}

int main(int argc, char** argv) {
  static float velocity[edge * edge * edge], trace[steps + 1];
  const int node[] = {middle, middle, middle};
  const double receiver[] = {(middle + away) * h, middle * h, middle * h};
  minimod_problem problem = minimod_default_problem();
  for (int axis = 0; axis < 3; ++axis) {
    problem.points[axis] = edge;
    problem.spacing[axis] = h;
  }
  problem.frequency = 15;
  problem.device = argc > 1 ? argv[1] : "cpu";
  for (int i = 0; i < edge * edge * edge; ++i) velocity[i] = (float)V;

  minimod_simulation* simulation = NULL;
  check(minimod_create(&problem, &simulation), NULL);
  check(minimod_set_medium(simulation, velocity, dt), simulation);
  check(minimod_set_receivers(simulation, 1, receiver), simulation);
  for (int n = 0; n < steps; ++n) {
    check(minimod_step(simulation, 1), simulation);
    check(minimod_add_to_node(simulation, node, pow(V * dt, 2) * ricker(n * dt) / (h * h * h)), simulation);
  }
  check(minimod_fetch_traces(simulation, trace, steps + 1, NULL), simulation);
  minimod_free(simulation);

  double error = 0, all = 0;
  for (int n = 0; n <= steps; ++n) {
    const double exact = ricker(n * dt - away * h / V) / (4 * pi * away * h);
    error += pow(trace[n] - exact, 2);
    all += exact * exact;
  }
  printf("minimod %s on %s: error %.4f\n", MINIMOD_VERSION, problem.device, sqrt(error / all));
  return sqrt(error / all) < 0.02 && strcmp(MINIMOD_VERSION, minimod_version()) == 0 ? 0 : 1;
}
