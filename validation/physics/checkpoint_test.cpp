/// Shots that are interrupted and go on: the same bits, whatever is left of their checkpoints.
#include <fstream>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/commands/options/shot_line.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "src/job/shot/shot_checkpoints.hpp"
#include "validation/physics/schedule_run.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

struct Interruption {};

/// Ends a run in its midst, as a kill does, behind the step after `step`; a batch ends behind that.
class Interrupter final : public StepObserver {
 public:
  explicit Interrupter(int step) : step_(step) {}
  [[nodiscard]] int next_step(int after) const override {
    return after < step_ ? step_ : after < step_ + 1 ? step_ + 1 : std::numeric_limits<int>::max();
  }
  void look(const Propagator& /*propagator*/, int step) override {
    if (step > step_) throw Interruption();
  }
  void keep() override { ++times_kept; }
  void go_on(int step) override { went_on_behind = step; }

  int times_kept = 0, went_on_behind = 0;

 private:
  int step_;
};

KernelOptions on_host(const std::string& line) {
  KernelOptions options = parse_shot(line).kernels;
  options.device.kind = DeviceOption::Kind::cpu;
  return options;
}

/// A shot with its runner and a place for its checkpoints.
class HostShot {
 public:
  HostShot(const std::string& line, const std::string& schedule)
      : plan_(make_survey_plan(parse_shot("--allow-dispersion --wavelet ricker:f=30 --spacing 10 " + line))),
        choice_(choose_device(on_host(line), plan_.shared.problem.part())) {
    if (!schedule.empty()) choice_.kernels.schedule = find_schedule(schedule);
    if (schedule == "whole") choice_.kernels.inner = choice_.kernels.pml = &two_;
    configuration_ = with_shot(shared_configuration(plan_.shared), plan_.first);
  }

  [[nodiscard]] ModeledShot run(ShotCheckpoints* files,
                                const std::vector<StepObserver*>& observers = {}) const {
    if (files != nullptr) files->begin(configuration_, "");
    return ShotRunner(plan_.shared.problem, plan_.shared.medium, choice_)
        .run(plan_.first, {observers, {}, [](int) {}, files, 1e-9});
  }
  /// Leaves a checkpoint behind `step`.
  void interrupt(int step) const {
    ShotCheckpoints files(base());
    Interrupter interrupter(step);
    CHECK_THROWS_AS(run(&files, {&interrupter}), Interruption);
    CHECK(interrupter.times_kept > 0);
  }
  [[nodiscard]] fs::path base() const { return folder_.path() / "shot"; }
  [[nodiscard]] const Configuration& configuration() const { return configuration_; }

 private:
  const CodeShape& two_ = find_shape("reference");
  const SurveyPlan plan_;
  DeviceChoice choice_;
  Configuration configuration_;
  TemporaryDirectory folder_;
};

std::string bytes_of(const fs::path& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

void check_goes_on(const std::string& line, const std::string& schedule, const std::vector<int>& steps) {
  CAPTURE(line, schedule);
  const HostShot shot(line, schedule);
  const ModeledShot whole = shot.run(nullptr);
  for (const int step : steps) {
    CAPTURE(step);
    shot.interrupt(step);
    ShotCheckpoints files(shot.base());
    CHECK(files.notes().empty());
    const bool is_ahead = schedule == "whole" && step % 2 == 1;  // then it is not the place for one
    CHECK((is_ahead ? files.step() < step : files.step() == step));
    const std::optional<int> found = files.step();
    Interrupter idle(std::numeric_limits<int>::max() - 1);
    const ModeledShot rest = shot.run(&files, {&idle});
    CHECK(idle.went_on_behind == found);
    CHECK(same_bits(rest.traces, whole.traces));
    CHECK(rest.result.extremes.max == whole.result.extremes.max);
    files.remove();
    CHECK_FALSE(ShotCheckpoints(shot.base()).step());
  }
}

}  // namespace

TEST_CASE("A shot goes on from any step with the bits of one that was not interrupted", "[physics]") {
  const std::string grid = "--grid 26,25,24 --steps 23 ";
  check_goes_on(grid + "--pml-width 4 --interpolation nearest", "", {1, 2, 3, 8, 21, 22});
  check_goes_on(grid + "--pml-width 4 --interpolation nearest", "beside", {7});
  check_goes_on(grid + "--pml-width 4 --interpolation nearest", "whole", {2, 7, 8});
  check_goes_on(grid + "--pml-width 0", "", {9});
  check_goes_on(grid + "--pml-width 4 --precision double --interpolation nearest", "", {5, 8});
  check_goes_on(grid + "--pml-width 4 --precision double --order 4 --boundary cpml --allow-dispersion", "",
                {13});
  check_goes_on(grid + "--pml-width 4 --boundary cpml --free-surface", "", {2, 13});
  check_goes_on(grid + "--pml-width 4 --boundary sponge --interpolation sinc4", "", {11});
}

