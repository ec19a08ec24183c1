#include <iterator>
#include <string>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/job/plan/layer_choice.hpp"

namespace minimod {

namespace {

/// "pml (the Minimod form, kernels of its own), … or sponge".
std::string kinds_of_boundaries() {
  std::string kinds;
  for (const BoundaryFacts& row : boundaries) {
    kinds += text(&row == std::begin(boundaries)     ? ""
                  : &row + 1 == std::end(boundaries) ? " or "
                                                     : ", ",
                  row.name, *row.words == '\0' ? "" : text(" (", row.words, ")"));
  }
  return kinds;
}

}  // namespace

void add_boundary(OptionTable& table, BoundaryOptions& o) {
  table.value(
      "--boundary", "B", groups::boundary,
      text(kinds_of_boundaries(), " (pml; with --model cpml, unless an option of the pml's alone is given)"),
      [&o](const auto& v, const auto& name) { o.kind = parse_choice(boundaries, v, name); });
  table.flag("--free-surface", groups::boundary, "u = 0 on the plane z = 0, with nothing above it",
             o.free_surface);
}

void add_layer_width(OptionTable& table, BoundaryOptions& o) {
  table.value("--pml-width", "N", groups::boundary,
              text("points of the absorbing layer on each face (", papers_case::layer_width,
                   ", of a cpml with --model ", usual_cpml_width, "; at most a third of an axis)"),
              [&o](const auto& v, const auto& name) { o.width = parse_int(v, name, 0, longest_axis); });
}

void add_layer_velocity(OptionTable& table, BoundaryOptions& o) {
  table.value("--pml-velocity", "V", groups::boundary, "V_max of the layer's profile in m/s (the model's)",
              [&o](const auto& v, const auto& name) { o.velocity = parse_positive(v, name); });
}

void add_layer_alpha(OptionTable& table, BoundaryOptions& o) {
  table.value(
      "--pml-alpha", "A", groups::boundary,
      "shift of a pml, a step; 0 is the form as published, which grows (0.04 of its profile's peak, more "
      "in layers under 5 points)",
      [&o](const auto& v, const auto& name) { o.alpha = parse_not_negative(v, name); });
}

}  // namespace minimod
