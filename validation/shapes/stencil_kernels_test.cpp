/// Kernels of specifications against the interpreter of their equations.
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels/compiled/code_cache.hpp"
#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/measure/stencils/stencil_verification.hpp"
#include "src/stencil/interpreter.hpp"
#include "src/stencil/kernel_source.hpp"
#include "src/stencil/language/parser.hpp"
#include "src/stencil/language/shipped.hpp"
#include "validation/shapes/step_without_barrier.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/kernels/gpu_target.hpp"

namespace minimod::stencil {

namespace {

/// Both precisions, one side alone, corners, an array that is read along z alone, quotients, two steps back.
const char* const manifold =
    "in double a, before; in float b from 1 to 2; in double c;\nout double s; out float d;\n"
    "next before = a;\nnext a = s;\nscalar half = 1 / 2;\n"
    "t = (a[i-2,j,k] - c[i,j,k+2] * b[i+1,j-1,k]) * half; r = -t / b[i,j,k-1];\n"
    "t += a[i,j+3,k] * 0.1;\nd[i,j,k] = t - r * r;\ns[i,j,k] = (before[i,j,k] - t * r) / 4;\n";

/// Kernels of families that take any stencil without corners off the plane.
const char* const kernels_of_any = "naive_32x8,naive,tiled_ro,coarsened,forward_plane_ro,register_tiled";

/// A sum in many ways, of one side alone, of two arrays of two precisions, to two outputs.
const char* const linear =
    "in double a; in float b;\nout double s; out float d;\nnext a = s;\nscalar third = 1 / 3;\n"
    "t = -(a[i-2,j,k+2] + 2 * b[i,j,k]) * third + 0.25; t += (t - b[i,j-1,k+1]) / 4;\n"
    "d[i,j,k] = t - a[i+1,j+1,k] * (2 - third); s[i,j,k] = 0.5 * t;\n";

/// Sums with weights that are arrays, one of them squared, in planes above and below, and terms without a
/// value beside the point.
const char* const weighted =
    "in double a; in float w from 0.2 to 0.4; in double e from 0.5 to 0.7;\nout double s; out double d;\n"
    "next a = s;\nt = w[i,j,k] * (a[i-1,j,k+1] - 0.5 * a[i,j,k]) + e[i,j,k] * w[i,j,k];\n"
    "s[i,j,k] = t * e[i,j,k] / 2 - a[i+1,j+1,k-2] * w[i,j,k] * w[i,j,k];\nd[i,j,k] = 0.5 * t + 0.25 - "
    "e[i,j,k];\n";

/// All functions, of arrays, temporaries and constants.
const char* const with_functions =
    "in double a from 1 to 2; in float w from i - ni / 2;\nout double s; out float d;\nnext a = s;\n"
    "t = sqrt(a[i-1,j,k] + max(w[i,j,k], 0.5)); r = min(t, abs(w[i,j-1,k] - 0.25), a[i,j,k+1]);\n"
    "s[i,j,k] = 0.5 * max(-r, t) + sqrt(2); d[i,j,k] = min(r * t, 0.75);\n";

void check_verdicts(const Specification& specification, const std::string& names, Extent3 n, int steps,
                    Backend* gpu = nullptr) {
  const auto kernels = parse_kernel_names(names);
  const auto verdicts = verify(specification, kernels, {n, steps}, gpu);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    CAPTURE(specification.name, kernels[i].text(), verdicts[i].error, verdicts[i].why_not, verdicts[i].fault);
    CHECK(verdicts[i].is_right);
  }
}

Specification in_double(const char* name) {
  return with_precision(find_specification(name), Precision::float64);
}

}  // namespace

