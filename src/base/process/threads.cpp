#include "src/base/process/threads.hpp"

#include <omp.h>

namespace minimod {

CoreMask first_cores;

namespace {
int chosen_threads = 0;  // 0: none were chosen
}

int available_threads() {
  return omp_get_num_procs();
}

bool is_among_threads() {
  return omp_in_parallel() != 0;
}

void use_threads(int count) {
  chosen_threads = count;
  omp_set_num_threads(count);
}

int threads_at_work() {
  return chosen_threads > 0 ? chosen_threads : omp_get_max_threads();
}

Unbound::Unbound() {
  is_changed_ = sched_getaffinity(0, sizeof before_, before_.data()) == 0 &&
                sched_setaffinity(0, sizeof first_cores, first_cores.data()) == 0;
}

Unbound::~Unbound() {
  if (is_changed_) sched_setaffinity(0, sizeof before_, before_.data());
}

void for_all(int count, bool many, const std::function<void(int)>& body) {
#pragma omp parallel for if (many)
  for (int i = 0; i < count; ++i) body(i);
}

}  // namespace minimod
