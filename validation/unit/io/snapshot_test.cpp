/// Nodes and steps of snapshots, and their files.
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/snapshots/snapshot_file.hpp"
#include "src/io/snapshots/xdmf.hpp"
#include "src/job/plan/snapshot_plan.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// A model of 30 x 20 x 10 nodes, 10, 20 and 5 m apart, in a layer of 4.
SnapshotPlan plan_of(const SnapshotOptions& options, int steps = 100, double first = 0) {
  const Grid grid = make_grid({38, 28, 18}, {10, 20, 5}, 4);
  return make_snapshot_plan(options, grid, {{4, 4, 4}, {34, 24, 14}}, {2e-3, steps, first});
}

SnapshotOptions every_steps(int steps) {
  return {.seconds = {}, .steps = steps, .box = {}, .stride = {}};
}
SnapshotOptions every_seconds(double seconds) {
  return {.seconds = seconds, .steps = {}, .box = {}, .stride = {}};
}
SnapshotOptions with_box(const SnapshotBox& box, Index3 stride = {1, 1, 1}) {
  return {.seconds = {}, .steps = 10, .box = box, .stride = stride};
}

/// Values that name their place.
std::vector<float> frame_of(const SnapshotPlan& plan, int number) {
  std::vector<float> values(plan.nodes.n.points());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 1e5F * number;
  return values;
}

ShotGather notes_of_shot() {
  ShotGather gather;
  gather.sources = gather.requested_sources = {{150, 200, 25}};
  gather.wavelet_unit = "Pa m";
  gather.metadata = {{"model", std::string("μ & <b>")}, {"dt", 2e-3}};
  return gather;
}
const ShotGather notes = notes_of_shot();

void write_all(const SnapshotPlan& plan, const SnapshotPaths& paths, bool overwrite) {
  SnapshotFile file(plan, notes, paths, overwrite);
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    file.write(Reals(frame_of(plan, static_cast<int>(i))).raw());
  file.publish();
}

}  // namespace

TEST_CASE("snapshots are taken at the steps nearest to their times", "[unit]") {
  CHECK(plan_of(every_steps(30)).steps == std::vector{30, 60, 90});
  CHECK(plan_of(every_seconds(0.05)).steps == std::vector{25, 50, 75, 100});
  CHECK(plan_of(every_seconds(0.045)).steps == std::vector{23, 45, 68, 90});  // nearest to 22.5, 45, 67.5, 90
  CHECK(plan_of(every_seconds(2e-3), 3).steps == std::vector{1, 2, 3});
  CHECK(plan_of(every_steps(100)).steps == std::vector{100});
  CHECK(plan_of({}).empty());

  const Outcome often = outcome_of([] { static_cast<void>(plan_of(every_seconds(1e-3))); });
  CHECK(often.kind == ErrorKind::parameter);
  CHECK(often.says("less than the time step of 0.002 s"));
  for (const auto& seldom : {every_steps(101), every_seconds(0.21)}) {
    const Outcome outcome = outcome_of([&] { static_cast<void>(plan_of(seldom)); });
    CHECK(outcome.kind == ErrorKind::parameter);
    CHECK(outcome.says("takes none in a run of 100 steps"));
  }
  const Outcome alone = outcome_of([] {
    static_cast<void>(plan_of({.seconds = {}, .steps = {}, .box = {}, .stride = Index3{2, 2, 2}}));
  });
  CHECK(alone.kind == ErrorKind::parameter);
  CHECK(alone.says("--snapshot-stride is given without --snapshot-every"));
}

TEST_CASE("a box of snapshots takes the nodes nearest to its ends, and every n-th", "[unit]") {
  const SnapshotPlan whole = plan_of(every_steps(10));
  CHECK(whole.nodes == Lattice{{4, 4, 4}, {1, 1, 1}, {30, 20, 10}});
  CHECK(whole.origin == Point3{0, 0, 0});
  CHECK(whole.bytes() == 24000);

  const SnapshotBox box = {{{100, 204}, {-80, {}}, {20, 20}}};
  CHECK(plan_of(every_seconds(0.05), 100, -0.06).steps == std::vector{5, 30, 55, 80});
  CHECK(plan_of(every_steps(30), 100, -0.06).steps == std::vector{30, 60, 90});
  const SnapshotPlan part = plan_of(with_box(box, {3, 2, 2}));
  CHECK(part.nodes == Lattice{{14, 0, 8}, {3, 2, 2}, {4, 12, 1}});  // x of 100 … 200, y from the layer on
  CHECK(part.origin == Point3{100, -80, 20});
  CHECK(part.spacing == Point3{30, 40, 10});

  const auto refused = [](const SnapshotBox& wrong) {
    return outcome_of([&] { static_cast<void>(plan_of(with_box(wrong))); });
  };
  const SnapshotBox beyond = {{{0, 336}, {}, {}}}, before = {{{}, {}, {-23, {}}}},
                    turned = {{{}, {40, 20}, {}}};
  CHECK(refused(beyond).kind == ErrorKind::data);
  CHECK(refused(beyond).says("x = 0 to 336 m; the grid with its layer from -40 to 330 m"));
  CHECK(refused(before).kind == ErrorKind::data);
  CHECK(refused(turned).kind == ErrorKind::parameter);
  CHECK(refused(turned).says("from y = 40 to 20 m"));
}