TEST_CASE("Kernels of stencils agree with the equations, whatever their tiles", "[shapes]") {
  const Extent3 odd{19, 13, 7};
  check_verdicts(parse_specification(manifold, "manifold.stencil"),
                 "naive_5x3,tiled_7x2x3_ro,coarsened_4x3x2,forward_plane_11x2,register_tiled_8x6_r2x3", odd,
                 5);
  check_verdicts(find_specification("tang_12"), "tiled_3x2x1,coarsened_2x5x3_ro,forward_plane_1x1", odd, 2);
  check_verdicts(in_double("himeno"), "tiled_16x1x8,register_tiled_6x4_r3x1_ro", odd, 20);
  check_verdicts(in_double("div"), "forward_plane_32x8,register_tiled_4x4_r4x2,in_plane_full_7x3_r1x1", odd,
                 20);
  check_verdicts(in_double("grad"), "in_plane_full_8x8_r2x4_ro", odd, 20);
  check_verdicts(parse_specification(linear, "linear.stencil"), "in_plane_full_12x5_r4x1,naive_9x9", odd, 5);
  check_verdicts(parse_specification(weighted, "weighted.stencil"), "in_plane_full_6x4_r2x1,naive_9x9", odd,
                 5);
  check_verdicts(parse_specification(with_functions, "functions.stencil"),
                 "naive_8x3_v2,tiled_7x2x3_ro,coarsened_4x3x2,forward_plane_11x2,register_tiled_8x6_r2x3",
                 odd, 20);
  check_verdicts(in_double("hyperthermia"), "in_plane_full_8x6_r1x2,red_black_6x3,naive_5x3", odd, 20);
}

TEST_CASE("Equations that give no number are named, not the kernel", "[shapes]") {
  const Specification specification =
      parse_specification("in float u;\nout float v;\nv[i,j,k] = sqrt(u[i,j,k]);", "root.stencil");
  const Outcome outcome = outcome_of([&] {
    (void)verify(specification, parse_kernel_names("naive_8x3"), {{7, 5, 3}, 1}, nullptr);
  });
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.says("the equations of root give no number for 'v' at i, j, k = "));
}

TEST_CASE("Vectors of a kernel may be cut by any end of the grid, and read past none", "[shapes]") {
  const Extent3 odd{19, 13, 7};
  check_verdicts(parse_specification(manifold, "manifold.stencil"), "naive_8x3_v2,naive_16x2_v4_ro", odd, 5);
  check_verdicts(parse_specification(linear, "linear.stencil"),
                 "in_plane_full_8x6_r2x3_v2,in_plane_full_12x4_r4x2_v4_ro", odd, 5);
  check_verdicts(parse_specification(weighted, "weighted.stencil"),
                 "in_plane_full_8x4_r1x1_v2_ro,in_plane_full_8x4_r8x1_v4", odd, 5);
  check_verdicts(in_double("tang_12"), "in_plane_full_16x4_r4x2_v4,naive_16x3_v4", {21, 5, 3}, 3);
  check_verdicts(in_double("himeno"), "in_plane_full_12x4_r3x1_v4", {9, 6, 17}, 5);
}

TEST_CASE("Rows of a CPU's cores have the bits of a GPU's kernels that read memory alone", "[shapes]") {
  const auto check_bits = [](const Specification& specification, Extent3 n) {
    const auto verdicts = verify(specification, parse_kernel_names("rows,naive_8x4_v2"), {n, 5}, nullptr);
    CAPTURE(specification.name, verdicts[0].error, verdicts[0].fault);
    CHECK(verdicts[0].passed());
    CHECK(verdicts[0].checksum == verdicts[1].checksum);
  };
  check_bits(parse_specification(manifold, "manifold.stencil"), {19, 13, 7});
  check_bits(parse_specification(with_functions, "functions.stencil"), {37, 3, 2});
  check_bits(in_double("himeno"), {21, 5, 3});
  check_bits(find_specification("tang_12"), {70, 40, 3});  // some blocks of rows
}

TEST_CASE("A kernel of cores is refused on a GPU, and has no tiles", "[shapes]") {
  const auto gpu = make_host_backend();  // none is asked before the refusal
  const auto names = parse_kernel_names("rows");
  const auto outcome = outcome_of([&] {
    static_cast<void>(compile_kernels(find_specification("zhang_7"), names, {9, 9, 9}, gpu.get()));
  });
  CHECK(outcome.kind == ErrorKind::parameter);
  for (const char* name : {"rows_8x8", "rows_ro"}) CHECK_FALSE(find_kernel_name(name));
}

