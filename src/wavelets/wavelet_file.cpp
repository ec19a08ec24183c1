/// The signatures that are samples of a file.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/hdf5/hdf5_name.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/wavelets/signature.hpp"
#include "src/wavelets/spline.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t max_samples = 10'000'000;

/// A file as the command line names it: "w.txt@dt=1e-3", "file.h5:/group/source".
struct FileSpec {
  hdf5::DatasetName name;
  std::optional<double> dt;  ///< s between samples
  std::string shown;         ///< the name for messages, without the dt
};

FileSpec parse_file_spec(const std::string& spec) {
  const std::size_t at = spec.rfind("@dt=");
  FileSpec file;
  if (at != std::string::npos) {
    file.dt = parse_positive(std::string_view(spec).substr(at + 4), text(option("wavelet"), " @dt"));
  }
  const std::string name = spec.substr(0, at);
  file.name = hdf5::parse_dataset_name(name, "/wavelet");
  file.shown = escaped(name, 80);
  return file;
}

/// How many of the unit make a second, by its names in netCDF files and elsewhere; nothing where it is no
/// such.
std::optional<double> units_in_second(std::string_view unit) {
  struct Unit {
    double in_second;
    std::array<std::string_view, 5> names;
  };
  static constexpr Unit units[] = {{1, {"s", "sec", "secs", "second", "seconds"}},
                                   {1e3, {"ms", "msec", "msecs", "millisecond", "milliseconds"}},
                                   {1e6, {"us", "µs", "usec", "microsecond", "microseconds"}},
                                   {1e9, {"ns", "nsec", "nsecs", "nanosecond", "nanoseconds"}}};
  for (const Unit& known : units) {
    if (std::ranges::find(known.names, unit) != known.names.end()) return known.in_second;
  }
  return std::nullopt;
}

Error needless_dt(const FileSpec& file, const std::string& why) {
  return {ErrorKind::parameter, text(option("wavelet"), " gives '", file.shown, "' a dt, but ", why),
          "leave out @dt"};
}

/// Points (times, values) of a signature.
struct Points {
  std::vector<double> times, values;
  std::string unit;  ///< empty where the file does not say
};

std::vector<double> even_times(std::size_t count, double dt, double first = 0) {
  std::vector<double> times(count);
  for (std::size_t i = 0; i < count; ++i) times[i] = first + static_cast<double>(i) * dt;
  return times;
}

/// Refuses times that do not increase and gaps between them. A note where they are uneven. `wrong` makes the
/// error about the i-th time.
template <class Wrong>
std::vector<Note> check_times(const std::vector<double>& times, const std::string& name, Wrong wrong) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] <= times[i - 1]) {
      throw wrong(i, text("time ", times[i], " s is not after ", times[i - 1], " s, the one before"),
                  "give increasing times");
    }
    intervals.push_back(times[i] - times[i - 1]);
  }
  std::vector<double> sorted = intervals;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  const double usual = *middle;
  // A lost sample doubles an interval; times rounded to a digit too few halve one at most.
  constexpr double least_share = 0.4, greatest_share = 1.6, even_share = 0.01;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i] < least_share * usual || intervals[i] > greatest_share * usual) {
      throw wrong(i + 1,
                  text("time ", times[i + 1], " s comes ", intervals[i], " s after the one before, where ",
                       usual, " s are usual"),
                  "sample it evenly, without gaps");
    }
  }
  const auto [least, greatest] = std::ranges::minmax(intervals);
  if (greatest - least <= 2 * even_share * usual) return {};
  return {{text("the samples of ", name, " are uneven, ", least, " to ", greatest,
                " s apart: a spline goes through them"),
           "uneven samples", (greatest - least) / usual}};
}

/// The spline through the points, two or more.
Signature signature_of(Points points, const std::string& name) {
  Signature signature;
  signature.first = points.times.front();
  signature.last = points.times.back();
  signature.description = "samples of " + name;
  if (!points.unit.empty()) signature.unit = points.unit;
  signature.at = Spline(std::move(points.times), std::move(points.values));
  return signature;
}

