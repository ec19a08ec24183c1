/// Independent pieces of work, as compilations and traces are, beside each other.
#pragma once

#include <cstddef>
#include <functional>

namespace minimod {

/// Calls work(i) for 0 <= i < count on all cores, each taking `at_once` that follow each other whenever it
/// has nothing left. What one of them throws comes when all have ended.
void on_all_cores(const char* name, std::size_t count, const std::function<void(std::size_t)>& work,
                  int at_once = 1);

}  // namespace minimod
