/// Every shape on the GPU against the host's reference, and the index arithmetic of a field beyond 2^31
/// points.
#include <catch2/catch_test_macros.hpp>

#include "src/choice/device_choice.hpp"
#include "validation/physics/schedule_run.hpp"

using namespace minimod;

namespace {

/// The wavefield after `steps` steps of a medium whose velocity changes from point to point; `rounded`: as a
/// shape has it that reads it in 16 bits.
std::vector<float> wavefield_after(int steps, Backend& backend, const CodeShape& shape,
                                   Decomposition decomposition = Decomposition::seven, bool rounded = false) {
  Domain domain{{150, 131, 117}};
  domain.dt = 0.8 * stable_dt_limit(3000, {domain.h, domain.h, domain.h});
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

}  // namespace

TEST_CASE("Every shape agrees with the host's reference on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const int steps = 200;
  const auto host = make_host_backend();
  const CodeShape& reference = find_shape("reference");
  const auto exact = wavefield_after(steps, *host, reference);
  const auto rounded = wavefield_after(steps, *host, reference, Decomposition::seven, true);
  CHECK(relative_l2(rounded, exact) > 1e-6);  // the shapes that read 16 bits have a test of their own medium
  const auto gpu = make_cuda_backend(0);
  for (const CodeShape* shape : shapes_on(*gpu)) {
    const auto& expected = shape->needs_v16 ? rounded : exact;
    const auto field = wavefield_after(steps, *gpu, *shape);
    const double error = relative_l2(field, expected);
    std::printf("%-20s relative L2 %.2e, %s\n", shape->name.c_str(), error,
                field == expected ? "the same bits" : "other bits");
    CAPTURE(shape->name);
    CHECK(error <= 1e-6);
  }
}

TEST_CASE("The decompositions into two launches and one agree with the one into seven on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
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
/// Rows of tiles so wide that an H200 takes two strips, with the source in the rows of both; hardly more
/// planes than two strips need.
const std::vector<ScheduleCase> strip_cases{{{2900, 120, 90}, 7, {1450, 66, 45}}};
const std::vector<int> snapshots{1, 2, 3, 50, 51};

void check_schedules(Backend& gpu, const CodeShape& shape, const CodeShape& pml, const ScheduleCase& given) {
  const auto expected = run_schedule(gpu, given, {&shape, &pml}, snapshots);
  for (const Schedule schedule : {Schedule::beside, Schedule::two_steps}) {
    if (schedule == Schedule::two_steps && shape.device.two_steps == nullptr) continue;
    CAPTURE(shape.name, pml.name, given.n.x, given.n.y, given.n.z, given.source.x, given.source.z,
            static_cast<int>(schedule));
    const std::string differs =
        difference(run_schedule(gpu, given, {&shape, &pml, schedule}, snapshots), expected);
    CHECK(differs.empty());
    if (!differs.empty()) std::printf("%s: %s\n", shape.name.c_str(), differs.c_str());
  }
}

}  // namespace

TEST_CASE("Every schedule gives the bits of launches in sequence on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
  for (const CodeShape* shape : shapes_on(*gpu)) {
    for (const ScheduleCase& given : small_cases) check_schedules(*gpu, *shape, *shape, given);
    // Blocks that stay on their multiprocessors share these out; to the others a schedule is only an order.
    if (shape->device.inner_workspace == nullptr) continue;
    for (const ScheduleCase& given : large_cases) check_schedules(*gpu, *shape, *shape, given);
  }
}

TEST_CASE("Every schedule gives the same bits with another shape in the PML on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
  for (const char* inner : {"tma_ring_128x32", "tma_two_steps_64x32", "st_window_32x32x64"}) {
    const CodeShape& shape = find_shape(inner);
    if (!why_not(shape, gpu->info()).empty()) continue;
    for (const char* pml : {"st_window_32x32x32", "st_window_64x16x32", "gmem_16x16x4"}) {
      for (const auto& cases : {small_cases, large_cases}) {
        for (const ScheduleCase& given : cases) check_schedules(*gpu, shape, find_shape(pml), given);
      }
    }
  }
}

TEST_CASE("A graph of launches is made anew for another medium on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
  const CodeShape& shape = find_shape("tma_ring_v16");  // whose launches get the code of the medium
  if (const std::string why = why_not(shape, gpu->info()); !why.empty()) SKIP(why);
  const ScheduleCase given = small_cases[0];
  const auto field_after = [&](Schedule schedule) {
    Propagator propagator = make_propagator(*gpu, given, {&shape, &shape, schedule});
    propagator.set_random_field(5);
    for (int n = 0; n < 4; ++n) propagator.step();
    propagator.set_velocity(1e-3, [&](int z, float* plane) {
      for (int i = 0; i < given.n.x * given.n.y; ++i) plane[i] = static_cast<float>(3000 + (i + z) % 500);
    });
    for (int n = 0; n < 4; ++n) propagator.step();
    return propagator.wavefield({{0, 0, 0}, {given.n.x, given.n.y, given.n.z}});
  };
  CHECK(same_bits(field_after(Schedule::beside), field_after(Schedule::sequence)));
}

TEST_CASE("Two steps in one launch give the bits of two launches, whatever the buffers held", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
  const std::vector<int> last_two{50, 51};
  int shapes = 0;
  for (const CodeShape* shape : shapes_on(*gpu)) {
    if (shape->device.two_steps == nullptr) continue;
    ++shapes;
    for (const auto& cases : {small_cases, large_cases, strip_cases}) {
      for (const ScheduleCase& given : cases) {
        const std::uint32_t poison = 23;
        const KernelSet in_sequence{shape, shape}, in_pairs{shape, shape, Schedule::two_steps};
        const auto expected = run_schedule(*gpu, given, in_sequence, last_two, poison);
        for (int repeat = 0; repeat < 10; ++repeat) {
          CAPTURE(shape->name, given.n.x, given.n.y, given.n.z, given.source.x, repeat);
          CHECK(difference(run_schedule(*gpu, given, in_pairs, last_two, poison), expected).empty());
        }
      }
    }
  }
  if (shapes == 0) SKIP("no shape makes two steps in one launch on this GPU");
}

TEST_CASE("A run goes on in sequence where another schedule has left off, and back, on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
  const ScheduleCase given = small_cases[0];
  for (const CodeShape* shape : shapes_on(*gpu)) {
    const auto field_after = [&](int steps, Schedule schedule) {
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
    const auto expected = field_after(12, Schedule::sequence);
    for (const Schedule schedule : {Schedule::beside, Schedule::two_steps}) {
      if (schedule == Schedule::two_steps && shape->device.two_steps == nullptr) continue;
      CAPTURE(shape->name, static_cast<int>(schedule));
      CHECK(same_bits(field_after(12, schedule), expected));
    }
  }
}

// A wave that has met only the nearest corner cannot know how large the grid is: near the first and the last
// corner of 1300^3 points the traces must be those of a small grid, to the bit.
TEST_CASE("Shapes are right beyond 2^31 points on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
  const int steps = 40, small_edge = 200, large_edge = 1300;
  Domain domain{{large_edge, large_edge, large_edge}, 20, 3.5e-3};
  domain.pml_width = 27;
  domain.pml_velocity = domain.velocity;
  const CodeShape& portable = find_shape("kokkos");
  REQUIRE(domain.n.points() > std::int64_t{1} << 31);
  if (Propagator::bytes_needed(domain.grid(), domain.boundary(), {&portable, &portable}) >
      gpu->free_bytes()) {
    SKIP("1300^3 points need more memory than the GPU has free");
  }
  const auto traces = [&](int edge, int at, const CodeShape& shape) {
    domain.n = {edge, edge, edge};
    const bool in_pairs = shape.device.two_steps != nullptr;
    Propagator propagator =
        make_propagator(*gpu, domain, {&shape, &shape, in_pairs ? Schedule::two_steps : Schedule::sequence});
    propagator.set_source({at, at, at}, ricker_samples(10, 0.05, domain.dt, steps));
    propagator.set_receivers({{at, at, at}, {at + 5, at - 3, at}, {at, at, at + 20}}, steps);
    for (int n = 0; n < steps; ++n) {
      propagator.step();
      propagator.record();
    }
    return propagator.fetch_batch();
  };
  for (const char* name :
       {"reference", "gmem_8x8x8", "st_reg_fixed_32x32", "st_window", "tma_ring", "tma_two_steps"}) {
    CAPTURE(name);
    const CodeShape& shape = find_shape(name);
    if (!why_not(shape, gpu->info()).empty()) continue;
    const auto first = traces(small_edge, 35, shape);
    CHECK(traces(large_edge, 35, shape) == first);
    CHECK(traces(large_edge, large_edge - 36, shape) == traces(small_edge, small_edge - 36, shape));
    CHECK(relative_l2(first, std::vector<float>(first.size(), 1)) != 1);
  }
}
