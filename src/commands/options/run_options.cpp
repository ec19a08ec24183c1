#include <algorithm>

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/base/precision_names.hpp"
#include "src/base/process/threads.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

const Schedule& parse_schedule(const std::string& value, const std::string& option) {
  if (const Schedule* found = find_schedule(value)) return *found;
  throw Error(ErrorKind::parameter, text(option, " is '", escaped(value), "'"),
              "give one of " + joined(all_schedules(), ", ", &Schedule::name));
}

std::string schedule_help() {
  const auto meaning = [](const Schedule* one) { return text(one->name(), " (", one->summary(), ')'); };
  return joined(all_schedules(), ", ", meaning) + "; without it, what the kernel is made for";
}

}  // namespace

void add_device(OptionTable& table, KernelOptions& o) {
  table.value("--device", "DEVICE", groups::run, device_forms,
              [&o](const auto& v, const auto&) { o.device = parse_device(v); });
  // Kokkos takes the number when it starts, after the options are read.
  table.value(
      "--threads", "N", groups::run, "threads of the CPU (all, or what OMP_NUM_THREADS says)",
      [](const auto& v, const auto& name) { use_threads(parse_int(v, name, 1, available_threads())); });
}

void add_kernels(OptionTable& table, KernelOptions& o, const char* kernel_help) {
  table.value("-k,--kernel", "NAME", groups::run, kernel_help, o.kernel);
  table.value("--pml-kernel", "NAME", groups::run, "code shape of the six PML kernels (that of --kernel)",
              o.pml_kernel);
  add_device(table, o);
  table.value("--schedule", "S", groups::run, schedule_help().c_str(),
              [&o](const auto& v, const auto& name) { o.schedule = &parse_schedule(v, name); });
}

void add_order(OptionTable& table, KernelOptions& o) {
  table.value(
      "--order", "N", groups::run,
      "of the difference in space: 2, 4, … 16 (8); kernels of others are compiled when they are needed",
      [&o](const auto& v, const auto& name) {
        o.order = parse_int(v, name, 2, 2 * most_radius);
        if (o.order % 2 == 0) return;
        throw Error(ErrorKind::parameter, text(name, " is ", o.order),
                    text("give an even number from 2 to ", 2 * most_radius));
      });
}

void add_stencil_weights(OptionTable& table, GridOptions& o) {
  table.value(
      "--stencil-weights", "W", groups::run,
      "of the difference in space: taylor, or minimax, whose waves keep their speed at fewer points "
      "per wavelength (minimax with --model, else taylor)",
      [&o](const auto& v, const auto& name) { o.weights = parse_choice(star_weights_names, v, name); });
}

void add_precision(OptionTable& table, KernelOptions& o) {
  table.value(
      "--precision", "P", groups::run,
      "of the numbers: single (single) or double; kernels in double are compiled when they are needed",
      [&o](const auto& v, const auto& name) { o.precision = parse_choice(precision_names, v, name); });
}

void add_equation(OptionTable& table, KernelOptions& o) {
  table.value(
      "--equation", "E", groups::run,
      "wave (wave), density or vti: waves where the density varies, or in a medium with a vertical axis of "
      "symmetry; or, where kernels are measured, jacobi: iterations of the star alone, as a yardstick",
      [&o](const auto& v, const auto& name) { o.equation = parse_choice(equation_names, v, name); });
}

void add_emulate(OptionTable& table, KernelOptions& o) {
  table.flag("--emulate", groups::run, "without a GPU, emulate its threads on the host (slow, for study)",
             o.emulate);
}

void add_decomposition(OptionTable& table, KernelOptions& o) {
  table.value("--decomposition", "D", groups::run,
              "launches of a step: seven (inner box, six PML regions), two (inner box, the rest) or one",
              [&o](const auto& v, const auto& name) {
                o.decomposition = parse_choice(decomposition_names, v, name);
              });
}

}  // namespace minimod
