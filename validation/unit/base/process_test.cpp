/// Processes that another has started, and requests to stop that are handed on to them.
#include "src/base/process/process.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/process/spawn.hpp"
#include "src/base/process/stop_requests.hpp"

using namespace minimod;

namespace {

/// A child that runs this program and does that.
template <class F>
pid_t child_that(F&& does) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  does();
  ::_exit(1);
}

void become_sleep() {
  ::execlp("sleep", "sleep", "60", nullptr);
}

bool comes_within_seconds(const std::function<bool()>& state) {
  for (int i = 0; i < 1000 && !state(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return state();
}

bool has_living_child(pid_t parent, pid_t child) {
  const auto children = living_children(parent);
  return children && std::ranges::find(*children, child) != children->end();
}

}  // namespace

TEST_CASE("A child counts until it ends, and is of this program until it runs another", "[unit]") {
  REQUIRE(living_children(::getpid()));
  const pid_t child = child_that([] { ::pause(); });
  CHECK(has_living_child(::getpid(), child));
  CHECK(runs_this_program(child));
  ::kill(child, SIGKILL);
  CHECK(comes_within_seconds([&] { return !has_living_child(::getpid(), child); }));
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(runs_this_program(child));

  const pid_t other = child_that(become_sleep);
  CHECK(comes_within_seconds([&] { return !runs_this_program(other); }));
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_CASE("A request to stop reaches processes of this program past others, which do not get it", "[unit]") {
  const pid_t launcher = child_that([] {
    std::signal(SIGUSR1, SIG_DFL);  // this program's handler would print a line
    child_that([] {
      child_that([] { ::pause(); });
      become_sleep();
    });
    become_sleep();
  });
  const auto only_child = [](pid_t process) {
    const auto children = living_children(process);
    return children && children->size() == 1 ? children->front() : 0;
  };
  pid_t proxy = 0, last = 0;
  REQUIRE(comes_within_seconds([&] {
    proxy = only_child(launcher);
    last = only_child(proxy);
    return last != 0 && !runs_this_program(launcher) && !runs_this_program(proxy);
  }));
  StopHandedOn(launcher).go_on();
  CHECK(comes_within_seconds([&] { return has_ended(last); }));
  CHECK_FALSE(has_ended(proxy));
  CHECK_FALSE(has_ended(launcher));
  ::kill(proxy, SIGKILL);
  ::kill(launcher, SIGKILL);
  ::waitpid(launcher, nullptr, 0);
}

TEST_CASE("A request to stop goes to another program that has no process of this one", "[unit]") {
  const pid_t other = child_that(become_sleep);
  REQUIRE(comes_within_seconds([&] { return !runs_this_program(other); }));
  StopHandedOn(other).go_on();
  CHECK(wait_for(other) == -SIGUSR1);
}
