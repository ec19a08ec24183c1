/// A GPU's limits: what it has not, its memory, and the index arithmetic of fields beyond 2^31 and 2^32
/// points.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/choice/device_choice.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/shot/run.hpp"
#include "src/solver/fields/memory.hpp"
#include "validation/physics/schedule_run.hpp"
#include "validation/shapes/device_shapes.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {

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
      text("--grid 8000 --device ", gpu_kind, " --kernel gmem_8x8x8 --output ", folder.path().string());
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
