/// The headers of a gather's SEG-Y file, revision 1 (SEG Technical Standards Committee, 2002).
///
/// | field (segy_fields.hpp) | SU's name | value |
/// |---|---|---|
/// | in_line, in_file | tracl, tracr | number of the trace in the file, from 1 |
/// | record, source_point | fldr, ep | number of the shot |
/// | in_record | tracf | number of the trace in its shot, from 1, or the station's that the field gave it |
/// | ensemble | cdp | number of the midpoint's bin, from 1 (midpoints.hpp); 0 where the gather has no bins |
/// | kind, summed, stacked, use | trid, nvs, nhs, duse | 1 |
/// | offset | offset | horizontal, in m, negative where gx < sx (or gx = sx and gy < sy) |
/// | receiver_elevation | gelev | -z, with scalel |
/// | source_depth | sdepth | z, with scalel; the surface's elevation is 0 |
/// | source_water, receiver_water | swdep, gwdep | depth of the sea floor (water_depth.hpp); scalel |
/// | elevation_scalar, coordinate_scalar | scalel, scalco | -1000: mm; -100, -10, 1 where that does not fit |
/// | source_x ... receiver_y | sx, sy, gx, gy | in the coordinates of the model's file, or in the model's |
/// | coordinate_units | counit | 1: lengths |
/// | delay | delrt | time of the first sample, ms |
/// | samples, interval | ns, dt | samples; us between them |
/// | year ... time_basis | year ... timbas | start of the run; 4: UTC |
/// | ensemble_x, ensemble_y | - | midpoint of source and receiver, as sx ... gy |
///
/// All others are 0. From byte 181 on Seismic Unix has fields of its own, which its segyclean sets to 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/file_coordinates.hpp"
#include "src/base/segy/segy_samples.hpp"
#include "src/io/gather/midpoints.hpp"
#include "src/io/segy/segy_file.hpp"
#include "src/io/shot_identity.hpp"

namespace minimod::segy {

using Bytes = std::vector<std::byte>;

/// Beginning of the text header of every file of ours, in ASCII.
inline constexpr std::string_view first_words = "C 1 minimod ";

/// Words of the text header on a shot that was run alone.
[[nodiscard]] std::string words_of(const ShotIdentity& shot);

/// Text header and binary header. Error 65 for a sampling that they cannot hold.
[[nodiscard]] Bytes file_header(const ShotGather& first, SegyFloats floats, const SegyContents& contents);

/// Makes a header for several shots of one for a single shot.
void describe_shots(Bytes& header, const SegyContents& contents);

/// Facts in a file's header.
struct FileFacts {
  int interval = 0;  ///< us
  std::size_t samples = 0;
  SegyFloats floats = SegyFloats::ieee;
  [[nodiscard]] std::size_t trace_bytes() const { return trace_header_bytes + sample_bytes * samples; }
  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};
[[nodiscard]] FileFacts facts_of(const Bytes& header);

/// Numbers a trace in its file, from 1.
void set_trace_number(Bytes& trace, std::int64_t number);

/// Makes the trace headers of one shot.
class TraceHeaders {
 public:
  /// The time of the first sample, ms, by which `scalar` is divided where it is negative, and not where it is
  /// 0.
  struct Delay {
    int value = 0, scalar = 0;
  };

  /// Error 65 for positions that do not fit.
  TraceHeaders(const ShotGather& gather, int shot);

  /// Header of a receiver, whose trace has that number in the file, from 1.
  [[nodiscard]] Bytes make(std::size_t receiver, std::int64_t number) const;

 private:
  struct Date {
    int year = 0, day = 0, hour = 0, minute = 0, second = 0;  ///< 0 where the gather does not say
  };
  static Date date_of(const ShotGather& gather);
  [[nodiscard]] double floor_in_file(double depth) const;

  const ShotGather& gather_;
  int shot_;
  FileCoordinates place_;
  int coordinate_scalar_ = 1, elevation_scalar_ = 1;
  Point3 source_;  ///< in the file's coordinates
  int interval_;   ///< us
  Delay delay_;
  Date date_;
  MidpointBins bins_;
  double source_water_ = 0;  ///< m, in the file's coordinates
};

}  // namespace minimod::segy
