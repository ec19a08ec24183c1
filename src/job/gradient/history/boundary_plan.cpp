#include "src/job/gradient/history/boundary_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "boundary/adjoint/value_blocks.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/job/shot/memory_check.hpp"

namespace minimod {

namespace {

/// Pieces one behind the other from the first value on, which is moved to behind the last. `block`: values on
/// whose multiples they begin.
std::vector<RecordPiece> pieces_of(const std::vector<Box3>& boxes, std::size_t block, std::size_t& first) {
  std::vector<RecordPiece> pieces;
  for (const Box3& box : boxes) {
    pieces.push_back({box, first});
    first += round_up(static_cast<std::size_t>(box.points()), block);
  }
  return pieces;
}

/// Bytes of so many values in a record.
std::size_t bytes_in_record(std::size_t values, Precision precision, bool are_packed) {
  if (!are_packed) return values * bytes_of(precision);
  return values * sizeof(std::int16_t) + values / values_of_block * bytes_of(precision);
}

BoundaryPlan plan_records(const Problem& problem, const HistoryOptions& history) {
  const ReversibleBox points = reversible_box(problem);
  BoundaryPlan plan;
  plan.is_packed = history.kind == HistoryKind::boundary16;
  const std::size_t block = plan.is_packed ? values_of_block : 1;
  plan.box = points.box;
  plan.frame = pieces_of(points.frame, block, plan.values);
  plan.frame_values = plan.values;
  plan.rest = pieces_of(points.rest, block, plan.values);
  for (int n = 0; n < problem.time.steps; ++n) {
    const std::size_t values = n % history.every == 0 ? plan.values : plan.frame_values;
    plan.bytes.push_back(bytes_in_record(values, problem.grid().precision, plan.is_packed));
  }
  return plan;
}

}  // namespace

std::size_t BoundaryPlan::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

BoundaryPlan plan_boundary(const Problem& problem, Backend& backend, const HistoryOptions& history,
                           std::size_t beside) {
  BoundaryPlan plan = plan_records(problem, history);
  const ReversalMemory memory = memory_for(backend, history, 1, beside);
  const bool is_on_disk = !history.states_on.empty();
  const std::size_t value = bytes_of(problem.grid().precision), total = plan.total(),
                    device = memory.is_one ? memory.states : memory.drives,
                    beside_records = plan.is_packed ? plan.values * value : 0;
  if (beside_records + total <= device) return plan;
  plan.place = is_on_disk ? RecordPlace::disk : RecordPlace::host;
  const bool is_staged =
      !memory.is_one && beside_records + records_at_once * std::ranges::max(plan.bytes) <= device;
  if (is_staged && (is_on_disk || total <= memory.states)) return plan;
  const std::size_t largest = std::max(device, memory.is_one || is_on_disk ? 0 : memory.states);
  throw Error(ErrorKind::resource,
              text("a shot's boundary takes ", gib(beside_records + total), " GiB, ", gib(largest),
                   " GiB are free for it"),
              text("take a higher ", option("correlate-every"), ", give ", option("states-on"), " or more ",
                   option("memory"), ", or leave out ", option("history")));
}

}  // namespace minimod
