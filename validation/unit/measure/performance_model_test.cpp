/// The model of Tang et al. against numbers worked by hand.
#include "src/tune/performance_model.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace minimod {
namespace {

using Catch::Approx;

/// A GPU of round numbers: 10 multiprocessors with 1 GB/s each, 1 GHz, 500 cycles of latency, 65 warps.
const GpuFacts round_gpu{10, 10e9, 1e9, 500, 65};

/// 45 blocks of 8 warps, a row each, with two points a thread: 512 points a round, 700 values loaded, 100
/// rounds.
const BlockWork round_work{45, 100, 8, 512, 2, 700, 37, 17, 3, 1};

/// 45 blocks, two at once on each of 10 multiprocessors: two full stages of 20, and 5 that are left, one on a
/// multiprocessor.
constexpr LaunchFacts two_blocks{{}, 0, 40, 4096, 0, 2, 0.25};

double seconds(ModelForm form, const LaunchFacts& compiled = two_blocks, std::size_t value_bytes = 4) {
  return predicted_seconds(form, round_gpu, round_work, compiled, value_bytes);
}

TEST_CASE("The equations as printed, by hand", "[unit]") {
  // T_m = 500 ns + (700 + 3·512)·4 B / 1 GB/s = 9444 ns; T_c = 2·37·2·8 cycles = 1184 ns
  // f(2): 16 warps of 65, 2 - 15/64 = 1.765625; f(1) = 1
  const double t_s = 1.765625 * 9444 + 2 * 1184, t_l = 9444 + 1184;
  CHECK(seconds(ModelForm::paper) == Approx(100 * (2 * t_s + t_l) * 1e-9));
}

TEST_CASE("The mended equations, by hand", "[unit]") {
  // Waiting: 3·500 ns. Memory: 4·512·4 B / 1 GB/s = 8192 ns a block, more than 8944 B / 64 B a clock and than
  // 37·2·8 = 592 cycles. Half a block's own work is not hidden.
  const double t_s = 1500 + 2.5 * 8192, t_l = 1500 + 1.5 * 8192;
  CHECK(seconds(ModelForm::mended) == Approx(100 * (2 * t_s + t_l) * 1e-9));
  CHECK(seconds(ModelForm::mended, two_blocks, 8) ==
        Approx(100 * (2 * (t_s + 2.5 * 8192) + t_l + 1.5 * 8192) * 1e-9));
}

TEST_CASE("A point that loads nothing of its own waits for its sum", "[unit]") {
  BlockWork work = round_work;
  work.own_values = 1;
  // 500 + 2·37·4 cycles; 2·512·4 B / 1 GB/s = 4096 ns a block.
  const double t_s = 796 + 2.5 * 4096, t_l = 796 + 1.5 * 4096;
  CHECK(predicted_seconds(ModelForm::mended, round_gpu, work, two_blocks, 4) ==
        Approx(100 * (2 * t_s + t_l) * 1e-9));
}

TEST_CASE("A warp that lies in two rows takes a clock more for each load of the star", "[unit]") {
  GpuFacts gpu = round_gpu;
  gpu.bytes_per_s = 1e15;
  BlockWork work = round_work;
  work.rows_per_warp = 2;  // 17·2·8 = 272 cycles more than 592
  const double t_s = 1500 + 2.5 * 864, t_l = 1500 + 1.5 * 864;
  CHECK(predicted_seconds(ModelForm::mended, gpu, work, two_blocks, 4) ==
        Approx(100 * (2 * t_s + t_l) * 1e-9));
}

TEST_CASE("Spilled registers pass between the L2 and the multiprocessor", "[unit]") {
  GpuFacts gpu = round_gpu;
  gpu.bytes_per_s = 1e15;
  LaunchFacts spilling = two_blocks;
  // (700 + 3·512)·4 + 2·64·256 B = 41712 B: 651.75 cycles, over 592 of computing, which count without them.
  spilling.local_bytes = 64;
  const auto mended = [&](const LaunchFacts& compiled) {
    return predicted_seconds(ModelForm::mended, gpu, round_work, compiled, 4);
  };
  CHECK(mended(spilling) - mended(two_blocks) == Approx(100 * (2 * 2.5 + 1.5) * (651.75 - 592) * 1e-9));
  gpu.warp_threads = 64;  // 74480 B: 1163.75 cycles
  CHECK(mended(spilling) - mended(two_blocks) == Approx(100 * (2 * 2.5 + 1.5) * (1163.75 - 592) * 1e-9));
}

TEST_CASE("One stage is the last one, and full multiprocessors hide all in the paper's model", "[unit]") {
  BlockWork work = round_work;
  work.blocks = 20;
  CHECK(predicted_seconds(ModelForm::mended, round_gpu, work, two_blocks, 4) ==
        Approx(100 * (1500 + 2.5 * 8192) * 1e-9));
  work.blocks = 80;
  const LaunchFacts full{{}, 0, 32, 4096, 0, 8, 64.0 / 65};  // 64 of 65 warps: 8 - 7·63/64
  CHECK(predicted_seconds(ModelForm::paper, round_gpu, work, full, 4) ==
        Approx(100 * (1.109375 * 9444 + 8 * 4 * 1184) * 1e-9));
}

}  // namespace
}  // namespace minimod