TEST_CASE("a file of snapshots holds what it was given, under its name when it is whole", "[unit]") {
  const TemporaryDirectory directory;
  const SnapshotPaths paths(directory.path() / "a <shot> & more.h5");
  CHECK(paths.hdf5.filename() == "a <shot> & more.snapshots.h5");
  const SnapshotPlan plan = plan_of(every_steps(30));
  {
    SnapshotFile file(plan, notes, paths, false);
    file.write(Reals(frame_of(plan, 0)).raw());
    CHECK(directory.entries() == 1);
    CHECK(!fs::exists(paths.hdf5));
  }
  CHECK(directory.entries() == 0);  // one that is not whole leaves nothing
  write_all(plan, paths, false);
  CHECK(directory.entries() == 2);
  CHECK(fs::file_size(paths.hdf5) <= snapshot_file_bytes(plan));

  const hdf5::Handle file = hdf5::open_for_reading(paths.hdf5);
  const hdf5::Handle wavefield = hdf5::open_float_dataset(file, "wavefield", paths.hdf5);
  CHECK(hdf5::shape_of(wavefield).dims == std::vector<hsize_t>{3, 10, 20, 30});
  CHECK(hdf5::slab_thickness(wavefield) == 1);
  std::vector<float> found(plan.nodes.n.points());
  for (int i = 0; i < 3; ++i) {
    hdf5::read_slab(wavefield, i, 1, found, paths.hdf5);
    CHECK(found == frame_of(plan, i));
  }
  CHECK(hdf5::read_doubles(hdf5::open_float_dataset(file, "time", paths.hdf5), paths.hdf5) ==
        std::vector{0.06, 0.12, 0.18});
  CHECK(hdf5::read_doubles(hdf5::open_float_dataset(file, "z", paths.hdf5), paths.hdf5)[3] == 15);

  const Outcome there = outcome_of([&] { check_can_create(paths, false); });
  CHECK(there.kind == ErrorKind::cannot_create);
  CHECK(there.says("give --force"));
  write_all(plan, paths, true);
  static_cast<void>(directory.write("b.snapshots.h5", "a text"));
  CHECK(outcome_of([&] { check_can_create(SnapshotPaths(directory.path() / "b.h5"), true); }).kind ==
        ErrorKind::cannot_create);
}

TEST_CASE("snapshots go on in another process behind the parts that were kept", "[unit]") {
  const TemporaryDirectory directory;
  const SnapshotPaths paths(directory.path() / "s.h5");
  const SnapshotPlan plan = plan_of(every_steps(10));
  const auto write_some = [&](SnapshotFile& file, int first, int end) {
    for (int i = first; i < end; ++i) file.write(Reals(frame_of(plan, i)).raw());
  };
  {
    SnapshotFile file(plan, notes, paths, false);
    file.keep();  // nothing yet
    write_some(file, 0, 3);
    file.keep();
    write_some(file, 3, 5);
    file.keep();
    write_some(file, 5, 8);  // lost with the process
  }
  CHECK(directory.entries() == 2);
  {
    SnapshotFile other(plan_of(every_steps(9)), notes, paths, false), beyond(plan, notes, paths, false);
    CHECK(!other.go_on(3));
    CHECK(!beyond.go_on(6));
    CHECK(beyond.go_on(0));
    const fs::path part = directory.path() / "s.snapshots.part3.h5";
    const fs::path kept = directory.path() / "kept";
    fs::copy_file(part, kept);
    std::fstream bytes(part, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(fs::file_size(part) / 2));  // among the values
    bytes.put(1);
    bytes.close();
    CHECK(beyond.go_on(3));
    CHECK(!beyond.go_on(5));
    CHECK(fs::exists(part));  // the part says what it is, so that it is found by that
    fs::resize_file(part, fs::file_size(part) / 2);
    CHECK(!beyond.go_on(5));
    CHECK(!fs::exists(part));
    fs::rename(kept, part);
  }
  {
    SnapshotFile file(plan, notes, paths, false);
    REQUIRE(file.go_on(4));  // from the older of two checkpoints
    write_some(file, 4, 6);
    file.keep();
    write_some(file, 6, 10);
    file.publish();
  }
  CHECK(directory.entries() == 2);
  const hdf5::Handle file = hdf5::open_for_reading(paths.hdf5);
  const hdf5::Handle wavefield = hdf5::open_float_dataset(file, "wavefield", paths.hdf5);
  std::vector<float> found(plan.nodes.n.points());
  for (int i = 0; i < 10; ++i) {
    hdf5::read_slab(wavefield, i, 1, found, paths.hdf5);
    CHECK(found == frame_of(plan, i));
  }
  const SnapshotPaths whole(directory.path() / "whole.h5");
  write_all(plan, whole, false);
  const auto bytes_of = [](const fs::path& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  };
  CHECK(bytes_of(paths.hdf5) == bytes_of(whole.hdf5));
}

