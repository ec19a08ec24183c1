#include "src/io/gather/gather.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/files/output_file.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather_file.hpp"
#include "src/wavelets/wavelet.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// Traces that do not compress, so that the size of the file is known.
ShotGather make_gather(std::size_t receivers, std::size_t samples) {
  ShotGather gather;
  gather.samples = samples;
  gather.record_dt = 2e-3;
  gather.first_time = 2e-3;
  unsigned state = 1;
  std::vector<float> traces(receivers * samples);
  for (float& value : traces) value = static_cast<float>(state = state * 1664525U + 1013904223U) * 1e-9F;
  gather.traces = traces;
  for (std::size_t i = 0; i < receivers; ++i) {
    const auto x = static_cast<double>(i) * 25;
    gather.receivers.push_back({x, 500, 10});
    gather.requested_receivers.push_back({x + 3, 501, 12});
  }
  gather.sources = {{400, 500, 10}};
  gather.requested_sources = {{401, 502, 8}};
  gather.wavelets = {{0, 1, -2, 0.5}};
  gather.wavelet_dt = 1e-3;
  gather.wavelet_unit = "Pa m";
  gather.metadata = {{"dt", 1e-3},
                     {"grid", std::vector<std::int64_t>{101, 9007199254740993, 3}},
                     {"kernel", std::string("st_reg_shft_32x32")},
                     {"model", std::string("μ")},
                     {"note", std::string()},
                     {"spacing", std::vector<double>{1.0 / 3, 12.3456789, 10}},
                     {"steps", std::int64_t{9007199254740993}}};
  return gather;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST_CASE("a gather comes back as it was written", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  // As they are; compressed with several traces a chunk and a rest, and with a trace longer than a chunk.
  for (const auto& [receivers, samples] : {std::pair{1, 1}, {3, 7}, {301, 1001}, {4, 70001}}) {
    ShotGather gather = make_gather(static_cast<std::size_t>(receivers), static_cast<std::size_t>(samples));
    gather.traces.of<float>()[0] = -0.0F;
    write(gather, file, true);
    const ShotGather found = read_gather(file);
    CHECK(found.traces == gather.traces);
    CHECK(std::signbit(found.traces[0]));
    CHECK(found.samples == gather.samples);
    CHECK(found.receivers == gather.receivers);
    CHECK(found.requested_receivers == gather.requested_receivers);
    CHECK(found.sources == gather.sources);
    CHECK(found.requested_sources == gather.requested_sources);
    CHECK(found.wavelets == gather.wavelets);
    CHECK(found.wavelet_dt == gather.wavelet_dt);
    CHECK(found.wavelet_unit == gather.wavelet_unit);
    CHECK(found.record_dt == gather.record_dt);
    CHECK(found.first_time == gather.first_time);
    CHECK(found.metadata == gather.metadata);
    CHECK(directory.entries() == 1);
  }
}

TEST_CASE("a gather of several sources has a wavelet for each", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  ShotGather gather = make_gather(3, 7);
  gather.sources.push_back({900, 0, 20});
  gather.requested_sources.push_back({901, 0, 20});
  gather.wavelets.push_back({5, 0, 0, -1});
  write(gather, file, false);
  const ShotGather found = read_gather(file);
  CHECK(found.sources == gather.sources);
  CHECK(found.requested_sources == gather.requested_sources);
  CHECK(found.wavelets == gather.wavelets);
  CHECK(outcome_of([&] { (void)make_wavelet(file, 1e-3, 10); }).kind == ErrorKind::data);
  gather.wavelets.pop_back();
  CHECK(outcome_of([&] { write(gather, file, true); }).kind == ErrorKind::internal);
}

TEST_CASE("a gather of zeros, which shrinks most, can be read", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  ShotGather gather = make_gather(1000, 2048);
  std::ranges::fill(gather.traces.of<float>(), 0.0F);
  write(gather, file, false);
  CHECK(read_gather(file).traces == gather.traces);
}

TEST_CASE("NaN survives, and equal gathers make equal files", "[unit]") {
  const TemporaryDirectory directory;
  for (const std::size_t samples : {50, 60000}) {  // as they are and compressed
    ShotGather gather = make_gather(5, samples);
    gather.traces.of<float>()[7] = std::nanf("");
    write(gather, directory.path() / "a.h5", true);
    write(gather, directory.path() / "b.h5", true);
    CHECK(bytes_of(directory.path() / "a.h5") == bytes_of(directory.path() / "b.h5"));
    CHECK(std::isnan(read_gather(directory.path() / "a.h5").traces[7]));
  }
}

TEST_CASE("the wavelet of a gather is a wavelet", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  write(make_gather(1, 10), file, false);
  const Wavelet wavelet = make_wavelet(file.string(), 1e-3, 6);  // from first_time on
  CHECK(wavelet.samples == std::vector<double>{0, 0, 0, 1, -2, 0.5});
}

TEST_CASE("a long text is cut to what can be read", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  ShotGather gather = make_gather(1, 10);
  gather.metadata = {{"command", std::string(100000, 'x')}};
  write(gather, file, false);
  CHECK(std::get<std::string>(read_gather(file).metadata.at(0).second) == std::string(4095, 'x'));
  // The second byte of µ would be cut off.
  gather.metadata = {{"command", std::string(4094, 'x') + "\u03bc"}};
  write(gather, file, true);
  CHECK(std::get<std::string>(read_gather(file).metadata.at(0).second) == std::string(4094, 'x'));
}

TEST_CASE("sections of the model stand beside the traces, or alone", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5", alone = directory.path() / "sections.h5";
  ShotGather gather = make_gather(2, 10);
  gather.sections = {{0, 10}, {0, 20, 40}, {0}, {1500, 1501}, {1600, 1601, 1602}, {1, 2, 3, 4, 5, 6}};
  write(gather, file, false);
  write_sections(gather, alone, false);
  CHECK(read_gather(file).traces == gather.traces);
  CHECK(outcome_of([&] { (void)read_gather(alone); }).kind == ErrorKind::data);
  for (const fs::path& path : {file, alone}) {
    const hdf5::Handle opened = hdf5::open_for_reading(path);
    const hdf5::Handle xy = hdf5::open_float_dataset(opened, "model_xy", path);
    CHECK(hdf5::shape_of(xy).dims == std::vector<hsize_t>{3, 2});
    CHECK(hdf5::read_floats(xy, path) == gather.sections.xy);
  }
  write_sections(gather, alone, true);  // the program's own file: --force may replace it
}

TEST_CASE("an existing file is replaced with force only, and only a gather", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  const ShotGather gather = make_gather(2, 10);
  write(gather, file, false);
  const std::string before = bytes_of(file);
  const Outcome twice = outcome_of([&] { write(gather, file, false); });
  CHECK(twice.kind == ErrorKind::cannot_create);
  CHECK(twice.says("--force"));
  CHECK(outcome_of([&] { check_can_create(file, gather_file::kind, false); }).kind ==
        ErrorKind::cannot_create);
  CHECK(bytes_of(file) == before);
  check_can_create(file, gather_file::kind, true);
  CHECK(bytes_of(file) == before);
  write(make_gather(3, 10), file, true);
  CHECK(read_gather(file).receivers.size() == 3);
  CHECK(directory.entries() == 1);

  const fs::path foreign = directory.write("notes.h5", "not a gather");
  CHECK(outcome_of([&] { check_can_create(foreign, gather_file::kind, false); }).kind ==
        ErrorKind::cannot_create);
  CHECK(outcome_of([&] { check_can_create(foreign, gather_file::kind, true); }).kind ==
        ErrorKind::cannot_create);
  CHECK(outcome_of([&] { write(gather, foreign, true); }).kind == ErrorKind::cannot_create);
  CHECK(bytes_of(foreign) == "not a gather");
}

TEST_CASE("an output that cannot be made is refused before the run", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("file", "");
  const auto code = [](const fs::path& path) {
    return outcome_of([&] { check_can_create(path, gather_file::kind, false); }).kind;
  };
  CHECK(code(directory.path() / "missing" / "shot_gather.h5") == ErrorKind::cannot_create);
  CHECK(code(file / "shot_gather.h5") == ErrorKind::cannot_create);
  CHECK(code(directory.path()) == ErrorKind::cannot_create);
  CHECK(code(directory.path() / "") == ErrorKind::cannot_create);
  CHECK(code(directory.path() / std::string(250, 'x')) == ErrorKind::cannot_create);
  CHECK(code(directory.path() / std::string(5000, 'x')) == ErrorKind::cannot_create);
  CHECK(code("") == ErrorKind::cannot_create);
  CHECK(code("/proc/shot_gather.h5") != ErrorKind::none);
  CHECK(code(directory.path() / "shot_gather.h5") == ErrorKind::none);
  if (::geteuid() != 0) {  // root may write everywhere
    fs::permissions(directory.path(), fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(code(directory.path() / "shot_gather.h5") == ErrorKind::permission);
    fs::permissions(directory.path(), fs::perms::owner_all);
  }
  CHECK(directory.entries() == 1);
}

/// Exit code of `action` in a child process, which ends without the shutdown of libraries.
template <class Action>
int exit_code_of_child(Action action) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_CASE("a full disk ends in an I/O error and leaves nothing behind", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  const ShotGather gather = make_gather(300, 1000);
  write(gather, file, false);
  const auto size = fs::file_size(file);
  const std::string before = bytes_of(file);
  // Limits that strike in the header, in every dataset, and in the last bytes.
  for (const std::uintmax_t limit : {std::uintmax_t{0}, std::uintmax_t{100}, std::uintmax_t{3000}, size / 3,
                                     size / 2, size - 3000, size - 500, size - 1}) {
    INFO("limit " << limit << " of " << size);
    const int code = exit_code_of_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit bound{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &bound);
      const Outcome outcome = outcome_of([&] { write(gather, file, true); });
      return outcome.message.size() <= longest_message ? static_cast<int>(outcome.kind) : 1;
    });
    CHECK(code == static_cast<int>(ErrorKind::io));
    CHECK(directory.entries() == 1);
    CHECK(bytes_of(file) == before);
  }
}

