#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/commands/options/option_groups.hpp"

namespace minimod {

namespace {

/// "7", "0:96", "0::4"; ends may be left out.
ShotRange parse_shots(const std::string& value, const std::string& option) {
  constexpr int most = std::numeric_limits<int>::max() - 1;
  const auto parts = split(value, ':');
  if (parts.size() > 3) {
    throw Error(ErrorKind::parameter, text(option, " is '", escaped(value), "'"),
                "give numbers of shots as N, A:B or A:B:STEP");
  }
  ShotRange range;
  if (parts.size() == 1 || !parts[0].empty()) range.begin = parse_int(parts[0], option, 0, most);
  if (parts.size() == 1) range.end = *range.begin + 1;
  if (parts.size() > 1 && !parts[1].empty()) {
    range.end = parse_int(parts[1], option, range.begin.value_or(0) + 1);
  }
  if (parts.size() > 2) range.step = parse_int(parts[2], option, 1);
  return range;
}

/// Nothing for "auto". The former name "sinc" said no radius. Error 64.
std::optional<Interpolation> parse_interpolation(const std::string& value, const std::string& option) {
  if (value == "auto") return std::nullopt;
  if (value == "sinc") {
    throw Error(ErrorKind::parameter, option + " is 'sinc', which does not say its radius",
                "give sinc4, the same with 8 nodes an axis, or sinc8, with 16");
  }
  return parse_choice(interpolation_names, value, option);
}

}  // namespace

void add_acquisition(OptionTable& table, AcquisitionOptions& o) {
  table.value("-s,--source", "X,Y,Z", groups::acquisition,
              "in m from the first node of the inner box, z down (the centre)",
              [&o](const auto& v, const auto& name) { o.source = parse_point(v, name); });
  table.value(
      "--sources", "SOURCES", groups::acquisition,
      "a survey: file.csv with columns x, y, z and perhaps wavelet, amplitude and shot (sources of one "
      "number are one shot), line:... or grid:... as receivers have it, or the shots of field data: file.sgy "
      "or an SPS file (.sps, .s01)",
      o.sources);
  table.value("--shots", "N|A:B[:STEP]", groups::acquisition,
              "which of the survey's shots, from A on and before B (all)",
              [&o](const auto& v, const auto& name) { o.shots = parse_shots(v, name); });
  table.value(
      "--coordinates", "C", groups::acquisition,
      "what sources and receivers are given in: model (m from the first node of the inner box) or "
      "file (the model file's origin and direction, a map's, m) (model)",
      [&o](const auto& v, const auto& name) { o.coordinates = parse_choice(coordinate_names, v, name); });
  table.value(
      "-w,--wavelet", "WAVELET", groups::acquisition,
      "ricker:f=F[,t0=T], gaussian:f=F[,t0=T], ormsby:f=F1/F2/F3/F4[,t0=T][,window=W] (corners of the "
      "spectrum), klauder:f=F1/F2,T=T[,t0=T0][,window=W] (of a sweep), a text file of times and values, "
      "one of values as file.txt@dt=DT, file.h5[:/dataset][@dt=DT], or minimum: before any of these, the "
      "minimum phase of its spectrum (" +
          AcquisitionOptions().signature() + ")",
      o.wavelet);
  table.value(
      "--inject", "GATHER", groups::acquisition,
      "file.h5 or file.sgy: all its traces are fed in at their receivers, in place of source and wavelet",
      o.inject);
  table.flag("--reverse", groups::acquisition, "those backward in time, from their last sample on",
             o.reverse);
  table.value("-r,--receivers", "RECEIVERS", groups::acquisition,
              "line:X0,Y0,Z0:X1,Y1,Z1:N, grid:X0,Y0,Z0:X1,Y1,Z1:NX,NY,NZ or file.csv with columns x, y, z; "
              "the stations of field data, file.sgy or an SPS file (.rps, .r01); in a survey also a file a "
              "shot, as rec_%05d.csv, or the file of --sources: a record's own stations (a line along x at z "
              "= 0, or a node below a "
              "free surface)",
              o.receivers);
  table.flag("--receivers-move", groups::acquisition,
             "a streamer: the receivers' positions are relative to the shot's (first) source",
             o.receivers_move);
  table.value(
      "--interpolation", "I", groups::acquisition,
      "positions between nodes: nearest node, sinc4 (4 nodes to either side, 8 an axis), sinc8 (16) or "
      "auto: sinc4 where a position is off its node (auto)",
      [&o](const auto& v, const auto& name) { o.interpolation = parse_interpolation(v, name); });
  table.flag("--allow-dispersion", groups::acquisition, "run with fewer than 4 points per wavelength",
             o.allow_dispersion);
}

}  // namespace minimod
