/// Every shape on the GPU against the host's reference, and the index arithmetic of fields beyond 2^31 and
/// 2^32 points.
#include <tuple>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "kernels/compiled/nvrtc.hpp"
#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/choice/device_choice.hpp"
#include "src/commands/shot_line.hpp"
#include "src/job/shot/run.hpp"
#include "src/solver/fields/memory.hpp"
#include "validation/physics/schedule_run.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {

/// The wavefield after `steps` steps of a medium whose velocity changes from point to point; `rounded`: as a
/// shape has it that reads it in 16 bits.
std::vector<double> wavefield_after(int steps, Backend& backend, const CodeShape& shape,
                                    Decomposition decomposition = Decomposition::seven,
                                    bool rounded = false) {
  Domain domain{{150, 131, 117}};
  domain.radius = shape.radius;
  domain.precision = shape.precision;
  domain.dt = 0.8 * stable_dt_limit(3000, {domain.h, domain.h, domain.h}, shape.radius);
  domain.velocity_at = [](Index3 p) { return 2000 + ((p.y * 150 + p.x) * 7 + p.z * 131) % 1000; };
  domain.pml_width = 27;
  domain.pml_velocity = 3000;
  Propagator propagator = make_propagator(backend, domain, {&shape, &shape}, decomposition);
  propagator.set_source({70, 60, 50}, ricker_samples(10, 0.12, domain.dt, steps));
  if (rounded) propagator.round_velocity_to_codes();
  for (int n = 0; n < steps; ++n) propagator.step();
  return propagator.wavefield(domain.whole());
}

/// The shapes that run on that GPU: with code for it, in that decomposition.
std::vector<const CodeShape*> shapes_on(const Backend& gpu,
                                        Decomposition decomposition = Decomposition::seven) {
  std::vector<const CodeShape*> shapes;
  for (const CodeShape& shape : all_shapes()) {
    if (why_not(shape, gpu.info(), decomposition).empty()) shapes.push_back(&shape);
  }
  return shapes;
}

const Schedule* made_for(const CodeShape& shape) {
  const auto found = std::ranges::find_if(
      all_schedules(), [&](const Schedule* schedule) { return schedule->is_made_for(shape.device); });
  return found != all_schedules().end() ? *found : &sequence();
}

Domain cube(int edge) {
  Domain domain{{edge, edge, edge}, 20, 3.5e-3};
  domain.pml_width = 27;
  domain.pml_velocity = domain.velocity;
  return domain;
}

bool has_room(Backend& gpu, int edge, const KernelSet& kernels) {
  const Domain domain = cube(edge);
  return bytes_needed(gpu, {domain.grid(), domain.boundary()}, kernels) <= gpu.free_bytes();
}

/// A wave that has met only the nearest corner cannot know how large the grid is: near the first and the last
/// corner of a large cube the traces must be those of a small one, to the bit.
void check_corners(Backend& gpu, int large_edge, const KernelSet& kernels) {
  const int steps = 40, small_edge = 200;
  const auto traces = [&](int edge, int at) {
    const Domain domain = cube(edge);
    Propagator propagator = make_propagator(gpu, domain, kernels);
    propagator.set_source({at, at, at}, ricker_samples(10, 0.05, domain.dt, steps));
    propagator.set_receivers({{at, at, at}, {at + 5, at - 3, at}, {at, at, at + 20}}, steps);
    for (int n = 0; n < steps; ++n) {
      propagator.step();
      propagator.record();
    }
    return propagator.fetch_batch();
  };
  CAPTURE(kernels.inner->name);
  const auto first = traces(small_edge, 35);
  CHECK(traces(large_edge, 35) == first);
  CHECK(traces(large_edge, large_edge - 36) == traces(small_edge, small_edge - 36));
  CHECK(relative_l2(first.as_doubles(), std::vector<double>(first.size(), 1)) != 1);
}

}  // namespace

