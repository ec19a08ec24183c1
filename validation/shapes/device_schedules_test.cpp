/// Schedules on the GPU against launches in sequence.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "src/choice/device_choice.hpp"
#include "validation/physics/schedule_run.hpp"
#include "validation/physics/sided_run.hpp"
#include "validation/shapes/device_shapes.hpp"

using namespace minimod;

namespace {

/// The source in the inner box, then in the PML.
const std::vector<ScheduleCase> small_cases{{{61, 45, 38}, 7, {30, 20, 19}}, {{61, 45, 38}, 7, {3, 41, 20}}};
const std::vector<ScheduleCase> large_cases{{{150, 131, 117}, 27, {70, 60, 50}},
                                            {{150, 131, 117}, 27, {75, 66, 5}},
                                            {{700, 90, 40}, 9, {333, 47, 21}},
                                            {{700, 90, 40}, 9, {698, 2, 21}}};
const std::vector<int> seen_after{1, 2, 3, 50, 51};

void check_schedules(Backend& gpu, const CodeShape& shape, const CodeShape& pml, const ScheduleCase& given) {
  const auto expected = run_schedule(gpu, given, {&shape, &pml}, seen_after);
  for (const Schedule* schedule : all_schedules()) {
    if (schedule == &sequence() || !schedule->why_not(shape.device).empty()) continue;
    if (schedule->sums(shape) != shape.sums) continue;  // has a test of its own
    CAPTURE(shape.name, pml.name, given.n.x, given.n.y, given.n.z, given.source.x, given.source.z,
            schedule->name());
    const std::string differs =
        difference(run_schedule(gpu, given, {&shape, &pml, schedule}, seen_after), expected);
    CHECK(differs.empty());
    if (!differs.empty()) std::printf("%s: %s\n", shape.name.c_str(), differs.c_str());
  }
}

}  // namespace

TEST_CASE("Every schedule gives the bits of launches in sequence on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  for (const CodeShape* shape : shapes_on(*gpu)) {
    for (const ScheduleCase& given : small_cases) check_schedules(*gpu, *shape, *shape, given);
    // Blocks that stay on their multiprocessors share these out; to the others a schedule is only an order.
    if (!shape->needs.capability) continue;
    for (const ScheduleCase& given : large_cases) check_schedules(*gpu, *shape, *shape, given);
  }
}

TEST_CASE("Every schedule gives the same bits with another shape in the PML on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  for (const char* inner : {"tma_ring_128x32", "st_window_32x32x64"}) {
    const CodeShape& shape = find_shape(inner);
    if (!why_not(shape, gpu->info()).empty()) continue;
    for (const char* pml : {"st_window_32x32x32", "st_window_64x16x32", "gmem_16x16x4"}) {
      for (const auto& cases : {small_cases, large_cases}) {
        for (const ScheduleCase& given : cases) check_schedules(*gpu, shape, find_shape(pml), given);
      }
    }
  }
}

namespace {

/// Runs cases in rows and by sides that are not those of the GPU.
void check_chunks(const char* name, int radius, const std::vector<ScheduleCase>& cases) {
  const auto gpu = gpu_devices.make(0);
  const CodeShape& shape = find_shape(name, radius);
  if (const std::string why = why_not(shape, gpu->info()); !why.empty()) SKIP(why);
  const KernelSet kernels{&shape, &shape, made_for(shape)};
  for (ScheduleCase given : cases) {
    for (const bool has_surface : {false, true}) {
      given.free_surface = has_surface;
      const auto expected = run_schedule(*gpu, given, kernels, seen_after, 3);
      for (const unsigned seed : {1U, 2U}) {
        SidedBackend sided(seed, gpu_devices.make(0));
        CAPTURE(name, radius, given.n.x, given.n.y, given.n.z, given.source.x, given.source.z, has_surface,
                seed);
        CHECK(make_propagator(sided, given, kernels).fields().grid().in_chunks());
        CHECK(difference(run_schedule(sided, given, kernels, seen_after, 3), expected) == "");
      }
    }
  }
}

constexpr const char* shapes_in_chunks[] = {"tma_whole_step_64x64", "tma_whole"};

}  // namespace

TEST_CASE("Fields in chunks have the bits of rows on the GPU, whatever the sides", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  for (const char* const name : shapes_in_chunks) {
    check_chunks(name, stencil_radius, small_cases);
    check_chunks(name, stencil_radius, large_cases);
  }
}

TEST_CASE("Fields in chunks have the bits of rows at lower orders on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  for (const char* const name : shapes_in_chunks) {
    for (const int radius : {2, 1}) check_chunks(name, radius, small_cases);
  }
}

