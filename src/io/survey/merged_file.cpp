#include "src/io/survey/merged_file.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather_check.hpp"
#include "src/io/gather/gather_texts.hpp"
#include "src/io/gather/gather_writer.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;
using gather_file::Dataset;

constexpr std::string_view merged_format = "minimod survey 1";

/// Index of the shots' own values: where they are in the file.
struct Index {
  std::vector<std::int64_t> shot, id, first_trace, trace_count, first_source, source_count, trace, source;
  std::vector<double> time, wavelet_time;
};

std::vector<std::int64_t> numbers_to(std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<double> times(std::size_t count, double first, double dt) {
  std::vector<double> list(count);
  for (std::size_t n = 0; n < count; ++n) list[n] = gather_file::sample_time(first, n, dt);
  return list;
}

Index index_of(const SurveyFiles& survey) {
  Index index;
  std::int64_t traces = 0, sources = 0;
  for (const ShotFile& file : survey.shots) {
    index.id.push_back(file.shot);
    index.first_trace.push_back(traces);
    index.trace_count.push_back(static_cast<std::int64_t>(file.receivers));
    index.first_source.push_back(sources);
    index.source_count.push_back(static_cast<std::int64_t>(file.sources));
    traces += index.trace_count.back();
    sources += index.source_count.back();
  }
  index.shot = numbers_to(survey.shots.size());
  index.trace = numbers_to(survey.receivers());
  index.source = numbers_to(survey.sources());
  const ShotGather& g = survey.first;
  index.time = times(g.samples, g.first_time, g.record_dt);
  index.wavelet_time = times(g.wavelets.front().size(), g.first_time, g.wavelet_dt);
  return index;
}

std::vector<Dataset> index_datasets(const Index& index, const ShotGather& first) {
  const auto whole = [](const char* name, const char* axis, const std::vector<std::int64_t>& values,
                        const char* description) {
    return Dataset{name, {values.size()}, {axis}, H5T_NATIVE_INT64, values.data(), "1", description};
  };
  const auto seconds = [](const char* name, const std::vector<double>& values, const char* description,
                          double dt) {
    return Dataset{name, {values.size()}, {name}, H5T_NATIVE_DOUBLE, values.data(), "s", description, dt};
  };
  return {whole("shot", "shot", index.shot, "number in this file from 0"),
          whole("trace", "trace", index.trace, "number from 0"),
          whole("source_number", "source_number", index.source, "number from 0"),
          whole("shot_id", "shot", index.id, "number of the shot in the survey"),
          whole("first_trace", "shot", index.first_trace, "of the shot"),
          whole("trace_count", "shot", index.trace_count, "of the shot"),
          whole("first_source", "shot", index.first_source, "of the shot"),
          whole("source_count", "shot", index.source_count, "of the shot"),
          seconds("time", index.time, "time of a trace's samples", first.record_dt),
          seconds("wavelet_time", index.wavelet_time, "time of the wavelets' samples", 0)};
}

/// Datasets whose rows are those of the shots, one shot after the other.
std::vector<Dataset> row_datasets(const SurveyFiles& survey) {
  const ShotGather& first = survey.first;
  const hsize_t traces = survey.receivers(), sources = survey.sources();
  const auto points = [](const char* name, hsize_t count, const char* axis, const char* description) {
    return Dataset{name, {count, 3}, {axis, "axis"}, H5T_NATIVE_DOUBLE, nullptr, "m", description};
  };
  std::vector<Dataset> rows = {
      {"traces",
       {traces, first.samples},
       {"trace", "time"},
       hdf5::type_of(first.traces.precision()),
       nullptr,
       first.wavelet_unit + " / m",
       "u [trace, time], shot after shot"},
      points("receivers", traces, "trace", "x, y, z of the nodes recorded, z down"),
      points("requested_receivers", traces, "trace", "x, y, z as requested"),
      points("source", sources, "source_number", "x, y, z of the nodes of the sources, z down"),
      points("requested_source", sources, "source_number", "x, y, z as requested"),
      {"wavelet",
       {sources, first.wavelets.front().size()},
       {"source_number", "wavelet_time"},
       H5T_NATIVE_DOUBLE,
       nullptr,
       first.wavelet_unit,
       "s(t) from the first step on",
       first.wavelet_dt,
       first.first_time}};
  const auto of_traces = [&](const char* name, const char* units, const char* description) {
    rows.push_back({name, {traces}, {"trace"}, H5T_NATIVE_DOUBLE, nullptr, units, description});
  };
  if (survey.have_water)
    of_traces("water_depth", "m", "sea floor below z = 0 at the receivers, 0 without one");
  if (survey.have_stations) of_traces("station", "1", "whole number that the field gave the receiver");
  return rows;
}

/// A shot with its wavelets in one piece.
struct ShotRows {
  ShotGather gather;
  std::vector<double> wavelets, stations;

  /// For the datasets of row_datasets, in their order.
  [[nodiscard]] std::vector<const void*> values(const SurveyFiles& survey) const {
    std::vector<const void*> list = {
        gather.traces.data(),  gather.receivers.data(),         gather.requested_receivers.data(),
        gather.sources.data(), gather.requested_sources.data(), wavelets.data()};
    if (survey.have_water) list.push_back(gather.water_depths.data());
    if (survey.have_stations) list.push_back(stations.data());
    return list;
  }
};

/// The shot as it was when the survey was looked through.
ShotRows read_shot(const SurveyFiles& survey, const ShotFile& file) {
  ShotRows rows{read_gather(file.path), {}, {}};
  const ShotGather& gather = rows.gather;
  if (gather.samples != survey.first.samples || gather.receivers.size() != file.receivers ||
      gather.sources.size() != file.sources || gather.traces.precision() != survey.first.traces.precision() ||
      gather.wavelets.front().size() != survey.first.wavelets.front().size() ||
      (survey.have_water && gather.water_depths.empty()) ||
      (survey.have_stations && gather.stations.empty())) {
    throw Error(ErrorKind::data, shown(file.path) + " has changed while it was merged",
                "merge when the survey has ended");
  }
  for (const auto& wavelet : gather.wavelets) {
    rows.wavelets.insert(rows.wavelets.end(), wavelet.begin(), wavelet.end());
  }
  rows.stations.assign(gather.stations.begin(), gather.stations.end());
  return rows;
}

/// The rows from `first` on of `dataset` in the file, `extent` of them.
hdf5::Handle rows_in_file(const hdf5::Handle& dataset, hsize_t first, const std::vector<hsize_t>& extent) {
  hdf5::Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> begin(extent.size());
  begin.front() = first;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr);
  return space;
}

