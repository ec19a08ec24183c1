#include "src/commands/worker_ranks.hpp"

#include "src/base/error.hpp"
#include "src/ranks/start.hpp"

namespace minimod {

void take_ranks_of_shot(ShotOptions& options) {
  if (!options.acquisition.sources.empty()) return;
  options.work.ranks_per_shot = options.ranks.count;
}

void check_ranks_of_workers(const ShotOptions& options, const Ranks& ranks) {
  const bool is_survey = !options.acquisition.sources.empty();
  const char* const name = is_survey ? "--ranks-per-shot" : "--ranks";
  if (!ranks.is_alone() || (is_survey && options.ranks.count.value_or(1) != 1)) {
    throw Error(ErrorKind::parameter,
                text(is_survey ? "a survey" : "this command",
                     " is one process that starts others, it is started with several ranks"),
                is_survey ? "leave --ranks and mpirun out; --ranks-per-shot cuts each of its shots"
                          : "leave mpirun out; --ranks cuts the shot");
  }
  if (options.work.ranks() == 1) return refuse_without_ranks(options.ranks, name);
  require_ranks(options.work.ranks(), name);
}

void become_ranks_of_worker(const ShotOptions& options, const Ranks& ranks) {
  if (ranks.is_alone() && options.work.ranks() > 1) become_ranks(options.work.ranks());
}

}  // namespace minimod