Signature read_text(const FileSpec& file) {
  const fs::path& path = file.name.file;
  const NumberRows rows = read_number_rows(
      path, {1, 2, {}, {}, "time (s) and value, or one column of samples; # before other text"});
  if (rows.rows() == 1) throw line_error(path, rows.lines[0], 0, "is the only sample", "give two or more");
  if (rows.columns == 1) {
    if (!file.dt) {
      throw Error(ErrorKind::parameter,
                  text(option("wavelet"), " '", file.shown, "' has one column, and no times"),
                  "give the s between its samples, as in w.txt@dt=1e-3");
    }
    return signature_of({even_times(rows.rows(), *file.dt), rows.values, ""}, file.shown);
  }
  if (file.dt) throw needless_dt(file, "its first column has the times");
  Points points;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    points.times.push_back(rows.at(i, 0));
    points.values.push_back(rows.at(i, 1));
  }
  auto notes =
      check_times(points.times, file.shown, [&](std::size_t i, const std::string& what, const char* remedy) {
        return line_error(path, rows.lines[i], 1, what, remedy);
      });
  Signature signature = signature_of(std::move(points), file.shown);
  signature.notes = std::move(notes);
  return signature;
}

/// A dataset of one dimension, an HDF5 file's.
class Hdf5Wavelet {
 public:
  explicit Hdf5Wavelet(const FileSpec& spec)
      : spec_(spec),
        file_(hdf5::open_for_reading(spec.name.file)),
        dataset_(hdf5::open_float_dataset(file_, spec.name.dataset, spec.name.file)) {}

  [[nodiscard]] Signature read() const {
    Points points;
    points.values = read_values(dataset_, spec_.name.dataset);
    points.unit = hdf5::read_text_attribute(dataset_, "units");
    std::vector<Note> notes;
    const std::vector<double> own_dt = hdf5::read_number_attribute(dataset_, "dt");
    const std::string time = time_dataset(points.values.size());
    if (!own_dt.empty()) {
      if (spec_.dt) throw needless_dt(spec_, "its attribute dt says it");
      if (own_dt.size() != 1 || !std::isfinite(own_dt[0]) || own_dt[0] <= 0) {
        throw wrong(spec_.name.dataset, "has an attribute dt that is no number above 0", "correct it (s)");
      }
      points.times = even_times(points.values.size(), own_dt[0], own_first_time());
    } else if (!time.empty()) {
      if (spec_.dt) throw needless_dt(spec_, time + " has its times");
      points.times = read_times(time);
      notes = check_times(points.times, spec_.shown,
                          [&](std::size_t i, const std::string& what, const char* remedy) {
                            return wrong(time, text("has at index ", i, ": ", what), remedy);
                          });
    } else if (spec_.dt) {
      points.times = even_times(points.values.size(), *spec_.dt);
    } else {
      throw wrong(spec_.name.dataset, "has neither an attribute dt (s) nor a dataset time beside it",
                  "give the s between its samples, as in w.h5:/source@dt=1e-3");
    }
    Signature signature = signature_of(std::move(points), spec_.shown);
    signature.notes = std::move(notes);
    return signature;
  }

 private:
  /// s; a shot that began before t = 0 says so.
  [[nodiscard]] double own_first_time() const {
    const std::vector<double> first = hdf5::read_number_attribute(dataset_, "first_time");
    if (first.empty()) return 0;
    if (first.size() == 1 && std::isfinite(first[0])) return first[0];
    throw wrong(spec_.name.dataset, "has an attribute first_time that is no number", "correct it (s)");
  }

  [[nodiscard]] Error wrong(const std::string& dataset, const std::string& what,
                            const std::string& remedy) const {
    return {ErrorKind::data,
            text(escaped(dataset, 40), " of '", escaped(spec_.name.file.native(), 60), "' ", what), remedy};
  }

