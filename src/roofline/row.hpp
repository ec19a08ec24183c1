/// A row of the report: a kernel of a step with all that is known of it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/json.hpp"
#include "src/base/precision.hpp"
#include "src/device/ceiling.hpp"
#include "src/measure/subject.hpp"
#include "src/roofline/counters.hpp"

namespace minimod {

/// Where a figure comes from.
enum class Origin {
  measured,  ///< by events, by a counter or by the driver
  derived,   ///< from measured ones
  analytic,  ///< from the formula, nothing measured
};

struct Cell {
  std::string name;
  double value = 0;
  Origin origin = Origin::measured;
};

/// A check that did not hold.
struct Flag {
  std::string check, what;
};

/// Figures under names, each with its source; a name that has none is absent.
class Row {
 public:
  std::string shape, part, extra_work, limited_by, bound_by;
  Precision precision = Precision::float32;  ///< precision of its arithmetic
  bool emulated = false;                     ///< by the host, thread by thread: it has no roof
  std::vector<Flag> flags;
  CounterReadings raw;  ///< counters of the part, for one step; empty without them

  void set(const std::string& name, double value, Origin origin) { cells_.push_back({name, value, origin}); }
  [[nodiscard]] std::optional<double> value(const std::string& name) const {
    const Cell* const cell = find(name);
    return cell != nullptr ? std::optional(cell->value) : std::nullopt;
  }
  [[nodiscard]] bool is_analytic(const std::string& name) const {
    const Cell* const cell = find(name);
    return cell != nullptr && cell->origin == Origin::analytic;
  }
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }

 private:
  [[nodiscard]] const Cell* find(const std::string& name) const;
  std::vector<Cell> cells_;
};

/// A level of memory as the row's columns are named after it.
inline constexpr std::pair<const char*, Level> memory_levels[] = {
    {"dram", Level::dram}, {"fabric", Level::fabric}, {"l2", Level::l2}, {"l1", Level::l1}};

inline constexpr double sector_bytes = 32;  ///< unit that the L2 counts

/// The best measured rate of a level, GB/s or GFLOP/s; nothing where it was not measured.
[[nodiscard]] std::optional<double> best_rate(const std::vector<Ceiling>& ceilings, Level level);

/// Row of a part, from times, launch facts and the model. A row of several launches has the sum of the
/// blocks, the most of all else, and no grid. `precision`: of its arithmetic.
[[nodiscard]] Row make_row(const std::string& shape, const MeasuredPart& part, Precision precision);

/// Puts counted operations, bytes and occupancy into the row.
void add_counters(Row& row, const CounterReadings& readings);

/// Derives what follows from all that is there: rates, intensities, the roof above each and the share
/// reached.
void derive(Row& row, const std::vector<Ceiling>& ceilings);

}  // namespace minimod
