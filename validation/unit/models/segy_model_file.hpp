/// SEG-Y models as tests make them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/grid.hpp"
#include "validation/unit/models/loaded_model.hpp"

namespace minimod {

inline constexpr int format_ieee = 5;

inline void put_big_endian(std::string& bytes, std::size_t offset, int count, std::uint32_t value) {
  for (int i = 0; i < count; ++i) bytes.at(offset + i) = static_cast<char>(value >> (8 * (count - 1 - i)));
}

struct SegyTrace {
  int x = 0, y = 0, inline_number = 0, crossline_number = 0;
  std::vector<std::uint32_t> samples;
  int record_number = 0, ensemble_number = 0;
};

/// The bytes of a SEG-Y file with coordinates in tenths of a metre.
struct SegyFile {
  int format = format_ieee;
  int interval = 5000;
  int ensemble = 0;
  int revision = 0;
  int extra_headers = 0;
  int scalar = -10;
  int system = 0, coordinate_units = 0, delay = 0, delay_scalar = 0, kind = 0;
  std::vector<SegyTrace> traces;

  [[nodiscard]] std::string bytes() const {
    std::string content(3600 + 3200 * static_cast<std::size_t>(std::max(extra_headers, 0)), '\0');
    const std::size_t samples = traces.empty() ? 0 : traces[0].samples.size();
    put_big_endian(content, 3212, 2, static_cast<std::uint32_t>(ensemble));
    put_big_endian(content, 3216, 2, static_cast<std::uint32_t>(interval));
    put_big_endian(content, 3220, 2, static_cast<std::uint32_t>(samples));
    put_big_endian(content, 3224, 2, static_cast<std::uint32_t>(format));
    put_big_endian(content, 3254, 2, static_cast<std::uint32_t>(system));
    put_big_endian(content, 3500, 1, static_cast<std::uint32_t>(revision));
    put_big_endian(content, 3504, 2, static_cast<std::uint32_t>(extra_headers));
    for (const SegyTrace& trace : traces) content += trace_bytes(trace);
    return content;
  }

  [[nodiscard]] std::string trace_bytes(const SegyTrace& trace) const {
    std::string content(240 + 4 * trace.samples.size(), '\0');
    put_big_endian(content, 8, 4, static_cast<std::uint32_t>(trace.record_number));
    put_big_endian(content, 20, 4, static_cast<std::uint32_t>(trace.ensemble_number));
    put_big_endian(content, 28, 2, static_cast<std::uint32_t>(kind));
    put_big_endian(content, 70, 2, static_cast<std::uint32_t>(scalar));
    put_big_endian(content, 88, 2, static_cast<std::uint32_t>(coordinate_units));
    put_big_endian(content, 108, 2, static_cast<std::uint32_t>(delay));
    put_big_endian(content, 214, 2, static_cast<std::uint32_t>(delay_scalar));
    put_big_endian(content, 114, 2, static_cast<std::uint32_t>(trace.samples.size()));
    put_big_endian(content, 180, 4, static_cast<std::uint32_t>(trace.x));
    put_big_endian(content, 184, 4, static_cast<std::uint32_t>(trace.y));
    put_big_endian(content, 188, 4, static_cast<std::uint32_t>(trace.inline_number));
    put_big_endian(content, 192, 4, static_cast<std::uint32_t>(trace.crossline_number));
    for (std::size_t i = 0; i < trace.samples.size(); ++i) {
      put_big_endian(content, 240 + 4 * i, 4, trace.samples[i]);
    }
    return content;
  }
};

inline std::vector<std::uint32_t> column(int x, int y, int nz) {
  std::vector<std::uint32_t> samples(static_cast<std::size_t>(nz));
  for (int z = 0; z < nz; ++z)
    samples[static_cast<std::size_t>(z)] = std::bit_cast<std::uint32_t>(marked(x, y, z));
  return samples;
}

/// nx columns 12.5 m apart, nz nodes 5 m apart.
inline SegyFile section(int nx, int nz) {
  SegyFile file;
  file.ensemble = nx;
  for (int x = 0; x < nx; ++x) file.traces.push_back({125 * x, 0, 0, 0, column(x, 0, nz)});
  return file;
}

/// x along the crosslines, 12.5 m apart; y along the inlines, 20 m apart.
inline SegyFile volume(Extent3 n) {
  SegyFile file;
  file.ensemble = n.x * n.y;
  for (int y = 0; y < n.y; ++y) {
    for (int x = 0; x < n.x; ++x)
      file.traces.push_back({125 * x, 200 * y, 10 + y, 30 + 2 * x, column(x, y, n.z)});
  }
  return file;
}

}  // namespace minimod