TEST_CASE("A checkpoint whose fields lie otherwise is kept, or given up where that is asked for",
          "[physics]") {
  const std::string line = "--grid 26,25,24 --steps 12 --pml-width 4";
  const HostShot shot(line, "sequence"), other(line, "");
  const ModeledShot whole = shot.run(nullptr);
  shot.interrupt(7);
  for (const char* suffix : {".0.h5", ".1.h5"})
    write_bytes(fs::path(other.base()) += suffix, bytes_of(fs::path(shot.base()) += suffix));
  ShotCheckpoints kept(other.base());
  const Outcome refused = outcome_of([&] { static_cast<void>(other.run(&kept)); });
  CHECK(refused.kind == ErrorKind::cannot_create);
  CHECK(refused.says("is of --schedule sequence, and this run has whole-step"));
  ShotCheckpoints files(other.base());
  REQUIRE(files.step() == 7);
  files.check(other.configuration(), true);
  CHECK(same_bits(other.run(&files).traces, whole.traces));
  REQUIRE(!files.notes().empty());
  CHECK(files.notes()[0].find("is of --schedule sequence") != std::string::npos);
}

TEST_CASE("The watch goes on with what it has seen", "[physics]") {
  const HostShot shot("--grid 20 --pml-width 0 --steps 220 --record-dt 4e-3 --dt 1e-3", "");
  const ModeledShot whole = shot.run(nullptr);
  shot.interrupt(205);
  ShotCheckpoints files(shot.base());
  CHECK(same_bits(shot.run(&files).traces, whole.traces));
}

TEST_CASE("Every flipped bit of a checkpoint is found, and the older one or the start is taken",
          "[physics]") {
  const HostShot shot("--grid 20 --pml-width 3 --steps 12", "");
  const ModeledShot whole = shot.run(nullptr);
  shot.interrupt(7);
  fs::path newer = fs::path(shot.base()) += ".0.h5", older = fs::path(shot.base()) += ".1.h5";
  const std::string first = bytes_of(newer);
  write_bytes(newer, "");
  if (ShotCheckpoints(shot.base()).step() == 7) std::swap(newer, older);
  write_bytes(fs::path(shot.base()) += ".0.h5", first);
  REQUIRE(ShotCheckpoints(shot.base()).step() == 7);
  const std::string bytes = bytes_of(newer), before = bytes_of(older);
  constexpr std::size_t places = 120;
  for (std::size_t i = 0; i < places; ++i) {
    // All over the first lines and the metadata behind them, then here and there.
    const std::size_t at = i < places / 2 ? i * 53 : bytes.size() * (i - places / 2) / (places / 2);
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << i % 8));
    write_bytes(newer, flipped);
    CAPTURE(at);
    const ShotCheckpoints files(shot.base());
    CHECK(files.notes().size() == 1);
    CHECK(files.step() < 7);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{63}, std::size_t{700}, bytes.size() - 1}) {
    write_bytes(newer, bytes.substr(0, size));
    write_bytes(older, size == 0 ? before.substr(0, 40) : before);
    ShotCheckpoints files(shot.base());
    CHECK(files.step().has_value() == (size != 0));
    CHECK(same_bits(shot.run(&files).traces, whole.traces));
  }
}

TEST_CASE("A checkpoint of another shot is refused with what differs, or given up", "[physics]") {
  const HostShot shot("--grid 20 --pml-width 3 --steps 12", "");
  shot.interrupt(5);
  const auto refusal_of = [&](const char* name, const Json& value) {
    Configuration other = shot.configuration();
    other[name] = value;
    ShotCheckpoints files(shot.base());
    CHECK(outcome_of([&] { files.check(shot.configuration(), false); }).kind == ErrorKind::none);
    const Outcome outcome = outcome_of([&] { files.check(other, false); });
    CHECK(outcome.kind == ErrorKind::cannot_create);
    files.check(other, true);
    CHECK_FALSE(files.step());
    return outcome.message;
  };
  CHECK(refusal_of("--steps", 24).find("--steps is 12 there and 24 here") != std::string::npos);
  CHECK(refusal_of("--dt (s)", 1e-3).find("--dt (s) is ") != std::string::npos);
  CHECK(refusal_of("--model", "constant:1500").find("constant:2000") != std::string::npos);
  CHECK(refusal_of("the receivers' crc32", "00000000").find("receivers") != std::string::npos);
  CHECK(refusal_of("its arithmetic", 0).find("arithmetic") != std::string::npos);
  CHECK(refusal_of("nodes of a snapshot", 7).find("is none there and 7 here") != std::string::npos);
}