  [[nodiscard]] std::vector<double> read_values(const hdf5::Handle& dataset, const std::string& name) const {
    const hdf5::Shape shape = hdf5::shape_of(dataset);
    if (shape.dims.size() != 1) {
      throw wrong(name, text("has ", shape.dims.size(), " dimensions"), "give one dimension, time");
    }
    if (shape.count() < 2 || shape.count() > max_samples) {
      throw wrong(name, text("has ", shape.count(), " samples"), text("give 2 to ", max_samples));
    }
    std::vector<double> values = hdf5::read_doubles(dataset, spec_.name.file);
    const auto bad = std::ranges::find_if_not(values, [](double s) { return std::isfinite(s); });
    if (bad != values.end()) {
      throw wrong(name, text("holds ", *bad, " at index ", bad - values.begin()), "give finite samples");
    }
    return values;
  }

  /// s, whatever unit of time the dataset has them in; s where it names none.
  [[nodiscard]] std::vector<double> read_times(const std::string& name) const {
    const hdf5::Handle dataset = hdf5::open_float_dataset(file_, name, spec_.name.file);
    std::vector<double> times = read_values(dataset, name);
    const std::string unit = hdf5::read_text_attribute(dataset, "units");
    const auto in_second = unit.empty() ? 1 : units_in_second(unit);
    if (!in_second) {
      throw wrong(name, text("has the units '", escaped(unit, 30), "', not s, ms, us or ns"),
                  "correct the attribute");
    }
    for (double& time : times) time /= *in_second;
    return times;
  }

  /// The dataset `time` of `count` values in the same group; empty when there is none.
  [[nodiscard]] std::string time_dataset(std::size_t count) const {
    const std::string& own = spec_.name.dataset;
    const std::string name = own.substr(0, own.rfind('/') + 1) + "time";
    if (name == own || H5Lexists(file_, name.c_str(), H5P_DEFAULT) <= 0) return "";
    const auto dims = hdf5::shape_of(hdf5::open_float_dataset(file_, name, spec_.name.file)).dims;
    return dims == std::vector<hsize_t>{count} ? name : "";
  }

  const FileSpec& spec_;
  hdf5::Handle file_, dataset_;
};

}  // namespace

Signature sampled_signature(std::vector<double> samples, double dt, double first, const std::string& name) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    throw Error(ErrorKind::data, text(option("wavelet"), ": ", name, ' ', what), remedy);
  };
  if (samples.size() < 2 || samples.size() > max_samples)
    refuse(text("has ", samples.size(), " samples"), text("give 2 to ", max_samples));
  if (!std::isfinite(dt) || dt <= 0) refuse(text("has samples ", dt, " s apart"), "give seconds above 0");
  if (!std::isfinite(first)) refuse(text("begins at ", first, " s"), "give a number");
  const auto bad = std::ranges::find_if_not(samples, [](double s) { return std::isfinite(s); });
  if (bad != samples.end())
    refuse(text("holds ", *bad, " at index ", bad - samples.begin()), "give finite samples");
  std::vector<double> times = even_times(samples.size(), dt, first);
  return signature_of({std::move(times), std::move(samples), ""}, name);
}

Signature read_wavelet_file(const std::string& spec) {
  const FileSpec file = parse_file_spec(spec);
  std::error_code error;
  if (!fs::exists(file.name.file, error)) {
    throw Error(
        ErrorKind::missing_input,
        text(option("wavelet"), " '", file.shown, "' is neither a known form nor a file"),
        "give ricker:f=15, gaussian:f=15, ormsby:f=5/10/40/50, klauder:f=10/60,T=8 or a file of samples");
  }
  return is_hdf5_name(file.name.file) ? Hdf5Wavelet(file).read() : read_text(file);
}

}  // namespace minimod
