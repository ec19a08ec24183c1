#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/ranks/problem.hpp"

namespace minimod {

namespace {

/// "x0:x1,y0:y1,z0:z1"; an axis may be ":" for all of it.
Box3 parse_crop(const std::string& value) {
  const auto axes = split(value, ',');
  Box3 box;
  int* const ends[3][2] = {
      {&box.begin.x, &box.end.x}, {&box.begin.y, &box.end.y}, {&box.begin.z, &box.end.z}};
  bool right = axes.size() == 3;
  for (std::size_t axis = 0; right && axis < 3; ++axis) {
    const auto range = split(axes[axis], ':');
    right = range.size() == 2;
    if (!right || axes[axis] == ":") continue;
    *ends[axis][0] = parse_int(range[0], "--crop", 0);
    *ends[axis][1] = parse_int(range[1], "--crop", *ends[axis][0] + 1);
  }
  if (right) return box;
  throw Error(ErrorKind::parameter, text("--crop is '", escaped(value), "'"),
              "give the nodes to keep as X0:X1,Y0:Y1,Z0:Z1, a lone ':' for a whole axis");
}

/// "inline=9,crossline=21,x=73,y=77,domain=depth", or some of them.
SegyWords parse_segy_words(const std::string& value) {
  constexpr int last_word = 237;  // last word of four bytes in a header of 240
  SegyWords words;
  const std::pair<std::string_view, std::optional<int>*> numbers[] = {{"inline=", &words.inline_number},
                                                                      {"crossline=", &words.crossline_number},
                                                                      {"x=", &words.x},
                                                                      {"y=", &words.y}};
  bool right = true;
  for (const std::string_view part : split(value, ',')) {
    bool known = part == "domain=depth";
    words.in_depth |= known;
    for (const auto& [key, word] : numbers) {
      if (!part.starts_with(key) || *word) continue;
      *word = parse_int(part.substr(key.size()), "--segy-header", 1, last_word);
      known = true;
    }
    right &= known;
  }
  if (words.x && !words.y && *words.x + 4 <= last_word) words.y = *words.x + 4;
  if (right && words.x.has_value() == words.y.has_value()) return words;
  throw Error(ErrorKind::parameter, text("--segy-header is '", escaped(value), "'"),
              "give first bytes of words and domain=depth, as inline=9,crossline=21,x=73,y=77,domain=depth");
}

}  // namespace

void add_grid(OptionTable& table, GridOptions& o) {
  table.value("-g,--grid", "N|NX,NY,NZ", groups::model,
              text("points of the grid, PML included (", papers_case::edge, ")"),
              [&o](const auto& v, const auto& name) { o.grid = parse_extent(v, name); });
  table.value("--spacing", "H|HX,HY,HZ", groups::model,
              text("spacing in m (", papers_case::spacing, ", or the model file's, which is resampled)"),
              [&o](const auto& v, const auto& name) { o.spacing = parse_spacing(v, name); });
}

void add_model(OptionTable& table, ModelSpec& model, GridOptions& grid) {
  table.value(
      "-m,--model", "MODEL", groups::model,
      text("file.h5[:/dataset], file.sgy, file.bin, constant:V, layered:V0@Z0,V1@Z1,... or gradient:V+Kz ",
           "(constant:", papers_case::velocity, "); with --equation density V/RHO (kg/m^3) in place of V, ",
           "with vti V/EPSILON/DELTA"),
      model.source);
  table.value("--model-dims", "NX,NY,NZ", groups::model,
              "points of a raw file, or of SEG-Y whose headers do not say its lines",
              [&model](const auto& v, const auto& name) { model.dims = parse_extent(v, name); });
  table.value("--model-axes", "AXES", groups::model,
              "axes of the file, slowest first, such as z,y,x, where it does not say", model.axes);
  table.value("--model-spacing", "H|HX,HY,HZ", groups::model,
              "spacing of the file in m, where it does not say",
              [&model](const auto& v, const auto& name) { model.spacing = parse_spacing(v, name); });
  table.value(
      "--segy-header", "WORDS", groups::model,
      "where a SEG-Y model's words stand, unless as in revision 1, such as inline=9,crossline=21,x=73,y=77; "
      "domain=depth where it looks like time",
      [&model](const auto& v, const auto&) { model.segy = parse_segy_words(v); });
  table.value("--velocity-unit", "UNIT", groups::model,
              "m/s, km/s or ft/s, where the file does not say (m/s)", model.unit);
  table.value("--crop", "X0:X1,Y0:Y1,Z0:Z1", groups::model, "nodes of the file to keep (half-open)",
              [&model](const auto& v, const auto&) { model.crop = parse_crop(v); });
  table.value("--decimate", "N|NX,NY,NZ", groups::model,
              "keep every N-th node, with 1/V^2 band-limited to them",
              [&model](const auto& v, const auto& name) {
                const Extent3 n = parse_extent(v, name);
                model.decimate = {n.x, n.y, n.z};
              });
  table.value(
      "--extrude", "NY", groups::model,
      "points along y that a 2-D section is extended to (two PML widths and one)",
      [&grid](const auto& v, const auto& name) { grid.extrude = parse_int(v, name, 1, longest_axis); });
}

}  // namespace minimod
