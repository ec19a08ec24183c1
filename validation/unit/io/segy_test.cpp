#include <cmath>
#include <csignal>
#include <limits>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/files/input_file.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/base/segy/ibm_float.hpp"
#include "src/base/segy/segy_text.hpp"
#include "src/io/segy/segy_file.hpp"
#include "src/io/segy/segy_headers.hpp"
#include "src/io/segy/segy_limits.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// Distance of two neighbouring IBM floats around `value`.
double ibm_spacing(double value) {
  const int sixteens = static_cast<int>(std::ceil(std::floor(std::log2(std::abs(value)) + 1) / 4));
  return std::ldexp(1.0, 4 * sixteens - 24);
}

ShotGather small_gather() {
  ShotGather gather;
  gather.samples = 4;
  gather.record_dt = 2e-3;
  gather.traces = std::vector<float>{0, 1, -2.5F, 3e-39F, 5, -6, 7, 8};
  gather.receivers = gather.requested_receivers = {{100, 200, 10}, {87.5, 200, 0}};
  gather.sources = gather.requested_sources = {{90, 200, 7.125}};
  gather.wavelets = {{1, 0}};
  gather.wavelet_dt = 2e-3;
  gather.metadata = {{"program", std::string("minimod 0.1.0")},
                     {"date", std::string("2024-12-31T23:59:58Z")}};
  return gather;
}

std::vector<std::byte> content_of(const fs::path& path) {
  const InputFile file(path);
  std::vector<std::byte> bytes(file.size());
  file.read(0, bytes);
  return bytes;
}

/// Number in the `count` bytes from `at` on, big-endian and signed.
std::int64_t number_at(const std::vector<std::byte>& bytes, std::size_t at, int count) {
  std::int64_t value = std::to_integer<int>(bytes.at(at)) >= 128 ? -1 : 0;
  for (int i = 0; i < count; ++i) value = value * 256 + std::to_integer<int>(bytes.at(at + i));
  return value;
}

/// The header word that begins at byte `at`, counted from 1, of a trace of small_gather.
std::int64_t word_of(const std::vector<std::byte>& bytes, int trace, std::size_t at, int count) {
  constexpr std::size_t trace_size = segy::trace_header_bytes + 4 * sizeof(float);
  return number_at(bytes, segy::file_header_bytes + trace * trace_size + at - 1, count);
}

}  // namespace

TEST_CASE("IBM floats are the nearest, of two the even one", "[unit]") {
  CHECK(to_ibm(1) == 0x41100000);
  CHECK(to_ibm(-118.625F) == 0xc276a000);
  CHECK(to_ibm(0.0F) == 0);
  CHECK(to_ibm(-0.0F) == 0);
  using Limits = std::numeric_limits<float>;
  for (const float exact : {Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(), 0.1F, 16.0F,
                            std::nextafter(Limits::min(), 0.0F), std::nextafter(16.0F, 0.0F)}) {
    CAPTURE(exact);
    const double found = from_ibm(to_ibm(exact));
    CHECK(std::abs(found - double{exact}) <= ibm_spacing(exact) / 2);
  }
  CHECK(from_ibm(to_ibm(Limits::denorm_min())) == double{Limits::denorm_min()});
  // One significant bit of 24 is dropped at 4, two at 2, three at 1: ties go to the even fraction.
  CHECK(from_ibm(to_ibm(1 + 4 * Limits::epsilon())) == 1.0);
  CHECK(from_ibm(to_ibm(1 + 12 * Limits::epsilon())) == 1.0 + 16 * double{Limits::epsilon()});
  CHECK(from_ibm(to_ibm(1 + 5 * Limits::epsilon())) == 1.0 + 8 * double{Limits::epsilon()});
  CHECK(from_ibm(to_ibm(std::nextafter(2.0F, 0.0F))) == 2.0);
}