TEST_CASE("a signal handler can remove the temporary file", "[unit]") {
  const TemporaryDirectory directory;
  const int code = exit_code_of_child([&] {
    std::signal(SIGALRM, [](int) {
      remove_leftovers();
      ::_exit(75);
    });
    const ShotGather gather = make_gather(2000, 2000);
    ::ualarm(50000, 0);
    write(gather, directory.path() / "shot_gather.h5", false);
    return 0;
  });
  CHECK(code == 75);
  CHECK(directory.entries() == 0);
  remove_leftovers();  // nothing to do
}

TEST_CASE("a damaged gather is never read as another", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  const bool is_compressed = GENERATE(false, true);
  const ShotGather gather = is_compressed ? make_gather(300, 1000) : make_gather(3, 40);
  write(gather, file, false);
  const std::string good = bytes_of(file);
  int silent = 0;
  for (std::size_t byte = 0; byte < good.size(); byte += is_compressed ? good.size() / 199 : 7) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    const fs::path copy = directory.write("bad.h5", bad);
    try {
      const ShotGather found = read_gather(copy);
      const bool same = found.traces == gather.traces && found.receivers == gather.receivers &&
                        found.sources == gather.sources && found.wavelets == gather.wavelets &&
                        found.record_dt == gather.record_dt && found.metadata == gather.metadata;
      if (!same) ++silent;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) ++silent;
    }
  }
  CHECK(silent == 0);
  CHECK(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);  // every handle closed, whatever the damage
  for (std::size_t length = 0; length < good.size(); length += good.size() / 50) {
    const fs::path copy = directory.write("short.h5", good.substr(0, length));
    CHECK(outcome_of([&] { (void)read_gather(copy); }).kind == ErrorKind::data);
  }
  CHECK(outcome_of([&] { (void)read_gather(directory.path() / "none.h5"); }).kind ==
        ErrorKind::missing_input);
}

