#include "src/base/process/program_threads.hpp"

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/files/leftovers.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/limits.hpp"
#include "src/base/process/threads.hpp"

namespace {

char spins[] = "1000";  // number that GNU's runtime takes by itself where it has more threads than cores

const char* wrong_threads = nullptr;  ///< OMP_NUM_THREADS, where it is none

constexpr const char* variable_of_threads = "OMP_NUM_THREADS";
constexpr int most_threads = 8192;

constexpr const char* variable_of_kokkos = "KOKKOS_NUM_THREADS";
/// Length of Kokkos' table of threads (OpenMPExec::MAX_THREAD_COUNT, 3.4 to 4.x), beyond which it writes
/// unasked.
constexpr int most_threads_of_kokkos = 512;

/// Numbers that Kokkos takes from the environment: it ends at a wrong one in its own words, or passes over
/// it.
struct KokkosSetting {
  const char* name;
  int least;
  bool is_list;
};
constexpr KokkosSetting settings_of_kokkos[] = {
    {variable_of_kokkos, 1, false},  {"KOKKOS_NUMA", 1, false},        {"KOKKOS_DEVICE_ID", 0, false},
    {"KOKKOS_NUM_DEVICES", 1, true}, {"KOKKOS_RAND_DEVICES", 1, true}, {"KOKKOS_SKIP_DEVICE", 0, false}};

// Code from here on runs before the libraries, and sanitizers among them, have set themselves up: plain loops
// alone.

struct Entry {
  char** at = nullptr;
  char* value = nullptr;
};

/// The entry of that name; null where there is none.
__attribute__((no_sanitize("address", "undefined"))) Entry find_entry(char** environment, const char* name) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    char* value = *environment;
    const char* letter = name;
    for (; *letter != 0 && *value == *letter; ++letter) ++value;
    if (*letter == 0 && *value == '=') return {environment, value + 1};
  }
  return {};
}

/// Whether the value is one number of threads or, for loops within loops, several with commas.
__attribute__((no_sanitize("address", "undefined"))) bool are_threads(const char* value) {
  for (;; ++value) {
    int threads = 0;
    while (*value == ' ') ++value;
    for (; *value >= '0' && *value <= '9' && threads <= most_threads; ++value)
      threads = 10 * threads + *value - '0';
    while (*value == ' ') ++value;
    if (threads < 1 || threads > most_threads || (*value != ',' && *value != 0)) return false;
    if (*value == 0) return true;
  }
}

/// The file that holds the code at `address`.
const void* file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/// Whether the OpenMP runtime begins its threads there.
bool is_of_runtime(void* (*routine)(void*)) {
  const void* const runtime = file_of(dlsym(RTLD_DEFAULT, "omp_get_num_procs"));
  return runtime != nullptr && runtime == file_of(reinterpret_cast<const void*>(routine));
}

[[noreturn]] void end_without_thread(int error) {
  minimod::remove_leftovers();
  std::cout << std::flush;
  const std::string what = minimod::text("cannot start ", omp_get_max_threads(), " threads");
  const auto lacks = minimod::shortage(error, what);
  std::cerr << "minimod: error: " << (lacks ? lacks->what() : what + ": " + minimod::reason(error)) << '\n';
  std::_Exit(minimod::exit_code(minimod::ErrorKind::resource));
}

}  // namespace

/// In place of the C library's: where a thread cannot be started, OpenMP's runtime ends the process with code
/// 1 and words of its own. All others hear of it.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                              void* argument) noexcept {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  const int error = create(thread, attributes, routine, argument);
  if (error != 0 && is_of_runtime(routine)) end_without_thread(error);
  return error;
}

/// In place of the C library's: GNU's runtime asks for its settings when it is loaded, before main could say
/// any, and hears how its threads wait where the environment leaves that open. It cannot know of another run.
extern "C" __attribute__((no_sanitize("address", "undefined"))) char* getenv(const char* name) noexcept {
  char* const value = find_entry(environ, name).value;
  if (value != nullptr) return value;
  const char* wanted = "GOMP_SPINCOUNT";
  for (; *wanted != 0 && *name == *wanted; ++name) ++wanted;
  const bool is_open = *wanted == *name && find_entry(environ, "OMP_WAIT_POLICY").value == nullptr;
  return is_open ? spins : nullptr;
}

namespace minimod {

__attribute__((no_sanitize("address", "undefined"))) void look_at_threads(char** environment) {
  sched_getaffinity(0, sizeof first_cores, first_cores.data());
  const Entry threads = find_entry(environment, variable_of_threads);
  if (threads.at == nullptr || are_threads(threads.value)) return;
  wrong_threads = threads.value;
  for (char** entry = threads.at; *entry != nullptr; ++entry) entry[0] = entry[1];
}

void settle_threads() {
  if (wrong_threads != nullptr) {
    throw Error(ErrorKind::parameter,
                text(variable_of_threads, " '", escaped(wrong_threads, 40), "' is no number of threads"),
                text("give 1 to ", most_threads, ", or unset it"));
  }
  for (const auto& [name, least, is_list] : settings_of_kokkos) {
    const char* const value = std::getenv(name);
    if (value == nullptr) continue;
    const auto numbers = is_list ? split(value, ',') : std::vector<std::string_view>{value};
    for (const std::string_view number : numbers) (void)parse_integer(number, name, least, most_threads);
  }
  // Two runs that both bind their threads stand on the same cores; Kokkos warns when nothing is said.
  setenv("OMP_PROC_BIND", std::getenv("OMP_PLACES") != nullptr ? "true" : "false", 0);
  setenv("KMP_BLOCKTIME", "0", 0);  // LLVM's runtime, ms, which reads it later
}

std::string bound_threads() {
  const char* const of_kokkos = std::getenv(variable_of_kokkos);
  const auto wanted = of_kokkos != nullptr ? parse_integer(of_kokkos, variable_of_kokkos, 1, most_threads)
                                           : omp_get_max_threads();
  if (wanted <= most_threads_of_kokkos) return "";
  const std::string most = text(most_threads_of_kokkos);
  for (const char* const name : {variable_of_threads, variable_of_kokkos}) {
    if (std::getenv(name) != nullptr) setenv(name, most.c_str(), 1);
  }
  setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);
  use_threads(most_threads_of_kokkos);
  return text(wanted, " threads are asked for, ", most, " run: Kokkos holds no more");
}

}  // namespace minimod
