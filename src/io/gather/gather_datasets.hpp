/// Contents of a gather's file: its datasets, their axes and what they mean.
#pragma once

#include <string>
#include <vector>

#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather.hpp"

namespace minimod::gather_file {

/// A dataset of the file: what it is called, how it is shaped and what it means.
struct Dataset {
  std::string name;
  std::vector<hsize_t> dims;
  std::vector<std::string> axes;  ///< one a dimension: names of datasets that say where its indices are
  hid_t type;                     ///< type of `values` in memory and in the file: float, double or int64
  const void* values;
  std::string units, description;
  double dt = 0;                 ///< s between values, an attribute where it is not 0
  double first = 0;              ///< s, time of the first value, an attribute first_time where it is not 0
  std::string coordinates = {};  ///< datasets that xarray takes for coordinates of this one
};

/// Time of the n-th sample, s; 0 where it is that but for rounding.
[[nodiscard]] double sample_time(double first, std::size_t n, double dt);

/// Values that the file holds beside the gather's own values; the datasets point into it.
struct FileAxes {
  explicit FileAxes(const ShotGather& gather);

  std::vector<double> time, wavelet_time, stations;
  std::vector<std::int64_t> receiver, source;
  std::vector<double> wavelets;                ///< [source, wavelet_time]
  std::vector<std::vector<double>> positions;  ///< x, y and z of the receivers
};

/// Where the sources are: of one a point, of several a list, whose dimension is `source_number`.
void add_sources(std::vector<Dataset>& list, const ShotGather& gather, const FileAxes& axes);
/// A shot's geometry: where its sources and receivers are.
[[nodiscard]] std::vector<Dataset> geometry_datasets(const ShotGather& gather, const FileAxes& axes);
/// Traces and wavelet with their times.
void add_signals(std::vector<Dataset>& list, const ShotGather& gather, const FileAxes& axes);
/// Nothing where there are no sections.
void add_sections(std::vector<Dataset>& list, const ModelSections& sections);

}  // namespace minimod::gather_file