TEST_CASE("IBM floats of any bits are within their rounding", "[unit]") {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value) || value == 0) continue;
    const std::uint32_t bits = to_ibm(value);
    const double away = std::abs(from_ibm(bits) - double{value});
    if ((bits & 0xf00000) == 0 || away > ibm_spacing(value) / 2) FAIL("of " << value);
  }
}

TEST_CASE("Headers of a SEG-Y file stand where the standard has them", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot.sgy";
  write_segy(small_gather(), {SegyFloats::ieee, 16}, file, false);
  CHECK(segy_kind.is(file));
  CHECK(directory.entries() == 1);
  const auto bytes = content_of(file);
  REQUIRE(bytes.size() == 3600 + 2 * (240 + 16));
  CHECK(number_at(bytes, 3216, 2) == 2000);
  CHECK(number_at(bytes, 3220, 2) == 4);
  CHECK(number_at(bytes, 3224, 2) == 5);
  CHECK(number_at(bytes, 3500, 2) == 0x100);
  for (const int trace : {0, 1}) {
    CAPTURE(trace);
    CHECK(word_of(bytes, trace, 1, 4) == trace + 1);
    CHECK(word_of(bytes, trace, 9, 4) == 16);
    CHECK(word_of(bytes, trace, 17, 4) == 16);
    CHECK(word_of(bytes, trace, 13, 4) == trace + 1);
    CHECK(word_of(bytes, trace, 49, 4) == 7125);
    CHECK(word_of(bytes, trace, 71, 2) == -1000);
    CHECK(word_of(bytes, trace, 73, 4) == 90'000);
    CHECK(word_of(bytes, trace, 157, 2) == 2024);
    CHECK(word_of(bytes, trace, 159, 2) == 366);
    CHECK(word_of(bytes, trace, 165, 2) == 58);
  }
  CHECK(word_of(bytes, 0, 37, 4) == 10);
  CHECK(word_of(bytes, 1, 37, 4) == -3);
  CHECK(word_of(bytes, 0, 41, 4) == -10'000);
  CHECK(word_of(bytes, 1, 81, 4) == 87'500);
  CHECK(word_of(bytes, 0, 241, 4) == 0);
  CHECK(word_of(bytes, 0, 245, 4) == 0x3f800000);
}

TEST_CASE("Positions in SEG-Y keep a millimetre where 32 bits allow it", "[unit]") {
  CHECK(segy_scalar(0) == -1000);
  CHECK(segy_scalar(2147483.6) == -1000);
  CHECK(segy_scalar(5'812'345.67) == -100);  // a northing
  CHECK(segy_scalar(2e8) == -10);
  CHECK(segy_scalar(2e9) == 1);
  CHECK(outcome_of([] { (void)segy_scalar(3e9); }).kind == ErrorKind::data);
  const FileCoordinates far{{0, 3e9, 0}};
  CHECK(outcome_of([&] { require_segy_positions(far, {1, 1, 1}); }).says("origin"));
  ShotGather gather = small_gather();
  gather.sources.push_back({0, 0, 0});  // only the first one has a place in the header
  gather.metadata.emplace_back("model_origin", std::vector<double>{431'000.5, 6'500'000.25, 100});
  gather.metadata.emplace_back("model_x_axis", std::vector<double>{0, 1});
  const segy::Bytes bytes = segy::TraceHeaders(gather, 0).make(1, 1);
  CHECK(number_at(bytes, 70, 2) == -100);
  CHECK(number_at(bytes, 72, 4) == 43'080'050);   // 431000.5 - 200
  CHECK(number_at(bytes, 76, 4) == 650'009'025);  // 6500000.25 + 90
  CHECK(number_at(bytes, 84, 4) == 650'008'775);
  CHECK(number_at(bytes, 36, 4) == -3);
  CHECK(number_at(bytes, 40, 4) == -100'000);
  CHECK(number_at(bytes, 48, 4) == 107'125);
}

TEST_CASE("The first sample's time is whole milliseconds, or parts of them by a scalar", "[unit]") {
  const auto words = [](double first) {
    ShotGather gather = small_gather();
    gather.first_time = first;
    const segy::Bytes header = segy::TraceHeaders(gather, 0).make(0, 1);
    return std::pair<int, int>(number_at(header, 108, 2), number_at(header, 214, 2));
  };
  CHECK(words(0) == std::pair(0, 0));
  CHECK(words(-0.25) == std::pair(-250, 0));
  CHECK(words(-30) == std::pair(-30000, 0));
  CHECK(words(-0.1234) == std::pair(-1234, -10));
  CHECK(words(-0.012345) == std::pair(-12345, -1000));
  CHECK(words(1.8e-6) == std::pair(18, -10000));
  CHECK(outcome_of([&] { (void)words(-1 / 3.0); }).kind == ErrorKind::data);
  CHECK(outcome_of([&] { (void)words(-40); }).kind == ErrorKind::data);
}

TEST_CASE("A sampling that SEG-Y cannot say is refused with the option that helps", "[unit]") {
  CHECK(segy_interval(0.002) == 2000);
  CHECK(segy_interval(3 * 0.0011) == 3300);
  CHECK(segy_time_step(1293.87e-6) == 1293e-6);
  CHECK(segy_time_step(1e-3) == 1e-3);
  CHECK(segy_time_step(1) == 32767e-6);
  require_segy_sampling(32767e-6, 32767);
  for (const auto& [dt, samples, says] : {std::tuple{1293.87e-6, 10, "--record-dt 1293e-6"},
                                          {0.04, 10, "--record-dt"},
                                          {1e-7, 10, "--record-dt"},
                                          {1e-3, 32768, "--tmax"},
                                          {1e-3, 70000, "--record-dt 3000e-6"}}) {
    CAPTURE(dt, samples);
    const Outcome refused = outcome_of([&] { require_segy_sampling(dt, samples); });
    CHECK(refused.kind == ErrorKind::data);
    CHECK(refused.says(says));
    CHECK(refused.message.size() <= longest_message);
  }
  CHECK(outcome_of([] { (void)segy_time_step(5e-7); }).kind == ErrorKind::data);
}

TEST_CASE("A SEG-Y file replaces one of ours with force only, and no other", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot.sgy";
  write_segy(small_gather(), {}, file, false);
  const auto before = content_of(file);
  CHECK(outcome_of([&] { write_segy(small_gather(), {}, file, false); }).says("--force"));
  CHECK(content_of(file) == before);
  write_segy(small_gather(), {SegyFloats::ibm}, file, true);
  CHECK(content_of(file) != before);
  static_cast<void>(directory.write("foreign.sgy", segy::ebcdic("C 1 CLIENT") + std::string(4000, '\0')));
  const Outcome foreign =
      outcome_of([&] { write_segy(small_gather(), {}, directory.path() / "foreign.sgy", true); });
  CHECK(foreign.kind == ErrorKind::cannot_create);
  CHECK(foreign.says("is not a SEG-Y file of minimod"));
}

TEST_CASE("What IBM floats do not have leaves no file", "[unit]") {
  const TemporaryDirectory directory;
  ShotGather gather = small_gather();
  gather.traces.of<float>()[3] = std::numeric_limits<float>::infinity();
  const fs::path file = directory.path() / "shot.sgy";
  CHECK(outcome_of([&] { write_segy(gather, {SegyFloats::ibm}, file, false); }).kind == ErrorKind::data);
  CHECK(directory.entries() == 0);
  write_segy(gather, {SegyFloats::ieee}, file, false);
}

TEST_CASE("A SEG-Y file that the disk does not take is not there", "[unit]") {
  const TemporaryDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3700, 3700};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Outcome refused =
        outcome_of([&] { write_segy(small_gather(), {}, directory.path() / "a.sgy", false); });
    _exit(static_cast<int>(refused.kind));
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == static_cast<int>(ErrorKind::io));
  CHECK(directory.entries() == 0);
}

}  // namespace minimod
