#include "src/io/segy/segy_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/error.hpp"
#include "src/base/option.hpp"

namespace minimod {
namespace {

constexpr int greatest_int16 = std::numeric_limits<std::int16_t>::max();  // readers take it for signed
constexpr double greatest_int32 = std::numeric_limits<std::int32_t>::max();
constexpr double microseconds = 1e6;
constexpr double rounding = 1e-6;  // us: in 32767 samples less than a tenth of one

}  // namespace

int segy_interval(double dt) {
  const double interval = dt * microseconds, nearest = std::round(interval);
  if (nearest > greatest_int16) {
    throw Error(ErrorKind::data,
                text("samples ", dt * 1e3, " ms apart are farther than SEG-Y's ", greatest_int16, " us"),
                "take a smaller " + option("record-dt"));
  }
  if (nearest < 1 || std::abs(interval - nearest) > rounding) {
    throw Error(ErrorKind::data,
                text("samples ", interval, " us apart are no whole microseconds, as SEG-Y has them"),
                text("give ", option("record-dt"), " ", std::max(std::floor(interval), 1.0), "e-6 without ",
                     option("dt")));
  }
  return static_cast<int>(nearest);
}

double segy_time_step(double dt) {
  const double whole = std::min(std::floor(dt * microseconds + rounding), double{greatest_int16});
  if (whole < 1) {
    throw Error(ErrorKind::data, text("the time step of ", dt, " s is under SEG-Y's microsecond"),
                text("give ", option("record-dt"), " 1e-6 or more"));
  }
  return whole / microseconds;
}

void require_segy_sampling(double record_dt, std::int64_t samples) {
  const int interval = segy_interval(record_dt);
  if (samples <= greatest_int16) return;
  const std::int64_t times = (samples - 1) / greatest_int16 + 1;
  throw Error(ErrorKind::data,
              text("traces of ", samples, " samples are longer than SEG-Y's ", greatest_int16),
              text("give ", option("record-dt"), " ", times * interval, "e-6 or more, or a smaller ",
                   option("tmax"), " or ", option("steps")));
}

int segy_scalar(double greatest) {
  for (const int parts : {1000, 100, 10, 1}) {
    if (greatest * parts <= greatest_int32) return parts == 1 ? 1 : -parts;
  }
  throw Error(ErrorKind::data, text("a position ", greatest, " m from 0 does not fit SEG-Y's header"),
              "correct the origin in the model's file");
}

void require_segy_positions(const FileCoordinates& place, Point3 extent) {
  for (const double x : {0.0, extent.x}) {
    for (const double y : {0.0, extent.y}) {
      const Point3 corner = place.to_file({x, y, 0});
      static_cast<void>(segy_scalar(std::max(std::abs(corner.x), std::abs(corner.y))));
    }
  }
  static_cast<void>(segy_scalar(std::max(std::abs(place.origin.z), std::abs(place.origin.z + extent.z))));
}

}  // namespace minimod
