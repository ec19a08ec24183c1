#include "src/job/geometry/source_list.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "src/base/error.hpp"
#include "src/base/number_rows.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/job/geometry/acquisition.hpp"
#include "src/job/geometry/field_geometry.hpp"
#include "src/wavelets/signature.hpp"

namespace minimod {
namespace {

constexpr const char* source_format =
    "x,y,z in m, a source a line, and under these names wavelet, shot, amplitude";
// Indices of the format's texts.
constexpr std::size_t wavelet_text = 0, shot_text = 1, amplitude_text = 2, texts = 3;

/// Bytes of a shot with one source, and of its numbers, hash and rows in the lists of a survey.
constexpr std::size_t bytes_of_shot = sizeof(ShotGeometry) + sizeof(ShotSource) + 256;

/// Makes shots of the rows of a file.
class ShotsOfFile {
 public:
  ShotsOfFile(std::string path, const NumberRows& rows, std::string wavelet)
      : path_(std::move(path)), rows_(rows), wavelet_(std::move(wavelet)) {}

  [[nodiscard]] std::vector<ShotGeometry> shots() {
    for (std::size_t row = 0; row < rows_.rows(); ++row) add(row);
    std::ranges::sort(shots_, {}, &ShotGeometry::id);
    return std::move(shots_);
  }

 private:
  void add(std::size_t row) {
    const int id = id_of(row);
    if (shots_.empty() || shots_.back().id != id) {
      const auto [first, is_new] = first_rows_.emplace(id, row);
      if (!is_new) {
        refuse(row, shot_text,
               text("shot ", id, " has been given from line ", rows_.lines[first->second], " on"),
               "put the sources of a shot behind each other, and give each shot its own number");
      }
      shots_.push_back({id, {}, {}});
      sources_.clear();
    }
    const ShotSource source{
        {rows_.at(row, 0), rows_.at(row, 1), rows_.at(row, 2)}, wavelet_of(row), amplitude_of(row)};
    const Point3 p = source.position;
    if (!sources_.emplace(p.x, p.y, p.z, source.wavelet).second) {
      refuse(row, shot_text, text("shot ", id, " has this source twice"), "leave one of them out");
    }
    shots_.back().sources.push_back(source);
  }

  [[nodiscard]] int id_of(std::size_t row) const {
    const TextField* const field = field_of(row, shot_text);
    if (field == nullptr) return first_shot_number + static_cast<int>(row);
    const auto number = to_number(field->value);
    constexpr double most = std::numeric_limits<int>::max() - 1;
    if (!number || *number < 0 || *number > most || *number != std::floor(*number)) {
      refuse(row, shot_text, text("'", escaped(field->value, 40), "' is no number of a shot"),
             "give whole numbers from 0 on");
    }
    return static_cast<int>(*number);
  }

  /// A form is read now, while its line is known, each once.
  [[nodiscard]] std::string wavelet_of(std::size_t row) {
    const TextField* const field = field_of(row, wavelet_text);
    if (field == nullptr || field->value.empty()) return wavelet_;
    if (!names_form(field->value) || !forms_read_.insert(field->value).second) return field->value;
    try {
      (void)make_signature(field->value);
    } catch (const Error& wrong) {
      refuse(row, wavelet_text, wrong.what(), "");
    }
    return field->value;
  }

  /// An empty field is 1, as one of a wavelet is the survey's.
  [[nodiscard]] double amplitude_of(std::size_t row) const {
    const TextField* const field = field_of(row, amplitude_text);
    if (field == nullptr || field->value.empty()) return 1;
    const auto number = to_number(field->value);
    if (!number || *number == 0) {
      refuse(row, amplitude_text, text("'", escaped(field->value, 40), "' is no amplitude of a source"),
             "give a number other than 0, or leave a silent source out");
    }
    return *number;
  }

  /// Null where the file has no such column.
  [[nodiscard]] const TextField* field_of(std::size_t row, std::size_t name) const {
    if (rows_.texts.empty()) return nullptr;
    const TextField& field = rows_.texts[texts * row + name];
    return field.column == 0 ? nullptr : &field;
  }

  [[noreturn]] void refuse(std::size_t row, std::size_t name, const std::string& what,
                           const std::string& remedy) const {
    const TextField* const field = field_of(row, name);
    throw line_error(path_, rows_.lines[row], field == nullptr ? 1 : field->column, what, remedy);
  }

  std::string path_;
  const NumberRows& rows_;
  std::string wavelet_;
  std::vector<ShotGeometry> shots_;
  std::set<std::string> forms_read_;
  std::map<int, std::size_t> first_rows_;                              ///< first row of each shot
  std::set<std::tuple<double, double, double, std::string>> sources_;  ///< sources of the last one
};

}  // namespace

SourceList parse_sources(const std::string& spec, const std::string& wavelet, std::int64_t memory_limit) {
  SourceList list;
  if (is_line_or_grid(spec)) {
    for (const Point3& position : parse_line_or_grid(spec, option("sources"), memory_limit, bytes_of_shot)) {
      list.shots.push_back(
          {first_shot_number + static_cast<int>(list.shots.size()), {{position, wavelet}}, {}});
    }
    return list;
  }
  if (is_field_file(spec)) {
    for (FieldRecord& record : read_field_records(spec, memory_limit)) {
      list.shots.push_back({record.number,
                            {{record.source, wavelet}},
                            std::move(record.stations.positions),
                            std::move(record.stations.numbers)});
    }
    return list;
  }
  const NumberRows rows =
      read_number_rows(spec, {3, 3, {"x", "y", "z"}, {"wavelet", "shot", "amplitude"}, source_format});
  check_position_memory(static_cast<double>(rows.rows()), option("sources"), memory_limit, bytes_of_shot);
  list.shots = ShotsOfFile(spec, rows, wavelet).shots();
  list.note = left_out_note(spec, rows, "x, y, z, wavelet, shot and amplitude");
  return list;
}

}  // namespace minimod