/// How many rows of such a dataset a shot has.
hsize_t row_count(const Dataset& data, const ShotFile& file) {
  return data.axes.front() == "trace" ? file.receivers : file.sources;
}

hsize_t columns_of(const Dataset& data) {
  return data.dims.size() == 1 ? 1 : data.dims[1];
}

/// Whole rows, a quarter of the chunks' cache: the last one of a shot is still there for the next shot.
std::vector<hsize_t> chunk_of_rows(const Dataset& data) {
  const hsize_t values = (hsize_t{1} << 18) / H5Tget_size(data.type);
  const hsize_t columns = std::min(columns_of(data), values);
  std::vector<hsize_t> chunk = {std::min(data.dims[0], values / columns)};
  if (data.dims.size() > 1) chunk.push_back(columns);
  return chunk;
}

/// Bytes of the file at most: chunks are whole in it.
std::uint64_t bytes_of_file(const std::vector<Dataset>& whole, const std::vector<Dataset>& rows) {
  constexpr std::uint64_t head = 1 << 18, of_chunk = 32;  // a checksum, and where it is
  std::uint64_t bytes = head;
  for (const Dataset& data : whole) bytes += hdf5::product(data.dims, H5Tget_size(data.type));
  for (const Dataset& data : rows) {
    const std::vector<hsize_t> chunk = chunk_of_rows(data);
    std::uint64_t chunks = 1;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunks *= 1 + (data.dims[axis] - 1) / chunk[axis];
    bytes += chunks * (hdf5::product(chunk, H5Tget_size(data.type)) + of_chunk);
  }
  return bytes;
}