TEST_CASE("A full slice without its barrier is found", "[shapes]") {
  const Specification specification = find_specification("zhang_7");
  const StepWithoutBarrier faulty(specification, parse_kernel_name("in_plane_full_8x4_r2x1_v2"),
                                  "kernels/shapes/planes_ahead.hpp", 0, {9, 9, 9});
  CHECK_FALSE(faulty.value({4, 4, 4}) == faulty.right_value({4, 4, 4}));
}

TEST_CASE("Colour by colour, the second one reads what the first one has become", "[shapes]") {
  const Specification specification = in_double("poisson");
  const Extent3 n{5, 4, 3};
  const auto kernels = compile_kernels(specification, parse_kernel_names("red_black_4x2"), n, nullptr);
  ArraySet arrays(specification, n, nullptr);
  Interpreter right(specification, n), jacobi(specification, n);
  kernels.front().run(arrays.args());
  arrays.hand_on();
  right.step(Sweep::red_black);
  jacobi.step();
  const auto bytes = arrays.bytes_of(0);
  const Index3 red{2, 2, 0}, black{2, 1, 0};
  CHECK(arrays.value(bytes, 0, red) == right.value(0, red));
  CHECK(arrays.value(bytes, 0, black) == right.value(0, black));
  CHECK(right.value(0, red) == jacobi.value(0, red));
  CHECK_FALSE(right.value(0, black) == jacobi.value(0, black));
}

TEST_CASE("A kernel of a stencil without its barrier is found", "[shapes]") {
  const Specification specification = find_specification("zhang_7");
  const StepWithoutBarrier faulty(specification, parse_kernel_name("tiled_4x4x4"),
                                  "kernels/shapes/smem_u.hpp", 0, {9, 9, 9});
  CHECK_FALSE(faulty.value({4, 4, 4}) == faulty.right_value({4, 4, 4}));
}

TEST_CASE("Kernels that no GPU runs are refused with the limit", "[shapes]") {
  const Specification corners = find_specification("zhang_27"), wide = in_double("tang_12");
  const auto why = [](const char* name, const Specification& specification) {
    return why_not(parse_kernel_name(name), specification);
  };
  CHECK(why("forward_plane", corners).find("corners off the plane") != std::string::npos);
  CHECK(why("tiled_32x32x2", corners).find("2048 threads, at most 1024") != std::string::npos);
  CHECK(why("tiled_1x1x100", corners).find("100 threads along z, at most 64") != std::string::npos);
  CHECK(why("coarsened_128x8x4", wide).find("B of shared memory, at most 232448") != std::string::npos);
  CHECK(why("register_tiled_32x8_r3x1", corners).find("no multiple of 3x1") != std::string::npos);
  CHECK(why("register_tiled_32x32_r8x8", corners).find("64 points, at most 32") != std::string::npos);
  CHECK(why("naive_9x8_v2", corners) == "its tile is no multiple of 2 values along x");
  CHECK(why("naive_12x8_v3", corners) == "its vectors have 3 values, 1, 2 or 4 may be");
  CHECK(why("in_plane_full_66x4_r1x1_v4", corners) == "its tile is no multiple of 4 values along x");
  CHECK(why("in_plane_full_128x48_r4x6_v4", wide).find("B of shared memory, at most 232448") !=
        std::string::npos);
  CHECK(why("in_plane_full", parse_specification("in float a, b; out float c;\n"
                                                 "c[i,j,k] = a[i-1,j,k] * b[i+1,j,k];\n",
                                                 "x.stencil")) ==
        "its equations are no sums of values times weights");
  std::string arrays = "in float a0, b0", product = "(a0[i,j,k] + b0[i,j,k])";  // a product of 2^15 terms
  for (int k = 1; k < 15; ++k) {
    arrays += text(", a", k, ", b", k);
    product += text(" * (a", k, "[i,j,k] + b", k, "[i,j,k])");
  }
  CHECK_FALSE(
      facts_of(parse_specification(arrays + "; out float c;\nc[i,j,k] = " + product + ";\n", "x.stencil"))
          .is_linear);
  CHECK(why("red_black_7x4", find_specification("poisson")) == "its tile is odd along x");
  CHECK(why("red_black", corners) == "it reads points of their own colour");
  CHECK(why("red_black", find_specification("div")) == "no input takes over an output");
  CHECK(why("red_black", parse_specification("in float a, b; out float c; next a = b; next b = c;\n"
                                             "c[i,j,k] = a[i-1,j,k] + b[i+1,j,k];\n",
                                             "x.stencil")) == "an input takes over what another input had");
  for (const char* name :
       {"", "naive_", "naive_8", "naive_8x8x8", "tiled_0x1x1", "coarsened_8x8", "semi", "register_tiled_8x8",
        "register_tiled_8x8_r1x1_v2", "forward_plane_8x8_v2", "naive_8x8_v", "naive_8x8_ro_ro"}) {
    CAPTURE(name);
    const Outcome refused = outcome_of([&] { static_cast<void>(parse_kernel_name(name)); });
    CHECK(refused.kind == ErrorKind::parameter);
  }
  const Outcome infinite = outcome_of([] {
    static_cast<void>(equations_text(parse_specification(
        "in float u;\nout float v;\nv[i,j,k] = u[i,j,k] * (1e30 * 1e30);\n", "x.stencil")));
  });
  CHECK(infinite.kind == ErrorKind::data);
  CHECK(infinite.says("is 1e+60 in float"));
}

