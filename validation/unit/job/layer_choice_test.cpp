#include "src/job/plan/layer_choice.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/solver/schedules.hpp"

namespace minimod {
namespace {

struct Chosen {
  BoundaryKind kind;
  int width;
  bool operator==(const Chosen&) const = default;
};

Chosen chosen(const ShotOptions& options) {
  const LayerChoice choice = choose_layer(options);
  CHECK(choice.rule.empty() == options.boundary.kind.has_value());
  return {choice.kind, choice.usual_width};
}

constexpr Chosen papers{BoundaryKind::pml, 27}, right_gather{BoundaryKind::cpml, 10};

TEST_CASE("without a model the layer is the papers', with one a CPML of 10 points", "[unit]") {
  ShotOptions options;
  CHECK(chosen(options) == papers);
  for (const char* model : {"constant:2000", "layered:1500@0,2500@100", "gradient:1500+0.5z", "vp.h5"}) {
    options.model.source = model;
    CHECK(chosen(options) == right_gather);
  }
}

TEST_CASE("the boundary's option overrides the kind alone, and widths stay the kind's", "[unit]") {
  ShotOptions options;
  options.boundary.kind = BoundaryKind::cpml;
  CHECK(chosen(options) == Chosen{BoundaryKind::cpml, 27});
  options.model.source = "constant:2000";
  CHECK(chosen(options) == right_gather);
  options.boundary.kind = BoundaryKind::pml;
  CHECK(chosen(options) == papers);
  options.boundary.kind = BoundaryKind::sponge;
  CHECK(chosen(options) == Chosen{BoundaryKind::sponge, 27});
}

TEST_CASE("an option that only a PML has asks for one", "[unit]") {
  ShotOptions with_model;
  with_model.model.source = "constant:2000";
  const auto with = [&](auto change) {
    ShotOptions options = with_model;
    change(options);
    return chosen(options);
  };
  CHECK(with([](ShotOptions& o) { o.kernels.pml_kernel = "gmem_8x8x8"; }) == papers);
  CHECK(with([](ShotOptions& o) { o.kernels.decomposition = Decomposition::two; }) == papers);
  CHECK(with([](ShotOptions& o) { o.kernels.schedule = &beside(); }) == papers);
  CHECK(with([](ShotOptions& o) { o.boundary.alpha = 0.1; }) == papers);
  CHECK(with([](ShotOptions& o) { o.kernels.schedule = &sequence(); }) == right_gather);
  CHECK(with([](ShotOptions& o) { o.kernels.kernel = "tma_whole_64x32"; }) == right_gather);
  CHECK(with([](ShotOptions& o) { o.boundary.velocity = 4500; }) == right_gather);
}

}  // namespace
}  // namespace minimod
