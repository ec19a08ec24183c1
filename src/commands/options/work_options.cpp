#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"

namespace minimod {

namespace {

WorkerShare parse_share(const std::string& value, const std::string& option) {
  const auto parts = split(value, '/');
  if (parts.size() != 2) {
    throw Error(ErrorKind::parameter, text(option, " is '", escaped(value, 40), "'"),
                "give I/N, the worker's number from 0 and how many there are, such as 3/16");
  }
  WorkerShare share;
  share.count = parse_int(parts[1], option, 1);
  share.index = parse_int(parts[0], option, 0, share.count - 1);
  return share;
}

}  // namespace

void add_work(OptionTable& table, WorkOptions& o) {
  table.value("--workers", "N", groups::run,
              "of a survey on the CPU: processes that share its cores, a shot each (1)",
              [&o](const auto& v, const auto& name) { o.workers = parse_int(v, name, 1); });
  table.value("--worker", "I/N", groups::run,
              "of a survey: every N-th shot from the I-th, beside others that have the rest, in a job array",
              [&o](const auto& v, const auto& name) { o.share = parse_share(v, name); });
  table.value("--ranks-per-shot", "N", groups::run,
              "of a survey: cut each shot among N processes of MPI, as --ranks does a single one (1)",
              [&o](const auto& v, const auto& name) { o.ranks_per_shot = parse_int(v, name, 1); });
}

}  // namespace minimod