TEST_CASE("snapshots that are larger than a chunk come in parts of it", "[unit]") {
  const TemporaryDirectory directory;
  SnapshotPlan plan;
  plan.steps = {5, 10};
  plan.nodes.n = {1100, 7, 310};  // 9.5 MB: three chunks of 104 planes
  plan.spacing = {1, 1, 1};
  plan.times.dt = 1e-3;
  const SnapshotPaths paths(directory.path() / "s.h5");
  write_all(plan, paths, false);
  const hdf5::Handle file = hdf5::open_for_reading(paths.hdf5);
  const hdf5::Handle wavefield = hdf5::open_float_dataset(file, "wavefield", paths.hdf5);
  const std::vector<float> all = hdf5::read_floats(wavefield, paths.hdf5), second = frame_of(plan, 1);
  CHECK(std::memcmp(all.data() + second.size(), second.data(), second.size() * sizeof(float)) == 0);
  CHECK(fs::file_size(paths.hdf5) <= snapshot_file_bytes(plan));
  CHECK(snapshot_file_bytes(plan) < 2.1 * static_cast<double>(plan.bytes()));
}

TEST_CASE("snapshots that the disk has no room for are refused before, with the bytes", "[unit]") {
  const TemporaryDirectory directory;
  SnapshotPlan plan;
  plan.steps.resize(100'000);
  plan.nodes.n = {2000, 2000, 2000};
  const std::uint64_t bytes = snapshot_file_bytes(plan);
  CHECK(bytes > 100'000 * std::uint64_t{plan.bytes()});
  const Outcome outcome = outcome_of([&] { check_room(directory.path() / "s.h5", bytes, "make room"); });
  CHECK(outcome.kind == ErrorKind::io);
  CHECK(outcome.says(text("takes ", bytes, " bytes, and ")));
  CHECK(outcome.message.size() <= longest_message);
  check_room(directory.path() / "s.h5", snapshot_file_bytes(plan_of(every_steps(30))), "make room");
  plan.steps.resize(1'000'000);
  plan.nodes.n = {2'000'000'000, 2'000'000'000, 1};
  CHECK(snapshot_file_bytes(plan) > bytes);  // the sum has not gone past 2^64
}

TEST_CASE("snapshots on a full disk end in an I/O error and leave nothing behind", "[unit]") {
  const TemporaryDirectory directory;
  const SnapshotPlan plan = plan_of(every_steps(10));
  for (const rlim_t limit : {rlim_t{100}, rlim_t{30'000}, rlim_t{200'000}}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit bound{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &bound);
      ::_exit(static_cast<int>(
          outcome_of([&] { write_all(plan, SnapshotPaths(directory.path() / "s.h5"), false); }).kind));
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == static_cast<int>(ErrorKind::io));
    CHECK(directory.entries() == 0);
  }
}

TEST_CASE("an XDMF file names its units, its times and its slabs", "[unit]") {
  const SnapshotBox box = {{{100, 204}, {-80, {}}, {20, 20}}};
  const std::string text = xdmf_text(plan_of(with_box(box, {3, 2, 2}), 20), "Pa & m", "a<b>.h5");
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  CHECK(has(R"(<Time Value="0.04"/>)"));
  CHECK(has(R"(Dimensions="1 12 4")"));
  CHECK(has(">20 -80 100</DataItem>"));
  CHECK(has(">10 40 30</DataItem>"));
  CHECK(has(">1 0 0 0 1 1 1 1 1 1 12 4</DataItem>"));
  CHECK(has(R"(Dimensions="2 1 12 4")"));
  CHECK(has(">a&lt;b&gt;.h5:/wavefield</DataItem>"));
  CHECK(has("Pa &amp; m"));
}

}  // namespace minimod
