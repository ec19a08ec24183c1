#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <system_error>

#include <Kokkos_Core.hpp>

#include "kernels/host/cpu_level.hpp"
#include "src/base/error.hpp"
#include "src/base/files/leftovers.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/limits.hpp"
#include "src/base/process/program_threads.hpp"
#include "src/base/process/standard_streams.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/commands/command_line.hpp"
#include "src/commands/exit_codes.hpp"
#include "src/commands/options/typed.hpp"
#include "src/library/kokkos_start.hpp"
#include "src/ranks/start.hpp"

namespace {

using minimod::ErrorKind;

/// Runs before the libraries set themselves up, which takes longer than all else before main: signals are
/// heard meanwhile, and OpenMP's runtime reads its variables then.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**, char**) =
    [](int, char**, char** environment) {
      minimod::use_exit_codes(minimod::sysexit_of);
      minimod::StopRequests::end_at_once();
      minimod::look_at_threads(environment);
    };

minimod::Ranks* ranks = nullptr;  ///< until they are there

/// One line on stderr, then out: after a failed write HDF5 crashes at shutdown, so nothing is shut down.
[[noreturn]] void leave(ErrorKind kind, const std::string& message) {
  int code = minimod::exit_code(kind);
  minimod::StopRequests::note();  // the code is that of the error
  minimod::remove_leftovers();    // leftovers of threads that are not asked to end
  std::cout << std::flush;
  const std::string line = "minimod: error: " + message + '\n';
  if (ranks != nullptr) {
    code = ranks->leave(code, line);
  } else {
    std::fputs(line.c_str(), stderr);
  }
  std::_Exit(code);
}

void run_with_kokkos(const std::function<void()>& command) {
  if (const std::string note = minimod::bound_threads(); !note.empty()) minimod::tell(note);
  minimod::require_gpu_of_kokkos();
  const Kokkos::ScopeGuard kokkos;  // not with argv: Kokkos has options of its own, --device among them
  minimod::require_memory();        // threads and their stacks have theirs
  command();
  minimod::StopRequests::note();  // all is there
}

}  // namespace

int main(int argc, char** argv) {
  minimod::spell_options(minimod::as_typed);
  minimod::hear_notes(minimod::print_note);
  minimod::open_missing_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed stdout must not kill a run
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is an error of the write that meets it
  try {
    minimod::check_limits();
    minimod::settle_threads();
    static_cast<void>(minimod::cpu_level());
    minimod::hdf5::initialize();
    ranks = &minimod::Ranks::world();
    minimod::settle_rank(*ranks);
    if (const auto command = minimod::parse_command_line(argc, argv)) run_with_kokkos(command);
    minimod::finish_stdout();
    minimod::end_ranks_well(*ranks);
  } catch (const minimod::Error& error) {
    leave(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    leave(ErrorKind::resource, "not enough host memory; take a smaller grid, fewer receivers or fewer steps");
  } catch (const std::system_error& error) {
    const auto lacks = minimod::shortage(error.code().value(), "a library's call failed");
    leave(lacks ? lacks->kind() : ErrorKind::internal,
          lacks ? lacks->what() : minimod::text("unexpected: ", error.what()));
  } catch (const std::exception& error) {
    leave(ErrorKind::internal, minimod::text("unexpected: ", error.what()));
  }
  return 0;
}
