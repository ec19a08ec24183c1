#include "src/io/segy/segy_headers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

#include "src/base/error.hpp"
#include "src/base/segy/segy_text.hpp"
#include "src/io/segy/segy_limits.hpp"

namespace minimod::segy {
namespace {

const AttributeValue* find(const ShotGather& gather, std::string_view name) {
  const auto found = std::ranges::find(gather.metadata, name, [](const auto& entry) { return entry.first; });
  return found == gather.metadata.end() ? nullptr : &found->second;
}

std::string text_of(const ShotGather& gather, std::string_view name) {
  return gather.fact<std::string>(name);
}

/// Where the model lies in its file; nothing for a model without one.
bool has_place(const ShotGather& gather) {
  return gather.fact<std::vector<double>>("model_origin").size() == 3 &&
         gather.fact<std::vector<double>>("model_x_axis").size() == 2;
}
FileCoordinates place_of(const ShotGather& gather) {
  if (!has_place(gather)) return {};
  const auto origin = gather.fact<std::vector<double>>("model_origin");
  const auto x_axis = gather.fact<std::vector<double>>("model_x_axis");
  return {{origin[0], origin[1], origin[2]}, {x_axis[0], x_axis[1]}};
}

/// Milliseconds, or the tenths of them and so on that are whole.
TraceHeaders::Delay delay_of(double time) {
  for (const int parts : {1, 10, 100, 1000, 10000}) {
    const double delay = time * 1e3 * parts, nearest = std::round(delay);
    if (std::abs(nearest) <= std::numeric_limits<std::int16_t>::max() &&
        std::abs(delay - nearest) <= 1e-6 * parts) {
      return {static_cast<int>(nearest), parts == 1 ? 0 : -parts};
    }
  }
  throw Error(ErrorKind::data, text("a first sample at ", time, " s is at no time that SEG-Y's header holds"),
              "write HDF5");
}

std::string list_of(const AttributeValue* numbers, const char* between) {
  std::string list;
  const auto add = [&](const auto& values) {
    for (const auto& value : values) list += text(list.empty() ? "" : between, value);
  };
  if (numbers == nullptr) return list;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(numbers)) add(*whole);
  if (const auto* real = std::get_if<std::vector<double>>(numbers)) add(*real);
  return list;
}

/// To the centimetre: a map's coordinates have more digits than text() writes.
std::string metres(Point3 p) {
  std::array<char, 160> digits{};
  std::snprintf(digits.data(), digits.size(), "(%.2f, %.2f, %.2f) m", p.x, p.y, p.z);
  return digits.data();
}

// ---- text header ----

constexpr std::size_t lines = 40, line_width = 80, words_width = 76;

/// Beginning of the line on a shot's source, and the words there on several shots.
constexpr std::string_view source_words = "source: ";
std::string words_of_shots(int shots) {
  return text(shots, " shots one after the other, their sources in the trace headers");
}

/// The lines of a text header, numbered.
class Lines {
 public:
  void add(std::string words) {
    words.resize(words_width, ' ');
    ++count_;
    text_ += minimod::text(count_ < 10 ? "C " : "C", count_, ' ', words);
  }
  /// Over as many lines as it needs, up to `last`.
  void add_long(const std::string& words, std::size_t last) {
    for (std::size_t at = 0; at < words.size() && count_ < last; at += words_width) {
      add(words.substr(at, words_width));
    }
  }
  void fill_to(std::size_t last) {
    while (count_ < last) add("");
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

void add_model(Lines& list, const ShotGather& g) {
  list.add("model: " + text_of(g, "model"));
  list.add(text("velocities ", g.fact<double>("model_v_min"), " to ", g.fact<double>("model_v_max"),
                " m/s; grid ", list_of(find(g, "grid"), " x "), " points, spacing ",
                list_of(find(g, "spacing"), ", "), " m"));
  list.add(text("boundary: ", text_of(g, "boundary"), ", ", g.fact<std::int64_t>("pml_width"), " points",
                g.fact<std::int64_t>("free_surface") != 0 ? "; free surface at z = 0" : ""));
}

void add_signals(Lines& list, const ShotGather& g, SegyFloats floats, const SegyContents& contents) {
  list.add(text("time step ", g.fact<double>("dt") * 1e3, " ms, ", g.fact<std::int64_t>("steps"), " steps; ",
                g.samples, " samples every ", segy_interval(g.record_dt), " us"));
  list.add(text("samples: ", floats == SegyFloats::ieee ? "IEEE" : "IBM", " floats, big-endian"));
  if (contents.shots == 1) {
    const std::string others = g.sources.size() > 1 ? text(", the first of ", g.sources.size()) : "";
    list.add(std::string(source_words) + metres(g.sources.front()) + " in the model's coordinates" + others);
  } else {
    list.add(words_of_shots(contents.shots));
  }
  list.add("wavelet: " + text_of(g, "wavelet_description"));
  list.add("u solves u_tt / V**2 - laplacian(u) = s(t) delta(x - x_s), V in m/s");
  list.add(text("near the source u = s(t - r/V) / (4 pi r); unit of u: ", g.wavelet_unit, " / m"));
}

void add_positions(Lines& list, const ShotGather& g) {
  if (has_place(g)) {
    const FileCoordinates place = place_of(g);
    list.add("coordinates: those of the model's file, in m, where the model's (0, 0, 0) is");
    list.add(text(metres(place.origin), ", its x axis along (", place.x_axis[0], ", ", place.x_axis[1], ")"));
  } else {
    list.add("coordinates: the model's, in m: (0, 0, 0) is the first node of the inner box");
    list.add("of the grid, which the absorbing layer lies around");
  }
  list.add("z is down: receiver elevation (41-44) is -z, source depth (49-52) is z, both");
  list.add("with the scalar of 69-70; sx, sy, gx, gy (73-88) have that of 71-72");
  list.add("offset (37-40): horizontal, m, negative where gx < sx (or gx = sx, gy < sy)");
  list.add("field record (9-12): number of the shot; trace number in it: 13-16");
}

std::string started(const ShotIdentity& shot) {
  return "run started " + shot.date + " (UTC)";
}

/// 40 lines of 80 characters.
std::string text_header(const ShotGather& g, SegyFloats floats, const SegyContents& contents) {
  Lines list;
  const std::string program = text_of(g, "program");
  list.add((program.empty() ? "minimod" : program) + " (" + text_of(g, "git_hash") +
           "): 3-D acoustic shot gather");
  const ShotIdentity shot{text_of(g, date_attribute), text_of(g, configuration_attribute)};
  list.add(shot.configuration.empty() ? started(shot) + ", the time in the trace headers" : words_of(shot));
  add_model(list, g);
  add_signals(list, g, floats, contents);
  add_positions(list, g);
  list.add(text("kernels ", text_of(g, "kernel_inner"), " ", text_of(g, "kernel_pml"), " on ",
                text_of(g, "device")));
  list.add("command:");
  list.add_long(text_of(g, "command_line"), lines - 2);
  list.fill_to(lines - 2);
  list.add("SEG Y REV1");
  list.add("END TEXTUAL HEADER");
  return list.text();
}

std::span<const std::byte> bytes_of(const std::string& words) {
  return std::as_bytes(std::span(words));
}

/// The sign that the convention gives to an offset, from coordinates as they are written.
int sign_of_offset(std::int64_t along_x, std::int64_t along_y) {
  return along_x < 0 || (along_x == 0 && along_y < 0) ? -1 : 1;
}

std::int64_t in_parts(double metres, int scalar) {
  return std::llround(scalar < 0 ? metres * -scalar : metres);
}

/// `least`: of another length that must fit, m.
int scalar_of(const std::vector<Point3>& points, Point3 source, bool depth, double least = 0) {
  const auto size = [&](Point3 p) { return depth ? std::abs(p.z) : std::max(std::abs(p.x), std::abs(p.y)); };
  double greatest = std::max(size(source), least);
  for (const Point3& point : points) greatest = std::max(greatest, size(point));
  return segy_scalar(greatest);
}

/// Puts the traces of an ensemble, and its fold.
void put_traces_per_shot(Bytes& header, std::size_t count) {
  const bool fits = count <= std::size_t{std::numeric_limits<std::int16_t>::max()};
  for (const Field field : {file::ensemble_traces, file::fold})
    put(header, field, fits ? static_cast<std::int64_t>(count) : 0);
}

}  // namespace

void describe_shots(Bytes& header, const SegyContents& contents) {
  put_traces_per_shot(header, contents.traces_per_shot);
  if (contents.shots == 1) return;
  const std::string source = ebcdic(source_words);
  std::string words = words_of_shots(contents.shots);
  words.resize(words_width, ' ');
  for (std::size_t line = 0; line < lines; ++line) {
    const auto at = std::span(header).subspan(line * line_width + line_width - words_width);
    if (std::ranges::equal(bytes_of(source), at.first(source.size())))
      std::ranges::copy(bytes_of(ebcdic(words)), at.begin());
  }
}

FileFacts facts_of(const Bytes& header) {
  return {static_cast<int>(count_at(header, file::interval)), count_at(header, file::samples),
          static_cast<SegyFloats>(count_at(header, file::format))};
}

void set_trace_number(Bytes& trace, std::int64_t number) {
  put(trace, trace::in_line, number);
  put(trace, trace::in_file, number);
}

std::string words_of(const ShotIdentity& shot) {
  return started(shot) + ", configuration " + shot.configuration;
}

Bytes file_header(const ShotGather& first, SegyFloats floats, const SegyContents& contents) {
  require_segy_sampling(first.record_dt, static_cast<std::int64_t>(first.samples));
  constexpr int common_source = 5, metric = 1, positive_pressure = 2;
  const int interval = segy_interval(first.record_dt);
  const auto samples = static_cast<std::int64_t>(first.samples);
  const std::string words = ebcdic(text_header(first, floats, contents));
  Bytes bytes(file_header_bytes);
  std::ranges::copy(bytes_of(words), bytes.begin());
  for (const Field one : {file::job, file::line, file::reel, file::revision, file::fixed_length})
    put(bytes, one, 1);
  put_traces_per_shot(bytes, contents.traces_per_shot);
  for (const Field field : {file::interval, file::recorded_interval}) put(bytes, field, interval);
  for (const Field field : {file::samples, file::recorded_samples}) put(bytes, field, samples);
  put(bytes, file::format, static_cast<int>(floats));
  put(bytes, file::sorting, common_source);
  put(bytes, file::system, metric);
  put(bytes, file::polarity, positive_pressure);
  return bytes;
}

TraceHeaders::TraceHeaders(const ShotGather& gather, int shot)
    : gather_(gather),
      shot_(shot),
      place_(place_of(gather)),
      source_(place_.to_file(gather.sources.front())),
      interval_(segy_interval(gather.record_dt)),
      delay_(delay_of(gather.first_time)),
      date_(date_of(gather)),
      bins_(bins_of(gather)) {
  std::vector<Point3> receivers = gather.receivers;
  for (Point3& receiver : receivers) receiver = place_.to_file(receiver);
  coordinate_scalar_ = scalar_of(receivers, source_, false);
  double deepest = source_water_ = floor_in_file(gather.fact<double>(source_water_name));
  for (const double depth : gather.water_depths) deepest = std::max(deepest, floor_in_file(depth));
  elevation_scalar_ = scalar_of(receivers, source_, true, deepest);
}

/// A floor below z = 0 of the model as a depth in its file; 0 stays 0, as there is none.
double TraceHeaders::floor_in_file(double depth) const {
  return depth > 0 ? std::max(depth + place_.origin.z, 0.0) : 0;
}

TraceHeaders::Date TraceHeaders::date_of(const ShotGather& gather) {
  using namespace std::chrono;
  Date date;
  unsigned month = 0, day_of_month = 0;
  const std::string written = text_of(gather, "date");
  if (std::sscanf(written.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d", &date.year, &month, &day_of_month, &date.hour,
                  &date.minute, &date.second) != 6) {
    return {};
  }
  const year_month_day written_day = year(date.year) / month / day_of_month;
  if (!written_day.ok()) return {};
  const sys_days begin = year(date.year) / January / 1;
  date.day = static_cast<int>((sys_days(written_day) - begin).count()) + 1;
  return date;
}

Bytes TraceHeaders::make(std::size_t receiver, std::int64_t number) const {
  constexpr int lengths = 1, utc = 4;
  const Point3 r = place_.to_file(gather_.receivers[receiver]);
  const auto horizontal = [&](double metres) { return in_parts(metres, coordinate_scalar_); };
  const auto vertical = [&](double metres) { return in_parts(metres, elevation_scalar_); };
  const std::int64_t sx = horizontal(source_.x), sy = horizontal(source_.y);
  const std::int64_t gx = horizontal(r.x), gy = horizontal(r.y);
  const double offset = std::hypot(r.x - source_.x, r.y - source_.y);
  const Point3 from = gather_.sources.front(), to = gather_.receivers[receiver];
  Bytes bytes(trace_header_bytes);
  set_trace_number(bytes, number);
  put(bytes, trace::record, shot_);
  put(bytes, trace::in_record,
      gather_.stations.empty() ? static_cast<std::int64_t>(receiver) + 1 : gather_.stations[receiver]);
  put(bytes, trace::source_point, shot_);
  put(bytes, trace::ensemble, bins_.number_of({(from.x + to.x) / 2, (from.y + to.y) / 2, 0}));
  for (const Field one : {trace::kind, trace::summed, trace::stacked, trace::use}) put(bytes, one, 1);
  put(bytes, trace::offset, sign_of_offset(gx - sx, gy - sy) * std::llround(offset));
  put(bytes, trace::receiver_elevation, -vertical(r.z));
  put(bytes, trace::source_depth, vertical(source_.z));
  put(bytes, trace::source_water, vertical(source_water_));
  if (!gather_.water_depths.empty())
    put(bytes, trace::receiver_water, vertical(floor_in_file(gather_.water_depths[receiver])));
  put(bytes, trace::elevation_scalar, elevation_scalar_);
  put(bytes, trace::coordinate_scalar, coordinate_scalar_);
  put(bytes, trace::source_x, sx);
  put(bytes, trace::source_y, sy);
  put(bytes, trace::receiver_x, gx);
  put(bytes, trace::receiver_y, gy);
  put(bytes, trace::coordinate_units, lengths);
  put(bytes, trace::delay, delay_.value);
  put(bytes, trace::samples, static_cast<std::int64_t>(gather_.samples));
  put(bytes, trace::interval, interval_);
  put(bytes, trace::year, date_.year);
  put(bytes, trace::day, date_.day);
  put(bytes, trace::hour, date_.hour);
  put(bytes, trace::minute, date_.minute);
  put(bytes, trace::second, date_.second);
  put(bytes, trace::time_basis, date_.year == 0 ? 0 : utc);
  put(bytes, trace::ensemble_x, horizontal((source_.x + r.x) / 2));
  put(bytes, trace::ensemble_y, horizontal((source_.y + r.y) / 2));
  put(bytes, trace::time_scalar, delay_.scalar);
  return bytes;
}

}  // namespace minimod::segy
