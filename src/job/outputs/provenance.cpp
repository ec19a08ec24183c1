#include "src/job/outputs/provenance.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/json.hpp"
#include "src/base/parse.hpp"
#include "src/io/shot_identity.hpp"

namespace minimod {
namespace {

/// To the centimetre: a map's coordinates have more digits than text() writes.
std::string metres(double value) {
  std::array<char, 400> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, 2);
  return {digits.data(), end.ptr};
}

std::vector<double> numbers(Point3 p) {
  return {p.x, p.y, p.z};
}
std::vector<std::int64_t> numbers(Index3 i) {
  return {i.x, i.y, i.z};
}
/// x0, x1, y0, y1, z0, z1: as --crop has them.
std::vector<std::int64_t> numbers(const Box3& box) {
  return {box.begin.x, box.end.x, box.begin.y, box.end.y, box.begin.z, box.end.z};
}

/// Points along y that a section became; 0 for a model that has its own.
int extruded(const SampledMedium& medium) {
  return medium.model().n.y == 1 ? medium.inner().extent().y : 0;
}

}  // namespace

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  // By the convention of reproducible builds: files made at different times are then equal.
  const char* const given = std::getenv("SOURCE_DATE_EPOCH");
  constexpr std::int64_t end_of_9999 = 253402300799;
  if (given != nullptr) now = parse_integer(given, "SOURCE_DATE_EPOCH", 0, end_of_9999);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> date{};
  const std::size_t length = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {date.data(), length};
}

std::string model_file_text(const SampledMedium& medium) {
  const ModelCut& cut = medium.model().cut;
  const FileCoordinates place = medium.file_coordinates();
  const Point3 o = place.origin;
  std::string line;
  for (const std::string& note : cut.notes) line += note + "; ";
  line += text("(0, 0, 0) m is (", metres(o.x), ", ", metres(o.y), ", ", metres(o.z), ") m of the file");
  if (place.x_axis[0] != 1) line += text(", x runs along (", place.x_axis[0], ", ", place.x_axis[1], ")");
  return line + text("; crc32 ", hexadecimal(cut.crc32));
}

std::vector<std::pair<std::string, AttributeValue>> model_place(const SampledMedium& medium) {
  if (!medium.model().from_file) return {};
  const FileCoordinates place = medium.file_coordinates();
  return {{"model_origin", numbers(place.origin)},
          {"model_x_axis", std::vector<double>{place.x_axis[0], place.x_axis[1]}}};
}

std::vector<std::pair<std::string, AttributeValue>> provenance(const SampledMedium& medium,
                                                               const std::string& command_line,
                                                               const std::string& date) {
  std::vector<std::pair<std::string, AttributeValue>> list = {{"command_line", command_line},
                                                              {date_attribute, date}};
  if (!medium.model().from_file) return list;
  const ModelCut& cut = medium.model().cut;
  const std::vector<std::pair<std::string, AttributeValue>> file = {
      {"model_crc32", hexadecimal(cut.crc32)},   {"model_axes", cut.axes},
      {"model_spacing", numbers(cut.spacing)},   {"model_crop", numbers(cut.crop)},
      {"model_decimate", numbers(cut.decimate)}, {"model_extrude", std::int64_t{extruded(medium)}}};
  list.insert(list.end(), file.begin(), file.end());
  for (auto& entry : model_place(medium)) list.push_back(std::move(entry));
  return list;
}

Json model_file_record(const SampledMedium& medium) {
  if (!medium.model().from_file) return nullptr;
  const ModelCut& cut = medium.model().cut;
  const FileCoordinates place = medium.file_coordinates();
  return {{"crc32", hexadecimal(cut.crc32)},
          {"axes", cut.axes},
          {"spacing_m", numbers(cut.spacing)},
          {"crop", numbers(cut.crop)},
          {"decimate", numbers(cut.decimate)},
          {"extrude", extruded(medium)},
          {"origin_m", numbers(place.origin)},
          {"x_axis", {place.x_axis[0], place.x_axis[1]}},
          {"notes", cut.notes}};
}

}  // namespace minimod
