#include "kernels/host/emulated_work.hpp"

#include <cmath>
#include <string>

#include "src/base/error.hpp"
#include "src/base/notes.hpp"

namespace minimod {
namespace {

constexpr double operations_per_s = 3e8, operations_per_s_at_barriers = 5e7;
constexpr double seconds_unsaid = 20;

/// One digit and a unit, as an estimate deserves.
std::string rough_duration(double seconds) {
  const auto one_digit = [](double value) {
    const double unit = std::pow(10, std::floor(std::log10(value)));
    return std::round(value / unit) * unit;
  };
  if (seconds < 100) return text(one_digit(seconds), " s");
  if (seconds < 6000) return text(one_digit(seconds / 60), " min");
  return text(one_digit(seconds / 3600), " h");
}

}  // namespace

void EmulatedWork::add(double updates, double operations, bool has_barriers) {
  seconds_ += updates * operations / (has_barriers ? operations_per_s_at_barriers : operations_per_s);
}

void EmulatedWork::add_steps(const CodeShape& shape, Extent3 n, double steps) {
  constexpr int update = 4;  // operations that make u⁺ of the sum
  if (!shape.emulated) return;
  add(static_cast<double>(n.points()) * steps, 7 * shape.radius + 1 + update, shape.needs.shared_bytes > 0);
}

void EmulatedWork::announce() const {
  if (seconds_ <= seconds_unsaid) return;
  tell("a GPU's threads are emulated one by one, which takes about " + rough_duration(seconds_) +
       " here; fewer points or steps take less");
}

}  // namespace minimod
