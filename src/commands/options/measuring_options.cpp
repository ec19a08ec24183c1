#include "src/commands/options/option_groups.hpp"

namespace minimod {

void add_measured(OptionTable& table, MeasureOptions& o) {
  add_kernels(table, o.kernels,
              "code shape of all kernels, auto, all, or a list of names and patterns (minimod kernels lists "
              "them)");
  add_decomposition(table, o.kernels);
  add_grid(table, o.grid);
  add_layer_width(table, o.boundary);
  add_warmup(table, o.warmup);
  table.value(
      "--field", "FIELD", groups::measuring,
      text("what the kernels work on: random or source, a developed wavefield (", field_name(o.field), ")")
          .c_str(),
      [&o](const auto& v, const auto& name) { o.field = parse_choice(field_names, v, name); });
}

}  // namespace minimod