TEST_CASE("A GPU that knows the sides of its L2 tells them of all its multiprocessors", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const L2Sides sides = gpu->l2_sides(cube_by_sides);
  if (!sides.are_known()) SKIP("its L2 has no sides that are known");
  std::vector<unsigned char> of_each(gpu->info().units);
  gpu->download(of_each.data(), sides.of_multiprocessor, of_each.size());
  const auto right = std::ranges::count(of_each, 1);
  CHECK((right > 0 && right < gpu->info().units));
  CHECK(std::ranges::count(of_each, 0) + right == gpu->info().units);
  CHECK(sides.hash < 256);
  // From 256³ on where x is whole pairs of chunks, else from 10⁸ points on.
  for (const Extent3 n : {Extent3{256, 256, 256}, {1000, 10, 10000}, {999, 1001, 1003}})
    CHECK(gpu->l2_sides(n).are_known());
  for (const Extent3 n : {Extent3{320, 320, 320}, {128, 128, 128}}) CHECK(!gpu->l2_sides(n).are_known());
}

TEST_CASE("A launch is described with the blocks that the schedule gives it on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const CodeShape& shape = find_shape("tma_ring");
  if (const std::string why = why_not(shape, gpu->info()); !why.empty()) SKIP(why);
  const int all = gpu->info().units;
  const auto blocks = [&](const Schedule& schedule) {
    const Propagator propagator = make_propagator(*gpu, large_cases[0], {&shape, &shape, &schedule});
    return propagator.plan().facts(0).blocks.x;
  };
  CHECK(blocks(beside()) <= all * 2 / 3);
  CHECK(blocks(sequence()) <= all);
}

TEST_CASE("A graph of launches is made anew for another medium on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const CodeShape& shape = find_shape("tma_ring_v16");  // launches of it get the code of the medium
  if (const std::string why = why_not(shape, gpu->info()); !why.empty()) SKIP(why);
  const ScheduleCase given = small_cases[0];
  const auto field_after = [&](const Schedule& schedule) {
    Propagator propagator = make_propagator(*gpu, given, {&shape, &shape, &schedule});
    propagator.set_random_field(5);
    for (int n = 0; n < 4; ++n) propagator.step();
    propagator.set_velocity(1e-3, [&](int z, float* plane) {
      for (int i = 0; i < given.n.x * given.n.y; ++i) plane[i] = static_cast<float>(3000 + (i + z) % 500);
    });
    for (int n = 0; n < 4; ++n) propagator.step();
    return propagator.wavefield({{0, 0, 0}, {given.n.x, given.n.y, given.n.z}});
  };
  CHECK(same_bits(field_after(beside()), field_after(sequence())));
}

TEST_CASE("The whole domain in one launch agrees with sequence, each time to the bit", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const char* const name =
      GENERATE("tma_whole_64x32", "tma_whole_step_128x32", "tma_whole_step_64x64", "tma_whole_step_200x20");
  const int radius = GENERATE(4, 3, 2, 1, 6, 8);
  if (!has_stencil(name, radius, Precision::float32, Equation::wave)) return;
  const CodeShape& shape = find_shape(name, radius);
  if (const std::string why = why_not(shape, gpu->info()); !why.empty()) SKIP(why);
  // Extents that are no multiples of vectors, turns or tiles; layers that leave no plane free of them, that
  // end within a sector or a tile; one to many strips.
  std::vector<ScheduleCase> cases{{{61, 45, 38}, 7, {30, 20, 19}},      {{61, 45, 38}, 7, {3, 41, 20}},
                                  {{62, 46, 39}, 12, {61, 0, 20}},      {{150, 131, 117}, 27, {75, 66, 5}},
                                  {{203, 258, 41}, 3, {100, 66, 21}},   {{700, 90, 160}, 9, {698, 2, 21}},
                                  {{2900, 120, 90}, 7, {1450, 66, 45}}, {{2901, 300, 77}, 10, {64, 200, 75}}};
  if (shape.family == "tma_whole_step" && !shape.is_default_tile) cases.resize(6);  // the others take long
  if (radius != stencil_radius) cases.resize(4);
  const std::vector<int> seen{1, 2, 3, 8, 9};
  for (const ScheduleCase& given : cases) {
    const std::uint32_t poison = 23;
    const auto expected = run_schedule(*gpu, given, {&shape, &shape}, seen, poison);
    const KernelSet in_whole{&shape, &shape, made_for(shape)};
    const auto first = run_schedule(*gpu, given, in_whole, seen, poison);
    CAPTURE(shape.name, radius, given.n.x, given.n.y, given.n.z, given.pml_width, given.source.x);
    for (std::size_t i = 0; i < seen.size(); ++i)
      CHECK(relative_l2(first.fields[i], expected.fields[i]) <= 2e-6);
    CHECK(relative_l2(first.traces.as_doubles(), expected.traces.as_doubles()) <= 2e-6);
    const int repeats = in_whole.schedule == &whole() ? 5 : 1;  // blocks that wait for each other
    for (int repeat = 0; repeat < repeats; ++repeat)
      CHECK(difference(run_schedule(*gpu, given, in_whole, seen, poison), first).empty());
  }
}

