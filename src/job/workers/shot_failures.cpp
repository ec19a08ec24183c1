#include "src/job/workers/shot_failures.hpp"

#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/exit_codes.hpp"
#include "src/base/process/progress.hpp"

namespace minimod {

void ShotFailures::add(int shot, const ShotOutcome& outcome) {
  failures_.push_back({shot, outcome.code, outcome.what});
  Progress::break_line();
  tell(text("shot ", shot, " failed: ", outcome.what));
}

void ShotFailures::check(std::size_t left, std::size_t ordered) const {
  if (left > 0) {
    throw Error(ErrorKind::stopped, text("stopped by a signal, ", left, " of ", ordered, " shots are left"),
                "the same command goes on");
  }
  if (failures_.empty()) return;
  const Failure& first = failures_.front();
  const std::string shots = joined(failures_, ", ", &Failure::shot);
  throw Error(kind_of(first.code).value_or(ErrorKind::internal),
              text(failures_.size(), " of ", ordered, " shots failed: ", escaped(shots, 60), "; shot ",
                   first.shot, ": ", escaped(first.what, 100)),
              "the same command tries them again");
}

}  // namespace minimod