TEST_CASE("a gather of injected traces may leave them to their file", "[unit]") {
  const TemporaryDirectory directory;
  ShotGather gather = make_gather(2, 10);
  gather.wavelets.clear();
  gather.metadata.emplace_back("injected_file", std::string("g.h5"));
  write(gather, directory.path() / "a.h5", false);
  const ShotGather found = read_gather(directory.path() / "a.h5");
  CHECK(found.wavelets.empty());
  CHECK(found.traces == gather.traces);
}

TEST_CASE("a gather that contradicts itself is a bug", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "shot_gather.h5";
  const auto code = [&](auto change) {
    ShotGather gather = make_gather(2, 10);
    change(gather);
    return outcome_of([&] { write(gather, file, false); }).kind;
  };
  CHECK(code([](ShotGather& g) { g.traces.resize(19); }) == ErrorKind::internal);
  CHECK(code([](ShotGather& g) { g.requested_receivers.pop_back(); }) == ErrorKind::internal);
  CHECK(code([](ShotGather& g) { g.wavelets.clear(); }) == ErrorKind::internal);
  CHECK(code([](ShotGather& g) { g.wavelets.emplace_back(g.wavelets.front()); }) == ErrorKind::internal);
  CHECK(code([](ShotGather& g) { g = ShotGather{}; }) == ErrorKind::internal);
  CHECK(code([](ShotGather& g) { g.metadata.emplace_back("dt", 1.0); }) == ErrorKind::internal);
  CHECK(code([](ShotGather& g) { g.metadata.emplace_back("format", 1.0); }) == ErrorKind::internal);
  CHECK(directory.entries() == 0);
}

}  // namespace
}  // namespace minimod
