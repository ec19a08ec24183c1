#include "src/job/workers/survey_devices.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

using Names = std::vector<std::string>;

/// GPUs of the program's kind, by their numbers.
std::string gpus(const char* numbers) {
  return text(gpu_kind, ':', numbers);
}

Names names_of(const std::vector<WorkerSpec>& workers) {
  Names names;
  std::ranges::transform(workers, std::back_inserter(names), &WorkerSpec::device);
  return names;
}

TEST_CASE("a worker of a survey takes as many GPUs as a shot has ranks", "[unit]") {
  CHECK(names_of(workers_on({0, 1}, 1, false)) == Names{gpus("0"), gpus("1")});
  CHECK(names_of(workers_on({0, 1, 2, 3}, 2, false)) == Names{gpus("0,1"), gpus("2,3")});
  CHECK(names_of(workers_on({3, 1}, 2, false)) == Names{gpus("3,1")});
}

TEST_CASE("ranks share GPUs only where they may", "[unit]") {
  const Outcome few = outcome_of([] { (void)workers_on({0}, 2, false); });
  CHECK(few.kind == ErrorKind::unavailable);
  CHECK(few.says("--share-gpu"));
  const Outcome odd = outcome_of([] { (void)workers_on({0, 1, 2}, 2, false); });
  CHECK(odd.kind == ErrorKind::parameter);
  CHECK(odd.says("the 3 GPUs are no multiple"));
  CHECK(names_of(workers_on({0}, 2, true)) == Names{gpus("0,0")});
  CHECK(names_of(workers_on({0, 1, 2}, 2, true)) == Names{gpus("0,1"), gpus("2,0")});
}

TEST_CASE("a worker's name is its device", "[unit]") {
  CHECK(device_option("cpu:1").kind == DeviceOption::Kind::cpu);
  const DeviceOption two = device_option(gpus("2,0"));
  CHECK(two.kind == DeviceOption::Kind::gpu);
  CHECK(two.index == 2);
  CHECK(two.others == std::vector<int>{0});
  CHECK(device_option(gpus("12")).others.empty());
  CHECK(device_option(gpus("0,1,0")).others == std::vector<int>{1, 0});  // ranks share GPU 0
}

}  // namespace
}  // namespace minimod
