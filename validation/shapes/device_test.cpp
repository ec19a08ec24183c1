/// Every shape on the GPU against the host's reference, and the index arithmetic of a field beyond 2^31
/// points.
#include <catch2/catch_test_macros.hpp>

#include "validation/physics/homogeneous_run.hpp"

using namespace minimod;

namespace {

/// The wavefield after `steps` steps of a medium whose velocity changes from point to point; `rounded`: as a
/// shape has it that reads it in 16 bits.
std::vector<float> wavefield_after(int steps, Backend& backend, const CodeShape& shape,
                                   Decomposition decomposition = Decomposition::seven, bool rounded = false) {
  HomogeneousRun run{{150, 131, 117}, 20, 2000, 0, 27, 3000};
  run.dt = 0.8 * stable_dt_limit(3000, {run.h, run.h, run.h});
  Propagator propagator = make_propagator(backend, run, {&shape, &shape}, decomposition);
  propagator.set_velocity(run.dt, [&](int z, float* plane) {
    for (int i = 0; i < run.n.x * run.n.y; ++i)
      plane[i] = 2000 + static_cast<float>((i * 7 + z * 131) % 1000);
  });
  propagator.set_source({70, 60, 50}, ricker_samples(10, 0.12, run.dt, steps));
  if (rounded) propagator.round_velocity_to_codes();
  for (int n = 0; n < steps; ++n) propagator.step();
  return propagator.wavefield({{0, 0, 0}, {run.n.x, run.n.y, run.n.z}});
}

double relative_l2(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double{a[i]} - b[i], 2);
    size += std::pow(double{b[i]}, 2);
  }
  return std::sqrt(difference / size);
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
  for (const CodeShape& shape : all_shapes()) {
    if (shape.device.inner == nullptr) continue;
    const auto& expected = shape.needs_v16 ? rounded : exact;
    const auto field = wavefield_after(steps, *gpu, shape);
    const double error = relative_l2(field, expected);
    std::printf("%-20s relative L2 %.2e, %s\n", shape.name.c_str(), error,
                field == expected ? "the same bits" : "other bits");
    CAPTURE(shape.name);
    CHECK(error <= 1e-6);
  }
}

TEST_CASE("The decompositions into two launches and one agree with the one into seven on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
  for (const CodeShape& shape : all_shapes()) {
    if (shape.device.mixed == nullptr) continue;
    CAPTURE(shape.name);
    const auto seven = wavefield_after(50, *gpu, shape);
    CHECK(relative_l2(wavefield_after(50, *gpu, shape, Decomposition::two), seven) <= 1e-6);
    CHECK(relative_l2(wavefield_after(50, *gpu, shape, Decomposition::one), seven) <= 1e-6);
  }
}

// A wave that has met only the nearest corner cannot know how large the grid is: near the first and the last
// corner of 1300^3 points the traces must be those of a small grid, to the bit.
TEST_CASE("Shapes are right beyond 2^31 points on the GPU", "[gpu]") {
  if (find_cuda_devices().count == 0) SKIP(find_cuda_devices().why_none);
  const auto gpu = make_cuda_backend(0);
  const int steps = 40, small_edge = 200, large_edge = 1300;
  HomogeneousRun run{{large_edge, large_edge, large_edge}, 20, 2000, 3.5e-3, 27, 2000};
  const Grid large = make_grid(run.n, {20, 20, 20}, 27);
  REQUIRE(run.n.points() > std::int64_t{1} << 31);
  if (Propagator::bytes_needed(large, make_regions(run.n, same_on_all_faces(27)), portable_kernels()) >
      gpu->free_bytes()) {
    SKIP("1300^3 points need more memory than the GPU has free");
  }
  const auto traces = [&](int edge, int at, const CodeShape& shape) {
    run.n = {edge, edge, edge};
    Propagator propagator = make_propagator(*gpu, run, {&shape, &shape});
    propagator.set_source({at, at, at}, ricker_samples(10, 0.05, run.dt, steps));
    propagator.set_receivers({{at, at, at}, {at + 5, at - 3, at}, {at, at, at + 20}}, steps);
    for (int n = 0; n < steps; ++n) {
      propagator.step();
      propagator.record();
    }
    return propagator.fetch_batch();
  };
  for (const char* name : {"reference", "gmem_8x8x8", "st_reg_fixed_32x32"}) {
    CAPTURE(name);
    const CodeShape& shape = find_shape(name);
    const auto first = traces(small_edge, 35, shape);
    CHECK(traces(large_edge, 35, shape) == first);
    CHECK(traces(large_edge, large_edge - 36, shape) == traces(small_edge, small_edge - 36, shape));
    CHECK(relative_l2(first, std::vector<float>(first.size(), 1)) != 1);
  }
}
