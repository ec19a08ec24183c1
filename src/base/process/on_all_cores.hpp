/// Independent pieces of work, as compilations and traces are, beside each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace minimod {

/// Calls work(i) for 0 <= i < count on all cores, each taking `at_once` that follow each other whenever it
/// has nothing left. What one of them throws comes when all have ended.
void on_all_cores(const char* name, std::size_t count, const std::function<void(std::size_t)>& work,
                  int at_once = 1);

/// Calls work(begin, end) with parts of so many values, `at_once` of them in each but the last, on all cores.
template <class Work>
void in_pieces(const char* name, std::size_t values, std::size_t at_once, const Work& work) {
  on_all_cores(name, (values + at_once - 1) / at_once,
               [&](std::size_t i) { work(i * at_once, std::min(values, (i + 1) * at_once)); });
}

}  // namespace minimod
