#include "src/base/files/leftovers.hpp"

#include <array>
#include <atomic>

#include <unistd.h>

namespace minimod {

namespace {

std::array<std::atomic<const char*>, 64> leftovers{};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads them");

}  // namespace

Leftover::Leftover(const char* path) : path_(path) {
  for (auto& slot : leftovers) {
    const char* free = nullptr;
    if (slot.compare_exchange_strong(free, path)) return;
  }
}

Leftover::~Leftover() {
  for (auto& slot : leftovers) {
    const char* own = path_;
    if (slot.compare_exchange_strong(own, nullptr)) return;
  }
}

void remove_leftovers() noexcept {
  for (auto slot = leftovers.rbegin(); slot != leftovers.rend(); ++slot) {
    const char* const path = slot->exchange(nullptr);
    if (path != nullptr && ::unlink(path) != 0) ::rmdir(path);
  }
}

}  // namespace minimod
