/// Facts that the families say of their shapes, against the shapes themselves.
#include "kernels/tiles/shape_family.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "kernels/shape_list.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

template <class Shared>
std::size_t bytes_in_shared() {
  return std::is_empty_v<Shared> ? 0 : sizeof(Shared);
}

std::string impossible(const std::string& name) {
  const auto named = parse_shape_name(name);
  return named ? why_impossible(*named, stencil_radius, Precision::float32) : "no name";
}

std::string type_of(const NamedShape& shape) {
  return type_text(*shape.family, shape.parameters, "Update");
}

TEST_CASE("Families say of any tile what their shapes do", "[unit]") {
  const Box3 box{{3, 5, 7}, {103, 88, 70}};
  for_each_entry(ShapeList{}, [&]<class Entry, std::size_t /*Index*/>() {
    using Inner = typename Entry::template Body<InnerUpdate<float>>;
    using Pml = typename Entry::template Body<PmlUpdate<float>>;
    const std::string name =
        shape_name(Inner::family, {Inner::tile, Inner::points_per_thread, Inner::vector_width});
    CAPTURE(name);
    const auto named = parse_shape_name(name);
    REQUIRE(named.has_value());
    const auto& [family, parameters] = *named;
    CHECK(family->name == std::string(Inner::family));
    CHECK(shape_name(family->name, parameters) == name);
    CHECK(family->threads(parameters) == Inner::threads);
    CHECK(family->threads(parameters, {true}) == Pml::threads);
    CHECK(shared_bytes(*named, stencil_radius, Precision::float32) ==
          std::max(bytes_in_shared<typename Inner::Shared>(), bytes_in_shared<typename Pml::Shared>()));
    CHECK(blocks_over(*named, box) == launch_blocks<Inner>(box));
    CHECK(impossible(name).empty());
  });
}

TEST_CASE("Names of shapes are read as they are written", "[unit]") {
  const auto full = parse_shape_name("in_plane_full_48x12_r1x3_v2");
  REQUIRE(full.has_value());
  CHECK(full->parameters.tile == Extent3{48, 12, 0});
  CHECK(full->parameters.points_per_thread == Extent3{1, 3, 1});
  CHECK(full->parameters.vector_width == 2);
  CHECK(type_of(*full) == "InPlaneFull<Update, 48, 4, 1, 3, 2>");
  CHECK(type_of(*parse_shape_name("st_reg_shft_db_24x20")) == "StRegShftDb<Update, 24, 20>");
  CHECK(type_of(*parse_shape_name("smem_eta_1_7x7x7")) == "SmemEta1<Update, 7, 7, 7>");
  for (const char* wrong :
       {"", "st_smem", "st_smem_", "st_smem_16", "st_smem_16x", "st_smem_16x8x4", "st_smem_016x8",
        "st_smem_0x8", "st_smem_-8x8", "st_smem_16x8 ", "st_smem_99999x8", "gmem_8x8", "gmem_8x8x8_r1x2",
        "in_plane_full_32x32", "in_plane_full_32x32_r1", "tma_ring_96x32", "kokkos_8x8"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_shape_name(wrong).has_value());
  }
}

TEST_CASE("What papers call otherwise is read as the family that it is", "[unit]") {
  for (const auto& [name, registered] : {std::pair{"naive_8x8x4", "gmem_8x8x4"},
                                         {"coalesced", "gmem"},
                                         {"tiled", "smem_u"},
                                         {"full_shared_8x8x8", "smem_u_8x8x8"},
                                         {"partial_shared_32x8", "smem_partial_32x8"},
                                         {"forward_plane_16x64", "st_reg_shft_16x64"},
                                         {"st_reg_shift_db_32x16", "st_reg_shft_db_32x16"}}) {
    CAPTURE(name);
    CHECK(&find_shape(name) == &find_shape(registered));
    CHECK(as_registered(name, shape_families()) == registered);
  }
  for (const char* other : {"naive8x8x4", "tiled_column_8x8x8", "gmem_column_32x8x8", "naives"}) {
    CAPTURE(other);
    const std::string name = as_registered(other, shape_families());
    CHECK((name == other || !parse_shape_name(name)));
  }
}

TEST_CASE("What no GPU runs is refused with its limit", "[unit]") {
  CHECK(impossible("st_reg_fixed_64x32") == "its blocks have 2048 threads, at most 1024");
  CHECK(impossible("gmem_2x2x128") == "its blocks have 128 threads along z, at most 64");
  CHECK(impossible("st_semi_32x3") == "its tile is 3 long along y, at least 4");
  CHECK(impossible("smem_eta_3_8x8x1") == "its tile is 1 long along z, at least 2");
  CHECK(impossible("st_reg_fixed_32x3").empty());
  CHECK(impossible("smem_eta_1_8x8x9") == "its tile is no cube");
  CHECK(impossible("gmem_column_8x8x33") == "a thread has 33 points, at most 32");
  CHECK(impossible("in_plane_full_40x12_r3x1") == "its tile is no multiple of 3x1 points a thread");
  CHECK(impossible("in_plane_full_48x12_r1x1_v3") == "its vectors have 3 values, 1, 2 or 4 may be");
  CHECK(impossible("in_plane_full_4096x64_r32x1").starts_with("its blocks have 8192 threads"));
  CHECK(impossible("in_plane_vertical_4096x8_r32x1") ==
        "its blocks have 262912 B of shared memory, at most 232448");
  CHECK(impossible("st_window_30x32x64") == "its tile is no multiple of 4x2 points");
  CHECK(impossible("st_window_4x2x8").empty());
  CHECK(impossible("st_window_128x32x64").starts_with("its blocks have 2393"));
}

TEST_CASE("A tile that is not built in is found as a shape like those of its family", "[unit]") {
  const CodeShape& shape = find_shape("st_reg_shift_24x12");
  CHECK(&find_shape("st_reg_shft_24x12") == &shape);
  CHECK(shape.name == "st_reg_shft_24x12");
  CHECK(shape.tile == Extent3{24, 12, 0});
  CHECK(shape.threads == 288);
  CHECK(shape.needs.shared_bytes == 32 * 20 * sizeof(float));
  CHECK(shape.sums == find_shape("st_reg_shft").sums);
  CHECK_FALSE(shape.is_default_tile);
  CHECK(find_shape("smem_eta_3_4x6x8").needs.eta_field);
  CHECK(&find_shape("in_plane_full_32x32_r1x4_v4") == &find_shape("in_plane_full_32x32_r1x4"));
  const Outcome too_large =
      outcome_of([] { static_cast<void>(find_shape("in_plane_horizontal_4096x4096_r4096x4096_v4096")); });
  CHECK(too_large.kind == ErrorKind::parameter);
  CHECK(too_large.message.size() <= longest_message);
}

}  // namespace
}  // namespace minimod