void write_rows(gather_file::Writer& writer, const SurveyFiles& survey, const std::vector<Dataset>& rows) {
  std::vector<hdf5::Handle> datasets;
  datasets.reserve(rows.size());
  for (const Dataset& data : rows) datasets.push_back(writer.create_dataset(data, chunk_of_rows(data)));
  std::vector<hsize_t> written(rows.size());
  for (const ShotFile& file : survey.shots) {
    const ShotRows shot_rows = read_shot(survey, file);
    const auto values = shot_rows.values(survey);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<hsize_t> extent = rows[i].dims;
      extent.front() = row_count(rows[i], file);
      const hdf5::Handle in_memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                                   H5Sclose);
      const hdf5::Handle in_file = rows_in_file(datasets[i], written[i], extent);
      writer.check(H5Dwrite(datasets[i], rows[i].type, in_memory, in_file, H5P_DEFAULT, values[i]),
                   "H5Dwrite");
      written[i] += extent[0];
    }
  }
}

/// Whether rows of a dataset of floats are those in memory, bit by bit; a chunk of them at a time.
template <class Value>
bool rows_stand(const hdf5::Handle& dataset, hsize_t first, hsize_t count, hsize_t columns,
                const void* values, const fs::path& path) {
  const hsize_t thickness = hdf5::slab_thickness(dataset);
  std::vector<Value> slab;
  for (hsize_t row = 0; row < count; row += thickness) {
    const hsize_t here = std::min(thickness, count - row);
    slab.resize(here * columns);
    hdf5::read_slab(dataset, first + row, here, slab, path);
    const auto* const expected = static_cast<const Value*>(values) + row * columns;
    if (std::memcmp(slab.data(), expected, slab.size() * sizeof(Value)) != 0) return false;
  }
  return true;
}

void verify_rows(const fs::path& temporary, const fs::path& target, const SurveyFiles& survey,
                 const std::vector<Dataset>& rows) {
  const hdf5::Handle file = hdf5::open_for_reading(temporary);
  std::vector<hdf5::Handle> datasets;
  datasets.reserve(rows.size());
  for (const Dataset& data : rows) datasets.push_back(hdf5::open_float_dataset(file, data.name, temporary));
  std::vector<hsize_t> compared(rows.size());
  for (const ShotFile& shot : survey.shots) {
    const ShotRows shot_rows = read_shot(survey, shot);
    const auto values = shot_rows.values(survey);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const hsize_t count = row_count(rows[i], shot), columns = columns_of(rows[i]);
      const auto stand = rows[i].type == H5T_NATIVE_FLOAT ? rows_stand<float> : rows_stand<double>;
      if (!stand(datasets[i], compared[i], count, columns, values[i], temporary)) {
        throw write_error(target, text("/", rows[i].name, " of shot ", shot.shot, " reads back differently"));
      }
      compared[i] += count;
    }
  }
}

}  // namespace

const FileKind merged_kind{"a merged survey of minimod",
                           [](const fs::path& file) { return gather_file::has_format(file, merged_format); }};

void write_merged(const SurveyFiles& survey, const fs::path& file, bool overwrite) {
  check_target(file, merged_kind, overwrite);
  const Index index = index_of(survey);
  const std::vector<Dataset> whole = index_datasets(index, survey.first), rows = row_datasets(survey);
  check_room(file, bytes_of_file(whole, rows), "make room, or choose another output");
  TemporaryFile temporary(file);
  {
    gather_file::Writer writer(temporary.path(), file);
    writer.write_attribute("format", std::string(merged_format));
    for (const auto& [name, value] : survey.shared) writer.write_attribute(name, value);
    writer.write_axis_names();
    for (const Dataset& data : whole) writer.write_dataset(data);
    write_rows(writer, survey, rows);
    for (const auto* datasets : {&whole, &rows}) {
      for (const Dataset& data : *datasets) writer.attach_scales(data);
    }
    writer.close();
  }
  gather_file::verify(whole, temporary.path(), file);
  verify_rows(temporary.path(), file, survey, rows);
  check_target(file, merged_kind, overwrite);  // a file may have come into being meanwhile
  temporary.publish();
}

}  // namespace minimod
