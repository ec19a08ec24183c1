#include "src/job/gradient/history/boundary_plan.hpp"

#include <algorithm>
#include <numeric>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/option.hpp"
#include "src/job/shot/memory_check.hpp"

namespace minimod {

namespace {

std::int64_t points_of(const std::vector<Box3>& boxes) {
  return std::accumulate(boxes.begin(), boxes.end(), std::int64_t{0},
                         [](std::int64_t sum, const Box3& box) { return sum + box.points(); });
}

std::vector<std::size_t> record_bytes(const ReversibleBox& points, const Problem& problem, int every) {
  const std::size_t value = bytes_of(problem.grid().precision);
  std::vector<std::size_t> bytes(static_cast<std::size_t>(problem.time.steps),
                                 static_cast<std::size_t>(points_of(points.frame)) * value);
  for (std::size_t n = 0; n < bytes.size(); n += static_cast<std::size_t>(every))
    bytes[n] += static_cast<std::size_t>(points_of(points.rest)) * value;
  return bytes;
}

}  // namespace

std::size_t BoundaryPlan::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

BoundaryPlan plan_boundary(const Problem& problem, Backend& backend, const HistoryOptions& history,
                           std::size_t beside) {
  BoundaryPlan plan{reversible_box(problem), {}};
  plan.bytes = record_bytes(plan.points, problem, history.every);
  const ReversalMemory memory = memory_for(backend, history, beside);
  const bool is_on_disk = !history.states_on.empty();
  const std::size_t device = memory.is_one ? memory.states : memory.drives, total = plan.total(),
                    drive = problem.grid().n.points() * bytes_of(problem.grid().precision);
  if (drive + total <= device) return plan;
  plan.place = is_on_disk ? RecordPlace::disk : RecordPlace::host;
  const bool is_staged = !memory.is_one && drive + 2 * std::ranges::max(plan.bytes) <= device;
  if (is_staged && (is_on_disk || total <= memory.states)) return plan;
  const std::size_t largest = std::max(device, memory.is_one || is_on_disk ? 0 : memory.states);
  throw Error(ErrorKind::resource,
              text("a shot's boundary takes ", gib(total), " GiB, and a drive ", gib(drive), ", ",
                   gib(largest), " GiB are free for it"),
              text("take a higher ", option("correlate-every"), ", give ", option("states-on"), " or more ",
                   option("memory"), ", or leave out ", option("history")));
}

void check_folder(const BoundaryPlan& plan, const HistoryOptions& history) {
  if (plan.place != RecordPlace::disk) return;
  check_room(std::filesystem::path(history.states_on) / "boundary", history.shots_at_once * plan.total(),
             text("make room, or leave out ", option("states-on")));
}

}  // namespace minimod
