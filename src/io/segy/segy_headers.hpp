/// The headers of a gather's SEG-Y file, revision 1 (SEG Technical Standards Committee, 2002).
///
/// | bytes | SU's name | value |
/// |---|---|---|
/// | 1-4, 5-8 | tracl, tracr | number of the trace in the file, from 1 |
/// | 9-12, 17-20 | fldr, ep | number of the shot |
/// | 13-16 | tracf | number of the trace in its shot, from 1, or the station's that the field gave it |
/// | 21-24 | cdp | number of the midpoint's bin, from 1 (midpoints.hpp); 0 where the gather has no bins |
/// | 29-30, 31-32, 33-34, 35-36 | trid, nvs, nhs, duse | 1 |
/// | 37-40 | offset | horizontal, in m, negative where gx < sx (or gx = sx and gy < sy) |
/// | 41-44 | gelev | elevation of the receiver, -z, with scalel |
/// | 49-52 | sdepth | depth of the source, z, with scalel; the elevation of the surface, 45-48, is 0 |
/// | 61-64, 65-68 | swdep, gwdep | depth of the sea floor (water_depth.hpp) at source, receiver; scalel |
/// | 69-70, 71-72 | scalel, scalco | -1000: mm; or -100, -10, 1 for positions that do not fit |
/// | 73-76 ... 85-88 | sx, sy, gx, gy | in the coordinates of the model's file, or in the model's |
/// | 89-90 | counit | 1: lengths |
/// | 109-110 | delrt | time of the first sample, ms |
/// | 115-116, 117-118 | ns, dt | samples; us between them |
/// | 157-168 | year ... timbas | start of the run; 4: UTC |
/// | 181-184, 185-188 | - | midpoint of source and receiver, as sx ... gy |
///
/// All others are 0. From byte 181 on Seismic Unix has fields of its own, which its segyclean sets to 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/file_coordinates.hpp"
#include "models/segy_input.hpp"
#include "src/io/gather/midpoints.hpp"
#include "src/io/segy/segy_file.hpp"
#include "src/io/shot_identity.hpp"

namespace minimod::segy {

using Bytes = std::vector<std::uint8_t>;

/// What the text header of every file of ours begins with, in ASCII.
inline constexpr std::string_view first_words = "C 1 minimod ";

/// In EBCDIC; characters that its code pages do not have in one place (and [ ] ^ | !) become question marks.
[[nodiscard]] std::string ebcdic(std::string_view ascii);

/// What the text header says of a shot that was run alone.
[[nodiscard]] std::string words_of(const ShotIdentity& shot);

/// Text header and binary header. Error 65 for a sampling that they cannot hold.
[[nodiscard]] Bytes file_header(const ShotGather& first, SegyFloats floats, const SegyContents& contents);

/// Of a file of one shot makes the header of one of several.
void describe_shots(Bytes& header, const SegyContents& contents);

/// What stands in a file's header.
struct FileFacts {
  int interval = 0;  ///< us
  std::size_t samples = 0;
  SegyFloats floats = SegyFloats::ieee;
  [[nodiscard]] std::size_t trace_bytes() const { return trace_header_bytes + 4 * samples; }
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

  /// Of a receiver, whose trace has the number `trace` in the file, from 1.
  [[nodiscard]] Bytes make(std::size_t receiver, std::int64_t trace) const;

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
