#include "src/shot/gather.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "src/base/hdf5.hpp"
#include "src/shot/gather_file.hpp"
#include "src/shot/gather_texts.hpp"
#include "src/shot/gather_writer.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;
using gather_file::Dataset;

static_assert(sizeof(Point3) == 3 * sizeof(double), "positions are stored as [n, 3]");

bool whole_numbers_read_back(const hdf5::Handle& file, const Dataset& data) {
  const auto* const written = static_cast<const std::int64_t*>(data.values);
  std::vector<std::int64_t> found(data.dims.at(0));
  const hdf5::Handle dataset(H5Dopen2(file, data.name.c_str(), H5P_DEFAULT), H5Dclose);
  return H5Dread(dataset, data.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()) >= 0 &&
         std::equal(found.begin(), found.end(), written);
}

/// Whether the dataset in the file is `data`, bit by bit.
bool reads_back(const hdf5::Handle& file, const Dataset& data, const fs::path& path) {
  if (data.type == H5T_NATIVE_INT64) return whole_numbers_read_back(file, data);
  const hdf5::Handle dataset = hdf5::open_float_dataset(file, data.name, path);
  if (hdf5::shape_of(dataset).dims != data.dims) return false;
  const auto compare = [&]<class Value>(std::vector<Value> slab) {
    const hsize_t row = data.dims.size() == 2 ? data.dims[1] : 1;
    const hsize_t thickness = hdf5::slab_thickness(dataset);
    for (hsize_t first = 0; first < data.dims[0]; first += thickness) {
      const hsize_t count = std::min(thickness, data.dims[0] - first);
      slab.resize(count * row);
      hdf5::read_slab(dataset, first, count, slab, path);
      const auto* const written = static_cast<const Value*>(data.values) + first * row;
      if (std::memcmp(slab.data(), written, slab.size() * sizeof(Value)) != 0) return false;
    }
    return true;
  };
  return data.type == H5T_NATIVE_FLOAT ? compare(std::vector<float>()) : compare(std::vector<double>());
}

herr_t compare_text(hid_t texts, const char* name, const H5A_info_t*, void* file) {
  const bool of_root = std::string_view(name).find(':') == std::string_view::npos;
  const hdf5::Handle copies(H5Oopen(texts, ".", H5P_DEFAULT), H5Oclose);
  return of_root && hdf5::read_text_attribute(copies, name) !=
                        hdf5::read_text_attribute(*static_cast<const hdf5::Handle*>(file), name);
}

/// Whether the root's texts are their copies.
bool texts_read_back(const hdf5::Handle& file, const fs::path& path) {
  hdf5::Handle root(H5Oopen(file, "/", H5P_DEFAULT), H5Oclose);
  const hdf5::Handle texts = gather_file::open_texts(file, path);
  return H5Aiterate2(texts, H5_INDEX_NAME, H5_ITER_INC, nullptr, compare_text, &root) == 0;
}

/// A full disk can make HDF5 lose values without an error: only reading them tells.
void verify(const std::vector<Dataset>& datasets, const fs::path& temporary, const fs::path& target) {
  try {
    const hdf5::Handle file = hdf5::open_for_reading(temporary);
    for (const Dataset& data : datasets) {
      if (!reads_back(file, data, temporary))
        throw write_error(target, "/" + data.name + " reads back differently");
    }
    if (!texts_read_back(file, temporary)) {
      throw write_error(target, "the texts read back differently");
    }
  } catch (const Error& error) {
    if (error.code() == ExitCode::io) throw;
    throw write_error(target, "the file cannot be read back");
  }
}

[[noreturn]] void report_contradiction(const ShotGather& gather, const char* what) {
  throw Error(ExitCode::internal,
              text("a shot gather of ", gather.receivers.size(), " receivers with ", gather.samples,
                   " samples holds ", gather.traces.size(), " values", what),
              "report this");
}

/// A gather that contradicts itself is a bug of the caller.
void require_consistent(const ShotGather& gather) {
  const std::size_t n = gather.receivers.size();
  std::set<std::string> names = {"format"};
  for (const auto& entry : gather.metadata) {
    if (!names.insert(entry.first).second) report_contradiction(gather, " and has a metadata name twice");
  }
  if (n == 0 || gather.traces.size() != n * gather.samples || gather.requested_receivers.size() != n ||
      gather.sources.empty() || gather.requested_sources.size() != gather.sources.size()) {
    report_contradiction(gather, "");
  }
}

/// All of it under a temporary name, read back, then under its own.
void write_file(std::string_view format, const std::vector<Dataset>& datasets, const ShotGather& gather,
                const fs::path& file, bool overwrite) {
  hdf5::initialize();
  check_target(file, gather_file::kind, overwrite);
  TemporaryFile temporary(file);
  {
    gather_file::Writer writer(temporary.path(), file);
    writer.write_attribute("format", std::string(format));
    for (const auto& [name, value] : gather.metadata) writer.write_attribute(name, value);
    writer.write_axis_names();
    for (const Dataset& data : datasets) writer.write_dataset(data);
    for (const Dataset& data : datasets) writer.attach_scales(data);
    writer.flush();
  }
  verify(datasets, temporary.path(), file);
  check_target(file, gather_file::kind, overwrite);  // it may have come into being during the run
  temporary.publish();
}

}  // namespace

void write(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  const auto is_other = [&](const std::vector<double>& wavelet) {
    return wavelet.empty() || wavelet.size() != gather.wavelets.front().size();
  };
  if (gather.samples == 0 || gather.wavelets.size() != gather.sources.size() ||
      std::ranges::any_of(gather.wavelets, is_other)) {
    report_contradiction(gather, " and may lack a wavelet");
  }
  const gather_file::FileAxes axes(gather);
  auto datasets = gather_file::survey_datasets(gather, axes);
  gather_file::add_signals(datasets, gather, axes);
  gather_file::add_sections(datasets, gather.sections);
  write_file(gather_file::format_name, datasets, gather, file, overwrite);
}

void write_sections(const ShotGather& gather, const fs::path& file, bool overwrite) {
  require_consistent(gather);
  const gather_file::FileAxes axes(gather);
  auto datasets = gather_file::survey_datasets(gather, axes);
  gather_file::add_sections(datasets, gather.sections);
  write_file(gather_file::sections_format_name, datasets, gather, file, overwrite);
}

}  // namespace minimod
