#include "src/base/error.hpp"
#include "src/commands/option_groups.hpp"
#include "src/solver/schedule_names.hpp"

namespace minimod {

namespace {

DeviceOption parse_device(const std::string& value) {
  if (value == "auto") return {};
  if (value == "cpu") return {DeviceOption::Kind::cpu, 0};
  if (value == "cuda") return {DeviceOption::Kind::cuda, 0};
  if (value.rfind("cuda:", 0) == 0) {
    return {DeviceOption::Kind::cuda, parse_int(value.substr(5), "--device cuda:", 0)};
  }
  throw Error(ExitCode::usage, text("--device is '", escaped(value), "'"), "give auto, cpu, cuda or cuda:N");
}

}  // namespace

void add_kernels(OptionTable& table, KernelOptions& o, const char* kernel_help) {
  table.value("-k,--kernel", "NAME", groups::run, kernel_help, o.kernel);
  table.value("--pml-kernel", "NAME", groups::run, "code shape of the six PML kernels (that of --kernel)",
              o.pml_kernel);
  table.value("--device", "DEVICE", groups::run, "auto, cpu, cuda or cuda:N",
              [&o](const auto& v, const auto&) { o.device = parse_device(v); });
  table.value("--schedule", "S", groups::run,
              "sequence (one launch after the other), beside (PML beside the inner box) or two-steps (inner "
              "box in launches of two steps); without it, what the kernel is made for",
              [&o](const auto& v, const auto& name) { o.schedule = parse_choice(schedule_names, v, name); });
}

void add_emulate(OptionTable& table, KernelOptions& o) {
  table.flag("--emulate", groups::run, "without a GPU, play its threads on the host (slow, for study)",
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
