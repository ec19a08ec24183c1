/// Results that `--kernel auto` keeps between runs, and how it decides.
#include "src/choice/kernel_trial.hpp"

#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "kernels/registry.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/choice/device_choice.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;

namespace {
const TrialResult ring{"tma_ring_128x32", "st_window_32x32x64", "beside", 214.5, 1.25};
const TrialResult window{"st_window_64x16x64", "gmem_16x16x4", "sequence", 99, 0.5};

void write(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file) << content;
}
}  // namespace

TEST_CASE("A trial's result is found again under its key", "[unit]") {
  const TemporaryDirectory folder;
  const TrialCache cache(folder.path() / "new" / "trials.json");
  CHECK_FALSE(cache.find("H200 1000").has_value());
  cache.keep("H200 1000", ring);
  cache.keep("A100 1000", window);
  CHECK(cache.find("H200 1000") == ring);
  CHECK(cache.find("A100 1000") == window);
  CHECK_FALSE(cache.find("H200 100").has_value());
  cache.keep("H200 1000", window);
  CHECK(cache.find("H200 1000") == window);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path() / "new"), {}) == 1);
}

TEST_CASE("A cache of trials that is damaged holds nothing, and is written anew", "[unit]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "trials.json";
  const TrialCache cache(file);
  for (const char* content :
       {"", "{", "[1, 2]", "\"text\"", R"({"schema": "minimod.kernel_trials/1"})",
        R"({"schema": "minimod.kernel_trials/1", "trials": [1]})", R"({"schema": "other/1", "trials": {}})",
        R"({"schema": "minimod.kernel_trials/1", "trials": {"H200 1000": 7}})"}) {
    CAPTURE(content);
    write(file, content);
    CHECK_FALSE(cache.find("H200 1000").has_value());
    cache.keep("H200 1000", ring);
    CHECK(cache.find("H200 1000") == ring);
  }
  write(file,
        R"({"schema": "minimod.kernel_trials/1", "trials": {"H200 1000": {"inner": 1, "gpt_per_s": "x"}}})");
  CHECK(cache.find("H200 1000") == TrialResult{});
}

TEST_CASE("A cache that cannot be written keeps nothing and says nothing", "[unit]") {
  const TemporaryDirectory folder;
  write(folder.path() / "file", "");
  const TrialCache below_a_file(folder.path() / "file" / "trials.json"), nowhere("");
  for (const TrialCache& cache : {below_a_file, nowhere}) {
    cache.keep("H200 1000", ring);
    CHECK_FALSE(cache.find("H200 1000").has_value());
  }
}

TEST_CASE("A trial gives a rate, and passes over sets that do not fit", "[shapes]") {
  const auto host = make_host_backend();
  const StepProblem problem{make_grid({56, 32, 24}, {20, 20, 20}, 5),
                            {BoundaryKind::pml, same_on_all_faces(5)}};
  const KernelSet portable{&find_shape("kokkos"), &find_shape("kokkos")};
  const TrialWinner winner = try_kernels(*host, problem, {portable, portable});
  CHECK(winner.index < 2);
  CHECK(winner.gpt_per_s > 0);
  CHECK(winner.trial_seconds > 0);
  const CodeShape& emulated = find_shape("gmem_8x8x8");  // thread by thread
  const std::vector<KernelSet> one_is_slow{{&emulated, &emulated}, portable, {&emulated, &emulated}};
  CHECK(try_kernels(*host, problem, one_is_slow).index == 1);
  const StepProblem vast{make_grid({40000, 40000, 40000}, {20, 20, 20}, 5),
                         {BoundaryKind::pml, same_on_all_faces(5)}};
  const TrialWinner none = try_kernels(*host, vast, {portable, portable});
  CHECK((none.index == 0 && none.gpt_per_s == 0));
}

TEST_CASE("A schedule that the boundary leaves no room for is refused", "[unit]") {
  const auto host = make_host_backend();
  const CodeShape& kokkos = find_shape("kokkos");
  KernelOptions options;
  StepProblem problem{make_grid({56, 32, 24}, {20, 20, 20}, 5), {BoundaryKind::pml, same_on_all_faces(5)}};
  const StepProblem open = problem;
  options.schedule = &beside();
  CHECK(make_kernel_set(options, problem, *host, kokkos, kokkos).schedule == &beside());
  problem.boundary.kind = BoundaryKind::cpml;
  const auto refusal = [&](const CodeShape& inner, const CodeShape& pml) {
    return outcome_of([&] { static_cast<void>(make_kernel_set(options, problem, *host, inner, pml)); });
  };
  CHECK(refusal(kokkos, kokkos).kind == ErrorKind::parameter);
  CHECK(refusal(kokkos, kokkos).says("--boundary cpml"));
  options = {};
  CHECK(make_kernel_set(options, problem, *host, kokkos, kokkos).schedule == &sequence());
  problem = open;
  CHECK(make_kernel_set(options, problem, *host, kokkos, kokkos).schedule == &whole_step());
  const CodeShape& two = find_shape("reference");
  CHECK(make_kernel_set(options, problem, *host, two, two).schedule == &sequence());  // by default, on a host
  options.schedule = &whole();
  CHECK(make_kernel_set(options, problem, *host, two, two).schedule == &whole());
  CHECK(refusal(kokkos, two).says("the kernel kokkos has no launch of the whole domain"));
  CHECK(refusal(two, kokkos).says("the kernel kokkos has no launch of the whole domain"));
  problem.boundary.continues_below = true;
  CHECK(refusal(two, two).says("leave room for 0"));
  problem.room_for_ghosts = 4;
  CHECK(make_kernel_set(options, problem, *host, two, two).schedule == &whole());
  problem.boundary.free_surface = true;
  CHECK(make_kernel_set(options, problem, *host, two, two).schedule == &whole());
  for (const auto& change : {+[](StepProblem& p) { p.boundary.kind = BoundaryKind::sponge; },
                             +[](StepProblem& p) { p.several_sources = true; },
                             +[](StepProblem& p) { p.decomposition = Decomposition::one; }}) {
    options = {};
    problem = open;
    change(problem);
    CHECK(make_kernel_set(options, problem, *host, two, two).schedule == &sequence());
    options.schedule = &whole();
    CHECK(refusal(two, two).kind == ErrorKind::parameter);
    CHECK(refusal(two, two).says("--schedule whole"));
    CHECK(refusal(two, two).message.size() <= longest_message);
  }
}
