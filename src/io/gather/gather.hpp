/// A shot's gather: the traces of all receivers with all that is needed to understand them, and its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/grid.hpp"
#include "src/base/reals.hpp"

namespace minimod {

using AttributeValue =
    std::variant<std::string, double, std::int64_t, std::vector<double>, std::vector<std::int64_t>>;

/// Name of the metadata's number of the shot.
inline constexpr const char* shot_number_name = "shot_id";

/// Name of the metadata's depth of the water at the first source, m.
inline constexpr const char* source_water_name = "source_water_depth";

/// Velocities (m/s) on the three planes of the inner box that meet at the source's node, thinned to nodes
/// that a picture can show. Empty where they were not taken.
struct ModelSections {
  std::vector<double> x, y, z;    ///< coordinates of the nodes, m
  std::vector<float> xz, yz, xy;  ///< [z, x], [z, y], [y, x]
};

/// Names the file whose traces were fed; a gather that has it may have no wavelets.
inline constexpr const char* injected_file_attribute = "injected_file";

/// One shot. The field of eq. 1-2 with a unit source in a homogeneous medium is u = s(t - r/V) / (4 pi r): a
/// trace has the unit of s over metres.
struct ShotGather {
  Reals traces;                   ///< [receiver, time], receiver slowest
  std::size_t samples = 0;        ///< samples of each trace
  double record_dt = 0;           ///< s between samples
  double first_time = 0;          ///< s, of the first sample
  std::vector<Point3> receivers;  ///< nodes that were recorded, m
  std::vector<Point3> requested_receivers;
  std::vector<std::int64_t> stations;  ///< numbers that the field gave the receivers; empty: none
  std::vector<Point3> sources;         ///< nodes that were fed, m
  std::vector<Point3> requested_sources;
  std::vector<std::vector<double>> wavelets;  ///< s(first_time + n wavelet_dt) of each source, equally long;
                                              ///< none where another file has them
  double wavelet_dt = 0;
  std::string wavelet_unit = "source unit";
  ModelSections sections;
  std::vector<double> water_depths;  ///< at the receivers, as water_depth.hpp has them; empty: not known
  /// Everything else that belongs to the run (model, kernel, build), under unique names; a text longer than
  /// 4095 bytes is cut. "format" is the writer's own.
  std::vector<std::pair<std::string, AttributeValue>> metadata;

  /// The metadata's value of that name; an empty or zero one where there is none of that kind.
  template <class Value>
  [[nodiscard]] Value fact(std::string_view name) const {
    for (const auto& [entry, value] : metadata) {
      if (entry == name && std::holds_alternative<Value>(value)) return std::get<Value>(value);
    }
    return Value();
  }
};

/// Writes `gather` as HDF5: `/traces` [receiver, time] in their precision, and float64 `/receivers`
/// [receiver, axis],
/// `/requested_receivers`, `/water_depth` [receiver] where it is known, `/station` [receiver] where they have
/// numbers, `/source` [axis],
/// `/requested_source`, `/wavelet` [wavelet_time], each with its units; of several sources `/source` [source,
/// axis] and `/wavelet` [source, wavelet_time]; where there are sections, `/model_xz` [z, x], `/model_yz` [z,
/// y] and `/model_xy` [y, x] float32. Every axis is a dimension scale of its name (`/receiver`, `/time`,
/// ...), so that xarray opens the file; the metadata are attributes of the root, texts in UTF-8 with
/// checksummed copies under `/texts`. All else is checksummed itself. The file appears under its name only
/// when it is complete, has been read back and compared, and is on disk.
///
/// Errors: those of check_target; 74 when writing fails. After an Error 74 the HDF5 library crashes when
/// it shuts down (its buffers hold what cannot be written): leave the process with std::_Exit.
void write(const ShotGather& gather, const std::filesystem::path& file, bool overwrite);

/// The same of a gather without traces and wavelet: its sections, source, receivers and metadata.
void write_sections(const ShotGather& gather, const std::filesystem::path& file, bool overwrite);

/// Reads what `write` wrote, but for the sections; the metadata come in the order of their names. Errors: 65,
/// 66, 71, 77 as in hdf5.hpp.
[[nodiscard]] ShotGather read_gather(const std::filesystem::path& path);

/// The same without the traces, but with their precision.
[[nodiscard]] ShotGather read_gather_facts(const std::filesystem::path& path);

}  // namespace minimod
