#include "src/base/threads.hpp"

#include <cstdlib>

#include <omp.h>
#include <unistd.h>

#include "src/base/stop_requests.hpp"

namespace minimod {

void settle_threads(char* const* argv) {
  // Two runs that both bind their threads stand on the same cores; Kokkos warns when nothing is said.
  setenv("OMP_PROC_BIND", std::getenv("OMP_PLACES") != nullptr ? "spread" : "false", 0);
  setenv("KMP_BLOCKTIME", "0", 0);  // LLVM's runtime, ms
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  // What GNU's runtime takes by itself where it has more threads than cores; it cannot know of another run.
  setenv("GOMP_SPINCOUNT", "1000", 0);
  StopRequests::hold();
  execv("/proc/self/exe", argv);  // where there is no such file the run goes on, slower beside another
  StopRequests::end_at_once();
}

int available_threads() {
  return omp_get_num_procs();
}

void use_threads(int count) {
  omp_set_num_threads(count);
}

}  // namespace minimod
