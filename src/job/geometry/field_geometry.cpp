#include "src/job/geometry/field_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/parse.hpp"
#include "src/base/segy/segy_input.hpp"
#include "src/job/geometry/acquisition.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// ".sps", ".s", ".s01".
bool is_sps_suffix(const std::string& suffix) {
  if (suffix == ".sps" || suffix == ".rps") return true;
  const bool begins = suffix.starts_with(".s") || suffix.starts_with(".r");
  return begins && std::all_of(suffix.begin() + 2, suffix.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// ---- SEG-Y ----

struct FieldTrace {
  int record = 0, number = 0;
  Point3 source, receiver;
};

class FieldTraces {
 public:
  FieldTraces(const std::string& path, std::int64_t memory_limit) : file_(path) {
    check_position_memory(static_cast<double>(file_.traces()), path, memory_limit);
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint64_t i = 0; i < file_.traces(); ++i) visit(read(i));
  }
  [[nodiscard]] Error wrong(const std::string& what, const char* remedy) const {
    return file_error(file_.path(), what, remedy);
  }

 private:
  [[nodiscard]] FieldTrace read(std::uint64_t trace) const {
    using namespace segy::trace;
    const segy::TraceWords words = file_.words(trace);
    if (const int units = segy::number_at(words, coordinate_units); units > 1) {
      throw wrong(text("has coordinate units ", units, " in trace ", trace + 1, ", which are angles"),
                  "give a file with lengths (bytes 89-90: 1)");
    }
    const double metres = file_.header().metres();
    const auto on_map = [&](segy::Field field) {
      return segy::scaled_at(words, field, coordinate_scalar) * metres;
    };
    const auto height = [&](segy::Field field) {
      return segy::scaled_at(words, field, elevation_scalar) * metres;
    };
    return {segy::number_at(words, record),
            segy::number_at(words, in_record),
            {on_map(source_x), on_map(source_y), height(source_depth) - height(surface_elevation)},
            {on_map(receiver_x), on_map(receiver_y), -height(receiver_elevation)}};
  }

  segy::Input file_;
};

std::string place_text(Point3 p) {
  return text('(', p.x, ", ", p.y, ", ", p.z, ')');
}

std::vector<FieldRecord> records_of_segy(const std::string& path, std::int64_t memory_limit) {
  const FieldTraces traces(path, memory_limit);
  std::map<int, FieldRecord> records;
  traces.for_each([&](const FieldTrace& trace) {
    if (trace.record < 0 || trace.record == std::numeric_limits<int>::max()) {
      throw traces.wrong(text("has field record ", trace.record), "number the shots from 0 on (bytes 9-12)");
    }
    auto [found, is_new] = records.try_emplace(trace.record, FieldRecord{trace.record, trace.source, {}});
    FieldRecord& record = found->second;
    if (record.source != trace.source) {
      throw traces.wrong(text("has sources at ", place_text(record.source), " and ", place_text(trace.source),
                              " m in field record ", trace.record),
                         "give each shot a number of its own (bytes 9-12)");
    }
    record.stations.positions.push_back(trace.receiver);
    record.stations.numbers.push_back(trace.number);
  });
  std::vector<FieldRecord> list;
  list.reserve(records.size());
  for (auto& [number, record] : records) list.push_back(std::move(record));
  return list;
}

/// Keeps of several at one place the first.
class StationList {
 public:
  void add(Point3 position, std::int64_t number) {
    if (!places_.emplace(position.x, position.y, position.z).second) return;
    list_.positions.push_back(position);
    list_.numbers.push_back(number);
  }
  [[nodiscard]] Stations& list() { return list_; }

 private:
  Stations list_;
  std::set<std::tuple<double, double, double>> places_;
};

// ---- SPS ----

struct SpsPoint {
  std::int64_t number = 0;
  Point3 position;
  int line = 0;  ///< line of the file
};

/// A number in the columns first to last of a record, counted from 1; 0 where they are blank and may be.
double sps_number(const std::string& path, int line, const std::string& record, std::size_t first,
                  std::size_t last, bool may_be_blank) {
  const std::string columns = record.size() < first ? "" : record.substr(first - 1, last - first + 1);
  const std::size_t begin = columns.find_first_not_of(' ');
  if (begin == std::string::npos && may_be_blank) return 0;
  const std::size_t end = columns.find_last_not_of(' ') + 1;
  const auto number = begin == std::string::npos
                          ? std::nullopt
                          : to_number(std::string_view(columns).substr(begin, end - begin));
  if (number) return *number;
  throw line_error(path, line, static_cast<int>(first),
                   text("'", escaped(columns, 20), "' is no number in columns ", first, " to ", last),
                   "give SPS revision 2.1");
}

SpsPoint sps_point(const std::string& path, int line, const std::string& record) {
  const auto number = [&](std::size_t first, std::size_t last, bool may_be_blank) {
    return sps_number(path, line, record, first, last, may_be_blank);
  };
  const double point = number(12, 21, false);
  constexpr double most = std::numeric_limits<int>::max() - 1;
  if (point < 0 || point > most || point != std::floor(point)) {
    throw line_error(path, line, 12, text("'", point, "' is no number of a point"),
                     "give whole numbers from 0 on");
  }
  return {static_cast<std::int64_t>(point),
          {number(47, 55, false), number(56, 65, false), number(31, 34, true) - number(66, 71, true)},
          line};
}

/// Calls visit(line, record) with each line of the file and its number.
template <class Visit>
void for_each_record(const std::string& path, Visit visit) {
  constexpr std::size_t longest = 4096;
  static_cast<void>(InputFile(path));
  std::ifstream stream(path, std::ios::binary);
  std::array<char, longest> buffer{};
  for (int line = 1; stream.getline(buffer.data(), buffer.size()).gcount() > 0; ++line) {
    if (stream.fail() && !stream.eof()) {
      throw line_error(path, line, 0, text("is longer than ", longest, " characters"),
                       "give SPS revision 2.1");
    }
    std::string record = buffer.data();
    if (record.ends_with('\r')) record.pop_back();
    visit(line, record);
  }
}

/// The records that begin with `kind`; comments (H) and the other kinds are passed over.
std::vector<SpsPoint> sps_points(const std::string& path, char kind, std::int64_t memory_limit) {
  constexpr std::string_view kinds = "HSRX\x1a";  // and what ends files of DOS
  std::vector<SpsPoint> points;
  for_each_record(path, [&](int line, const std::string& record) {
    if (record.empty()) return;
    if (kinds.find(record.front()) == std::string_view::npos) {
      throw line_error(path, line, 1, text("'", escaped(record, 20), "' is no record of SPS"),
                       "give SPS revision 2.1: H, S, R or X in column 1");
    }
    if (record.front() != kind) return;
    check_position_memory(static_cast<double>(points.size() + 1), path, memory_limit);
    points.push_back(sps_point(path, line, record));
  });
  if (!points.empty()) return points;
  throw Error(ErrorKind::data, text(shown(path), " has no records ", kind),
              kind == 'S' ? "give the file of the sources" : "give the file of the receivers");
}

std::vector<FieldRecord> records_of_sps(const std::string& path, std::int64_t memory_limit) {
  std::map<std::int64_t, SpsPoint> points;
  for (const SpsPoint& point : sps_points(path, 'S', memory_limit)) {
    const auto [first, is_new] = points.emplace(point.number, point);
    if (is_new) continue;
    throw line_error(path, point.line, 12,
                     text("shot ", point.number, " has been given on line ", first->second.line),
                     "give the points of one line, or a table with a column shot");
  }
  std::vector<FieldRecord> records;
  records.reserve(points.size());
  for (const auto& [number, point] : points)
    records.push_back({static_cast<int>(number), point.position, {}});
  return records;
}

}  // namespace

bool is_field_file(const std::string& spec) {
  return is_segy_name(spec) || is_sps_suffix(small_suffix(spec));
}

std::vector<FieldRecord> read_field_records(const std::string& path, std::int64_t memory_limit) {
  return is_sps_suffix(small_suffix(path)) ? records_of_sps(path, memory_limit)
                                           : records_of_segy(path, memory_limit);
}

Stations read_stations(const std::string& path, std::int64_t memory_limit) {
  StationList stations;
  if (is_sps_suffix(small_suffix(path))) {
    for (const SpsPoint& point : sps_points(path, 'R', memory_limit))
      stations.add(point.position, point.number);
  } else {
    FieldTraces(path, memory_limit).for_each([&](const FieldTrace& trace) {
      stations.add(trace.receiver, trace.number);
    });
  }
  return std::move(stations.list());
}

}  // namespace minimod