TEST_CASE("A run goes on in sequence where another schedule has left off, and back, on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const ScheduleCase given = small_cases[0];
  for (const CodeShape* shape : shapes_on(*gpu)) {
    const auto field_after = [&](int steps, const Schedule* schedule) {
      const KernelSet in_sequence{shape, shape}, other{shape, shape, schedule};
      Propagator propagator = make_propagator(*gpu, given, other);
      propagator.set_source(given.source, std::vector<double>(steps, 1e3));
      propagator.set_random_field(5);
      for (int n = 0; n < 5; ++n) propagator.step();
      propagator.set_kernels(in_sequence);  // takes the sixth step where it has been computed
      propagator.step();
      propagator.set_kernels(other);
      while (propagator.steps_done() < steps) propagator.step();
      return propagator.wavefield({{0, 0, 0}, {given.n.x, given.n.y, given.n.z}});
    };
    const auto expected = field_after(12, &sequence());
    for (const Schedule* schedule : all_schedules()) {
      if (!schedule->why_not(shape->device).empty()) continue;
      CAPTURE(shape->name, schedule->name());
      const auto field = field_after(12, schedule);
      if (schedule->sums(*shape) == shape->sums) {
        CHECK(same_bits(field, expected));
      } else {
        CHECK(relative_l2(field, expected) <= 1e-6);
      }
    }
  }
}

TEST_CASE("Every GPU gives the same bits under every schedule, several at work in turns", "[gpu]") {
  const int count = gpu_devices.find().count;
  if (count < 2) SKIP("there is no second GPU");
  const ScheduleCase given = small_cases[0];
  std::vector<std::unique_ptr<Backend>> gpus;
  for (int i = 0; i < count; ++i) gpus.push_back(gpu_devices.make(i));
  for (const CodeShape* shape : shapes_on(*gpus[0])) {
    for (const Schedule* schedule : all_schedules()) {
      if (!schedule->why_not(shape->device).empty()) continue;
      CAPTURE(shape->name, schedule->name());
      const KernelSet kernels{shape, shape, schedule};
      std::vector<Propagator> propagators;
      for (const auto& gpu : gpus) {
        propagators.push_back(make_propagator(*gpu, given, kernels));
        propagators.back().set_source(given.source, std::vector<double>(20, 1e3));
        propagators.back().set_random_field(7);
      }
      for (int n = 0; n < 21; ++n) {
        for (Propagator& propagator : propagators) propagator.step();
      }
      const Box3 whole{{0, 0, 0}, {given.n.x, given.n.y, given.n.z}};
      const auto first = propagators[0].wavefield(whole);
      for (Propagator& propagator : propagators) CHECK(same_bits(propagator.wavefield(whole), first));
    }
  }
}

TEST_CASE("tma_ring of any order agrees with gmem in layers across x of any width", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const int radius = GENERATE(1, 2, 4, 5, 6, 8);
  const CodeShape& ring = find_shape("tma_ring_128x32", radius);
  if (const std::string why = why_not(ring, gpu->info()); !why.empty()) SKIP(why);
  const CodeShape& gmem = find_shape("gmem_32x8x4", radius);
  // Rows whose halo ends with a line of the memory, vectors that reach beyond it; slabs wider than a tile.
  for (const int width : {17, 20, 27, 30, 31, 38}) {
    const ScheduleCase given{{3 * width + 69, 131, 3 * width + 36}, width, {75, 66, 5}};
    const auto expected = run_schedule(*gpu, given, {&gmem, &gmem}, {1, 2, 3}),
               found = run_schedule(*gpu, given, {&ring, &ring}, {1, 2, 3});
    CAPTURE(radius, width);
    for (std::size_t i = 0; i < 3; ++i) CHECK(relative_l2(found.fields[i], expected.fields[i]) <= 1e-6);
  }
}
