#include "models/segy/segy_domain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/readers.hpp"
#include "src/base/option.hpp"

namespace minimod {
namespace {

constexpr double most_apart = 2;          // distance of traces, in depth steps
constexpr double greatest_depth = 100e3;  // m

bool says_depth(int kind) {
  return kind == 25 || kind == 130;
}

bool says_time(int kind, int revision) {
  return kind == 22 || kind == 23 || (kind == 1 && revision == 2);
}

/// Whether recordings are sampled so: 1 ms times or over a power of two; us.
bool is_of_recordings(int interval) {
  constexpr int eighth = 125;
  return interval > 0 && interval % eighth == 0 &&
         std::has_single_bit(static_cast<unsigned>(interval / eighth));
}

Error in_time(const std::filesystem::path& path, const std::string& why) {
  return file_error(path, why,
                    text("convert it to depth; if it is, say ", option("segy-header"), " domain=depth"));
}

}  // namespace

void require_depth(const TraceHeader& first, const segy::InputHeader& header, Point3 spacing,
                   const std::filesystem::path& path) {
  if (says_depth(first.kind)) return;
  if (says_time(first.kind, header.revision)) {
    throw in_time(path, text("has traces of kind ", first.kind, " (bytes 29-30), whose samples are in time"));
  }
  const int interval = static_cast<int>(std::lround(1000 * spacing.z / header.metres()));
  const double apart = std::max(spacing.x, spacing.y);
  if (is_of_recordings(interval) && apart > most_apart * spacing.z) {
    throw in_time(path, text("has a sample interval of ", interval, " and traces ", apart,
                             " m apart, which looks like time (", interval / 1000.0, " ms)"));
  }
  const double depth = spacing.z * static_cast<double>(header.samples - 1);
  if (depth <= greatest_depth) return;
  throw in_time(path, text("would be ", depth / 1000, " km deep by its sample interval of ", interval,
                           ", which looks like time"));
}

}  // namespace minimod
