#include "src/base/threads.hpp"

#include <cstdlib>
#include <string_view>

#include <omp.h>
#include <unistd.h>

namespace {

constexpr std::string_view spins_setting = "GOMP_SPINCOUNT";
char spins[] = "1000";  // what GNU's runtime takes by itself where it has more threads than cores

/// The value of an entry of the environment, or null.
[[gnu::no_sanitize("address", "undefined")]] char* environment_of(std::string_view name) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    if (line.starts_with(name) && line.substr(name.size()).starts_with('=')) return *entry + name.size() + 1;
  }
  return nullptr;
}

minimod::Cores first_cores;  ///< that the process was started with; none where they could not be read

[[gnu::no_sanitize("address", "undefined")]] void note_cores(int /*argc*/, char** /*argv*/,
                                                             char** /*environment*/) {
  sched_getaffinity(0, sizeof first_cores, first_cores.data());
}
/// Before the libraries set themselves up: where binding is asked for, GNU's runtime binds the first thread
/// then.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = note_cores;

}  // namespace

/// In place of the C library's: GNU's runtime asks for its settings when it is loaded, before main could say
/// any, and hears how its threads wait where the environment leaves that open. It cannot know of another run.
extern "C" [[gnu::no_sanitize("address", "undefined")]] char* getenv(const char* name) noexcept {
  char* const value = environment_of(name);
  const bool is_open =
      value == nullptr && name == spins_setting && environment_of("OMP_WAIT_POLICY") == nullptr;
  return is_open ? spins : value;
}

namespace minimod {

void settle_threads() {
  // Two runs that both bind their threads stand on the same cores; Kokkos warns when nothing is said.
  setenv("OMP_PROC_BIND", std::getenv("OMP_PLACES") != nullptr ? "true" : "false", 0);
  setenv("KMP_BLOCKTIME", "0", 0);  // LLVM's runtime, ms, which reads it later
}

int available_threads() {
  return omp_get_num_procs();
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

}  // namespace minimod