TEST_CASE("Every shape agrees with the host's reference on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const int steps = 200;
  const auto host = make_host_backend();
  const CodeShape& reference = find_shape("reference");
  const auto exact = wavefield_after(steps, *host, reference);
  const auto rounded = wavefield_after(steps, *host, reference, Decomposition::seven, true);
  CHECK(relative_l2(rounded, exact) > 1e-6);  // the shapes that read 16 bits have a test of their own medium
  const auto gpu = gpu_devices.make(0);
  for (const CodeShape* shape : shapes_on(*gpu)) {
    const auto& expected = shape->needs.v16 ? rounded : exact;
    const auto field = wavefield_after(steps, *gpu, *shape);
    const double error = relative_l2(field, expected);
    std::printf("%-20s relative L2 %.2e, %s\n", shape->name.c_str(), error,
                field == expected ? "the same bits" : "other bits");
    CAPTURE(shape->name);
    CHECK(error <= 1e-6);
  }
}

TEST_CASE("Tiles that are compiled when asked for agree with the host's reference on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  if (!find_nvrtc().why_none.empty()) SKIP(find_nvrtc().why_none);
  const int steps = 20;
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  const auto expected = wavefield_after(steps, *host, find_shape("reference"));
  for (const char* name :
       {"gmem_16x4x2", "gmem_column_24x6x5", "smem_u_9x8x8", "smem_eta_1_7x7x7", "smem_eta_3_12x5x4",
        "semi_12x6x5", "st_smem_24x20", "st_smem_32x30", "coarsened_20x12x13", "st_reg_shft_24x20",
        "st_reg_shft_db_40x12", "st_reg_fixed_24x24", "st_reg_fixed_db_24x20", "st_semi_24x12",
        "smem_partial_48x6", "st_window_48x12x20", "in_plane_vertical_40x12_r1x3",
        "in_plane_horizontal_48x8_r3x2_v1", "in_plane_full_48x12_r1x3_v2"}) {
    CAPTURE(name);
    const CodeShape& shape = find_shape(name);
    const auto field = wavefield_after(steps, *gpu, shape);
    CHECK(relative_l2(field, expected) <= 1e-6);
    if (shape.sums == find_shape("reference").sums && !shape.needs.eta_field) CHECK(field == expected);
  }
  const CodeShape& mixed = find_shape("st_reg_fixed_24x24");
  CHECK(wavefield_after(steps, *gpu, mixed, Decomposition::one) == expected);
}

TEST_CASE("Every family agrees with the host's reference on the GPU with other stencils", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  if (!find_nvrtc().why_none.empty()) SKIP(find_nvrtc().why_none);
  const int steps = 20;
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  struct Stencil {
    int radius;
    Precision precision;
  };
  constexpr auto single = Precision::float32, twice = Precision::float64;
  for (const auto& [radius, precision] :
       {Stencil{1, single}, {2, single}, {3, single}, {8, single}, {2, twice}, {4, twice}, {8, twice}}) {
    const auto expected = wavefield_after(steps, *host, find_shape("reference", radius, precision));
    for (const CodeShape& built_in : all_shapes()) {
      const bool stands_for_family = built_in.is_default_tile || built_in.name == "reference";
      if (!stands_for_family || !has_stencil(built_in, radius, precision)) continue;
      const CodeShape& shape = find_shape(built_in.name, radius, precision);
      if (!why_not(shape, gpu->info(), Decomposition::seven).empty()) continue;
      CAPTURE(shape.name, radius, bytes_of(precision));
      const auto field = wavefield_after(steps, *gpu, shape);
      CHECK(relative_l2(field, expected) <= (precision == single ? 1e-6 : 1e-14));
      if (shape.sums == "star" && !shape.needs.eta_field) CHECK(field == expected);
    }
  }
}

TEST_CASE("The layers of other stencils have the host's bits on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  if (!find_nvrtc().why_none.empty()) SKIP(find_nvrtc().why_none);
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  for (const auto& [kind, radius, precision] : {std::tuple{BoundaryKind::cpml, 2, Precision::float32},
                                                {BoundaryKind::cpml, 8, Precision::float64},
                                                {BoundaryKind::cpml, 4, Precision::float64},
                                                {BoundaryKind::sponge, 4, Precision::float64}}) {
    CAPTURE(static_cast<int>(kind), radius, bytes_of(precision));
    const auto field_on = [&, &kind = kind, &radius = radius, &precision = precision](Backend& backend) {
      const CodeShape& shape = find_shape("reference", radius, precision);
      Domain domain{{70, 61, 57}};
      domain.radius = radius;
      domain.precision = precision;
      domain.dt = 0.8 * stable_dt_limit(2000, {domain.h, domain.h, domain.h}, radius);
      domain.kind = kind;
      domain.pml_width = 10;
      domain.pml_velocity = 2000;
      domain.frequency = 10;
      domain.free_surface = true;
      Propagator propagator = make_propagator(backend, domain, {&shape, &shape});
      propagator.set_random_field(5);
      for (int n = 0; n < 20; ++n) propagator.step();
      return propagator.wavefield(domain.whole());
    };
    CHECK(field_on(*gpu) == field_on(*host));
  }
}

