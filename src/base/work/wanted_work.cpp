#include "src/base/work/wanted_work.hpp"

#include <utility>

#include "src/base/error.hpp"

namespace minimod {

namespace {

thread_local std::function<bool()> asked;

}  // namespace

WantedWork::WantedWork(std::function<bool()> is_given_up)
    : before_(std::exchange(asked, std::move(is_given_up))) {}

WantedWork::~WantedWork() {
  asked = std::move(before_);
}

void require_wanted() {
  if (asked && asked()) throw Error(ErrorKind::stopped, "the work was given up", "call it again");
}

}  // namespace minimod