void check_stencils_taken(const GpuTarget& gpu) {
  gpu.skip_without_compiler();
  const TemporaryDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  const auto compile = [&](const Specification& specification, const std::string& names) {
    for (const KernelName& name : parse_kernel_names(names)) {
      for (int launch = 0; launch < name.family->launches(); ++launch) {
        CAPTURE(specification.name, name.text(), launch);
        CHECK(gpu.takes(device_source(specification, name, launch), cache));
      }
    }
  };
  compile(parse_specification(manifold, "manifold.stencil"), kernels_of_any);
  compile(parse_specification(linear, "linear.stencil"), "in_plane_full,in_plane_full_ro");
  compile(parse_specification(weighted, "weighted.stencil"), "in_plane_full_ro");
  compile(parse_specification(with_functions, "functions.stencil"), "naive,forward_plane_ro");
  compile(find_specification("zhang_27"), "register_tiled_ro");
  compile(find_specification("poisson"), "red_black_ro");
}

TEST_CASE("nvrtc takes the kernels of stencils", "[shapes]") {
  check_stencils_taken(GpuTarget::h100());
}

TEST_CASE("hiprtc takes the kernels of stencils", "[shapes]") {
  check_stencils_taken(GpuTarget::mi200());
}

TEST_CASE("Kernels of stencils agree with the equations on a GPU", "[gpu]") {
  if (gpu_devices.find().count == 0) SKIP(gpu_devices.find().why_none);
  const auto gpu = gpu_devices.make(0);
  const Problem problem;
  check_verdicts(parse_specification(manifold, "manifold.stencil"), kernels_of_any, problem.n, 5, gpu.get());
  check_verdicts(parse_specification(weighted, "weighted.stencil"), "in_plane_full", problem.n, 5, gpu.get());
  check_verdicts(in_double("hyperthermia"), "all", problem.n, problem.steps, gpu.get());
  for (const Specification& specification :
       {find_specification("tang_12"), in_double("div"), in_double("himeno")}) {
    const auto kernels = parse_kernel_names("all");
    const auto verdicts = verify(specification, kernels, problem, gpu.get());
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      CAPTURE(specification.name, kernels[i].text(), verdicts[i].error, verdicts[i].fault);
      CHECK(verdicts[i].passed());
    }
  }
}

}  // namespace minimod::stencil