TEST_CASE("The decompositions into two launches and one agree with the one into seven on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  for (const CodeShape* shape : shapes_on(*gpu, Decomposition::two)) {
    CAPTURE(shape->name);
    const auto seven = wavefield_after(50, *gpu, *shape);
    CHECK(relative_l2(wavefield_after(50, *gpu, *shape, Decomposition::two), seven) <= 1e-6);
    CHECK(relative_l2(wavefield_after(50, *gpu, *shape, Decomposition::one), seven) <= 1e-6);
  }
}

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
  const CodeShape& shape = find_shape(
      GENERATE("tma_whole_64x32", "tma_whole_step_128x32", "tma_whole_step_64x64", "tma_whole_step_200x20"));
  if (const std::string why = why_not(shape, gpu->info()); !why.empty()) SKIP(why);
  // Extents that are no multiples of vectors, turns or tiles; layers that leave no plane free of them, that
  // end within a sector or a tile; one to many strips.
  std::vector<ScheduleCase> cases{{{61, 45, 38}, 7, {30, 20, 19}},      {{61, 45, 38}, 7, {3, 41, 20}},
                                  {{62, 46, 39}, 12, {61, 0, 20}},      {{150, 131, 117}, 27, {75, 66, 5}},
                                  {{203, 258, 41}, 3, {100, 66, 21}},   {{700, 90, 160}, 9, {698, 2, 21}},
                                  {{2900, 120, 90}, 7, {1450, 66, 45}}, {{2901, 300, 77}, 10, {64, 200, 75}}};
  if (shape.family == "tma_whole_step" && !shape.is_default_tile) cases.resize(6);  // the others take long
  const std::vector<int> seen{1, 2, 3, 8, 9};
  for (const ScheduleCase& given : cases) {
    const std::uint32_t poison = 23;
    const auto expected = run_schedule(*gpu, given, {&shape, &shape}, seen, poison);
    const KernelSet in_whole{&shape, &shape, made_for(shape)};
    const auto first = run_schedule(*gpu, given, in_whole, seen, poison);
    CAPTURE(shape.name, given.n.x, given.n.y, given.n.z, given.pml_width, given.source.x);
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

TEST_CASE("A CPML on the GPU has the bits of the host's", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto host = make_host_backend(), gpu = gpu_devices.make(0);
  const auto equation = GENERATE(Equation::wave, Equation::density);
  struct Case {
    Extent3 n;
    PmlWidths layers;  // layers across x choose the tiles: as narrow as can be, up to straight from memory
    bool free_surface = false;
  };
  const std::vector<Case> cases{
      {{67, 45, 38}, same_on_all_faces(2)},          {{67, 45, 39}, same_on_all_faces(6)},
      {{131, 77, 61}, {10, 10, 12, 9, 0, 10}, true}, {{93, 97, 83}, same_on_all_faces(27)},
      {{61, 62, 59}, same_on_all_faces(28)},  // three to five points between the layers
      {{205, 43, 35}, {70, 70, 3, 0, 9, 2}},         {{231, 43, 35}, {100, 0, 0, 5, 4, 4}}};
  for (const auto& [n, layers, free_surface] : cases) {
    Domain domain{n};
    domain.equation = equation;
    domain.dt =
        0.8 * dt_limit_of(equation, 3000, domain.spacing(), domain.radius, random_columns(equation, n));
    domain.velocity_at = [](Index3 p) { return 2000 + ((p.y * 150 + p.x) * 7 + p.z * 131) % 1000; };
    domain.pml_velocity = 3000;
    domain.kind = BoundaryKind::cpml;
    domain.frequency = 10;
    domain.free_surface = free_surface;
    domain.layers = layers;
    const auto field_on = [&](Backend& backend, const CodeShape& shape) {
      Propagator propagator = make_propagator(backend, domain, {&shape, &shape});
      propagator.set_random_field(5);
      for (int step = 0; step < 12; ++step) propagator.step();
      return propagator.wavefield(domain.whole());
    };
    CAPTURE(static_cast<int>(equation), n.x, n.y, n.z, layers.left, free_surface);
    const auto shape = [&](const char* name) -> const CodeShape& {
      return find_shape(name, domain.radius, domain.precision, equation);
    };
    const auto expected = field_on(*host, shape("reference"));
    CHECK(same_bits(field_on(*gpu, shape("gmem_16x16x4")), expected));
  }
}

TEST_CASE("What a GPU does not have is refused with what it has", "[gpu]") {
  const DevicesFound gpus = gpu_devices.find();
  if (gpus.count == 0) SKIP(gpus.why_none);
  const Outcome too_high = outcome_of([&] { static_cast<void>(gpu_devices.make(gpus.count)); });
  CHECK(too_high.kind == ErrorKind::unavailable);
  CHECK(too_high.says(text("there is no GPU ", gpus.count, ", only ", gpus.count)));
  DeviceInfo small = gpu_devices.make(0)->info();
  small.shared_bytes_limit = 1024;
  CHECK(why_not(find_shape("st_smem_16x16"), small).ends_with(" B of shared memory"));
  const TemporaryDirectory folder;
  const std::string shot =
      text("--grid 8000 --device cuda --kernel gmem_8x8x8 --output ", folder.path().string());
  const Outcome too_large = outcome_of([&] { run_shot(parse_shot(shot)); });
  CHECK(too_large.kind == ErrorKind::resource);
  CHECK(too_large.says("GiB are free on "));
  CHECK(too_large.says("the largest cube that fits is --grid "));
  CHECK(folder.entries() == 0);
}

TEST_CASE("A copy that the GPU cannot make is a failure, not a kernel's refusal", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  float value = 0;
  try {
    gpu->download(&value, nullptr, sizeof value);
    FAIL("a copy from nowhere was made");
  } catch (const Error& failure) {
    CHECK(failure.kind() == ErrorKind::unavailable);
  }
}

TEST_CASE("Memory that the GPU refuses leaves it fit for what comes next", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const CodeShape& shape = find_shape("gmem_8x8x8");
  const CodeShape& eta = find_shape("smem_eta_1_8x8x8");
  const ScheduleCase given{{300, 290, 280}, 27, {140, 140, 140}};
  Propagator undisturbed = make_propagator(*gpu, given, {&shape, &shape});
  Propagator propagator = make_propagator(*gpu, given, {&shape, &shape});
  const std::size_t little = 32U << 20U;  // less than η takes
  const DeviceArray<char> hog(*gpu, gpu->free_bytes() - little);
  for (Propagator* p : {&undisturbed, &propagator}) p->set_random_field(2);
  for (int n = 0; n < 4; ++n) undisturbed.step();
  propagator.step();
  try {
    propagator.set_kernels({&eta, &eta});
    FAIL("the GPU had room");
  } catch (const Error& refusal) {
    CHECK(refusal.kind() == ErrorKind::resource);
  }
  for (int n = 1; n < 4; ++n) propagator.step();
  const Box3 whole{{0, 0, 0}, {given.n.x, given.n.y, given.n.z}};
  CHECK(same_bits(propagator.wavefield(whole), undisturbed.wavefield(whole)));
}

TEST_CASE("A graph of launches outlives a change of kernels that the GPU's memory refuses", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const CodeShape &eta = find_shape("smem_eta_1_8x8x8"), &pairs = find_shape("tma_whole");
  if (const std::string why = why_not(pairs, gpu->info()); !why.empty()) SKIP(why);
  const ScheduleCase given{{300, 290, 280}, 27, {140, 140, 140}};
  const auto make = [&] {
    Propagator propagator = make_propagator(*gpu, given, {&eta, &eta, &beside()});
    propagator.set_random_field(2);
    propagator.step();
    propagator.step();  // both graphs are there
    return propagator;
  };
  Propagator undisturbed = make(), propagator = make();
  // Without η there is room for one of the two fields that two fused steps need.
  const DeviceArray<char> hog(*gpu, gpu->free_bytes() - (32U << 20U));
  CHECK_THROWS_AS(propagator.set_kernels({&pairs, &pairs, &whole()}), Error);
  for (Propagator* p : {&undisturbed, &propagator}) {
    for (int n = 0; n < 4; ++n) p->step();
  }
  const Box3 whole{{0, 0, 0}, {given.n.x, given.n.y, given.n.z}};
  CHECK(same_bits(propagator.wavefield(whole), undisturbed.wavefield(whole)));
}

TEST_CASE("Axes that some shapes cannot cover are their refusal alone on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const Domain domain{{32, 32, 70000}, 20, 2e-3};
  const auto field_of = [&](const char* name) {
    const CodeShape& shape = find_shape(name);
    Propagator propagator = make_propagator(*gpu, domain, {&shape, &shape});
    propagator.set_random_field(2);
    for (int n = 0; n < 3; ++n) propagator.step();
    return propagator.wavefield({{0, 0, 69000}, {32, 32, 70000}});
  };
  for (const char* name : {"reference", "gmem_32x32x1"}) {
    CAPTURE(name);
    try {
      static_cast<void>(field_of(name));
      FAIL("so many blocks were launched");
    } catch (const Error& refusal) {
      CHECK(refusal.kind() == ErrorKind::resource);
      CHECK(std::string(refusal.what()).find(name == std::string("reference") ? "reference" : "gmem") == 0);
    }
  }
  const auto expected = field_of("gmem_8x8x8");
  CHECK(relative_l2(field_of("st_reg_fixed_32x32"), expected) <= 1e-6);
  const CodeShape &plane = find_shape("gmem_32x32x1"), &cube = find_shape("gmem_8x8x8");
  const StepProblem problem{domain.grid(), domain.boundary()};
  const TrialWinner winner = try_kernels(*gpu, problem, {{&plane, &plane}, {&cube, &cube}});
  CHECK(winner.index == 1);
  CHECK(winner.gpt_per_s > 0);
}

TEST_CASE("A propagator takes no more of the GPU's memory than was forecast", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  Domain domain{{300, 290, 280}, 20, 2e-3};
  domain.pml_width = 27;
  domain.pml_velocity = domain.velocity;
  for (const char* name : {"gmem_8x8x8", "smem_eta_1_8x8x8", "tma_ring_v16_128x32", "tma_whole_step_128x32",
                           "tma_whole_64x32"}) {
    const CodeShape& shape = find_shape(name);
    if (!why_not(shape, gpu->info()).empty()) continue;
    const KernelSet kernels{&shape, &shape, made_for(shape)};
    const auto taken = [&] {
      const std::size_t before = gpu->free_bytes();
      Propagator propagator = make_propagator(*gpu, domain, kernels);
      propagator.set_source({150, 150, 140}, std::vector<double>(1000, 1));
      propagator.set_receivers(std::vector<Index3>(5000, {150, 150, 140}), 66);
      propagator.step();
      propagator.record();
      static_cast<void>(propagator.fetch_batch());
      return before - gpu->free_bytes();
    };
    static_cast<void>(taken());  // loads the kernels, which stay
    const std::size_t forecast =
        bytes_needed(*gpu, {domain.grid(), domain.boundary()}, kernels, {1, 1000, 5000, 66});
    const std::size_t block = 2U << 20U;  // block that small allocations share
    CAPTURE(name, forecast);
    CHECK(taken() <= forecast + block);
    CHECK(taken() + 8 * block >= forecast);
  }
}

TEST_CASE("Shapes are right beyond 2^31 points on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const CodeShape& plain = find_shape("reference");
  if (!has_room(*gpu, 1300, {&plain, &plain})) SKIP("1300^3 points need more memory than the GPU has free");
  for (const char* name : {"reference", "gmem_8x8x8", "st_reg_fixed_32x32", "st_window", "tma_ring",
                           "tma_whole_step", "tma_whole"}) {
    const CodeShape& shape = find_shape(name);
    if (why_not(shape, gpu->info()).empty()) check_corners(*gpu, 1300, {&shape, &shape, made_for(shape)});
  }
}

TEST_CASE("tma_whole is right beyond 2^32 points on the GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const CodeShape& shape = find_shape(GENERATE("tma_whole", "tma_whole_step"));
  const KernelSet kernels{&shape, &shape, made_for(shape)};
  if (!why_not(shape, gpu->info()).empty()) SKIP(why_not(shape, gpu->info()));
  if (!has_room(*gpu, 1640, kernels)) SKIP("1640^3 points need more memory than the GPU has free");
  check_corners(*gpu, 1640, kernels);
}
