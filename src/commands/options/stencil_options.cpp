#include <algorithm>

#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"

namespace minimod {

void add_stencils(OptionTable& table, std::string& stencils) {
  table.value(
      "--stencil", "LIST", groups::run,
      "kernels of stencils in place of the wave equation's: names and patterns (minimod stencil list), "
      "files of your own, or all",
      stencils);
}

StencilMeasureOptions stencils_measured(const std::vector<std::string>& given,
                                        std::initializer_list<std::string_view> heard,
                                        const std::string& stencils, const KernelOptions& kernels) {
  for (const std::string& option : given) {
    if (option == "--stencil" || std::ranges::find(heard, option) != heard.end()) continue;
    throw Error(ErrorKind::parameter, option + " is given with --stencil", "there are " + joined(heard));
  }
  const auto is_given = [&](const char* option) { return std::ranges::find(given, option) != given.end(); };
  StencilMeasureOptions measured;
  measured.stencils = stencils;
  if (is_given("--kernel")) measured.kernels = kernels.kernel;
  measured.device = kernels.device;
  if (is_given("--precision")) measured.precision = kernels.precision;
  return measured;
}

}  // namespace minimod
