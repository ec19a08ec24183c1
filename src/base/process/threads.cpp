#include "src/base/process/threads.hpp"

#include <omp.h>

namespace minimod {

CoreMask first_cores;

int available_threads() {
  return omp_get_num_procs();
}

bool is_among_threads() {
  return omp_in_parallel() != 0;
}

void use_threads(int count) {
  omp_set_num_threads(count);
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
