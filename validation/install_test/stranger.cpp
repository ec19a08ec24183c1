// The same in C++: a source that is set, and the field where the device has it.
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <minimod/minimod.h>

int main() {
  constexpr int edge = 45, middle = edge / 2, away = 6;
  minimod_problem problem = minimod_default_problem();
  for (int axis = 0; axis < 3; ++axis) {
    problem.points[axis] = edge;
    problem.spacing[axis] = 10;
  }
  problem.device = "cpu";
  minimod_simulation* made = nullptr;
  minimod_status status = minimod_create(&problem, &made);
  const std::unique_ptr<minimod_simulation, void (*)(minimod_simulation*)> simulation(made, minimod_free);
  const std::vector<float> velocity(edge * edge * edge, 2000);
  const double source[] = {middle * 10, middle * 10, middle * 10}, signature[] = {1, 2, 1};
  minimod_field field{};
  if (!status) status = minimod_set_medium(made, velocity.data(), 0);
  if (!status) status = minimod_set_sources(made, 1, source, 3, signature);
  if (!status) status = minimod_step(made, 20);
  if (!status) status = minimod_get_field(made, &field);
  if (status) return std::puts(minimod_last_error(made)), status;
  const float* u = static_cast<const float*>(field.data) + middle * (1 + field.stride_y + field.stride_z);
  const float along_x = u[away], along_z = u[-away * field.stride_z];
  std::printf("u = %g and %g\n", along_x, along_z);
  return along_x != 0 && std::abs(along_x - along_z) < 1e-5F * std::abs(along_x) ? 0 : 1;
}
