#include "src/io/snapshots/snapshot_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "src/base/error.hpp"
#include "src/base/saturated.hpp"
#include "src/io/gather/gather_texts.hpp"
#include "src/io/snapshots/xdmf.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;
using gather_file::Dataset;

constexpr std::string_view snapshots_format = "minimod snapshots 1";

/// Large enough for a disk, small enough for a look at a part of a snapshot.
constexpr std::int64_t snapshot_chunk_bytes = std::int64_t{4} << 20;

const FileKind snapshots_kind{"a file of snapshots", [](const fs::path& file) {
                                return gather_file::has_format(file, snapshots_format);
                              }};
const FileKind xdmf_kind{"an XDMF file of snapshots",
                         [](const fs::path& file) { return begins_with(file, xdmf_beginning); }};

constexpr const char* end_of_part_name = "snapshots_until";

/// Files and folders with the name of a part, whatever they are.
std::vector<fs::path> named_as_parts(const fs::path& snapshots) {
  const std::string begin = snapshots.stem().native() + ".part", end = ".h5";
  const auto is_part = [&](const std::string& name) {
    return name.size() > begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end) &&
           name.find_first_not_of("0123456789", begin.size()) == name.size() - end.size();
  };
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(snapshots.parent_path() / ".", error), last; !error && entry != last;
       entry.increment(error)) {
    if (is_part(entry->path().filename().native())) found.push_back(entry->path());
  }
  return found;
}

/// The number of the snapshot behind the last one of a part; nothing in a file that is no part.
std::optional<std::size_t> end_of_part(const hdf5::Handle& file) {
  const hdf5::Handle root(H5Oopen(file, "/", H5P_DEFAULT), H5Oclose);
  const auto until = hdf5::read_number_attribute(root, end_of_part_name);
  const bool is_number = until.size() == 1 && until[0] >= 1 && until[0] <= std::numeric_limits<int>::max();
  return is_number ? std::optional(static_cast<std::size_t>(until[0])) : std::nullopt;
}

/// Parts of an axis of `n` points that are as even as can be, where `room` points are allowed.
int even_part(int n, std::int64_t room) {
  const std::int64_t most = std::clamp<std::int64_t>(room, 1, n), parts = (n + most - 1) / most;
  return static_cast<int>((n + parts - 1) / parts);
}

/// Planes or rows of one snapshot.
Extent3 chunk_extent(const SnapshotPlan& plan) {
  const Extent3 n = plan.nodes.n;
  const std::int64_t values = snapshot_chunk_bytes / static_cast<std::int64_t>(bytes_of(plan.precision));
  const int x = even_part(n.x, values), y = even_part(n.y, values / x);
  return {x, y, even_part(n.z, values / (std::int64_t{x} * y))};
}

std::vector<double> positions_of(double first, double spacing, int count) {
  std::vector<double> values(count);
  for (int i = 0; i < count; ++i) values[i] = first + i * spacing;
  return values;
}

std::vector<double> times_of(const SnapshotPlan& plan) {
  std::vector<double> times;
  times.reserve(plan.steps.size());
  for (const int step : plan.steps) times.push_back(plan.times.at(step));
  return times;
}

}  // namespace

SnapshotPaths::SnapshotPaths(const fs::path& gather) : hdf5(gather), xdmf(gather) {
  hdf5.replace_extension(".snapshots.h5");
  xdmf.replace_extension(".snapshots.xdmf");
}

std::uint64_t snapshot_file_bytes(const SnapshotPlan& plan) {
  constexpr std::uint64_t header = 1 << 16, bytes_of_checksum = 4, bytes_of_entry = 16;
  const Extent3 n = plan.nodes.n, chunk = chunk_extent(plan);
  const auto parts = [](int points, int part) { return std::uint64_t((points + part - 1) / part); };
  return header +
         saturated_product({plan.steps.size(), parts(n.x, chunk.x), parts(n.y, chunk.y), parts(n.z, chunk.z),
                            chunk.points() * bytes_of(plan.precision) + bytes_of_checksum + bytes_of_entry});
}

void check_can_create(const SnapshotPaths& paths, bool overwrite) {
  hdf5::initialize();
  check_can_create(paths.hdf5, snapshots_kind, overwrite);
  check_can_create(paths.xdmf, xdmf_kind, overwrite);
  for (const fs::path& part : named_as_parts(paths.hdf5)) check_no_folder(part);
}

SnapshotFile::SnapshotFile(const SnapshotPlan& plan, ShotGather gather, const SnapshotPaths& paths,
                           bool overwrite)
    : plan_(plan),
      gather_(std::move(gather)),
      unit_(gather_.wavelet_unit + " / m"),
      paths_(paths),
      overwrite_(overwrite) {
  hdf5::initialize();
  const Extent3 n = plan_.nodes.n;
  slab_.resize(std::size_t(chunk_extent(plan_).z) * n.y * n.x * bytes_of(plan_.precision));
}

void SnapshotFile::open() {
  if (writer_ != nullptr) return;
  temporary_.emplace(paths_.hdf5);
  writer_ = std::make_unique<gather_file::Writer>(temporary_->path(), paths_.hdf5);
  writer_->write_attribute("format", std::string(snapshots_format));
  for (const auto& [name, value] : gather_.metadata) writer_->write_attribute(name, value);
  writer_->write_axis_names();
  write_axes();
}

void SnapshotFile::write_axes() {
  const Extent3 n = plan_.nodes.n, chunk = chunk_extent(plan_);
  const auto x = positions_of(plan_.origin.x, plan_.spacing.x, n.x),
             y = positions_of(plan_.origin.y, plan_.spacing.y, n.y),
             z = positions_of(plan_.origin.z, plan_.spacing.z, n.z), times = times_of(plan_);
  const std::vector<std::int64_t> steps(plan_.steps.begin(), plan_.steps.end());
  const auto scale = [](const char* name, const std::vector<double>& values, const char* unit,
                        const char* description) {
    return Dataset{name, {values.size()}, {name}, H5T_NATIVE_DOUBLE, values.data(), unit, description};
  };
  std::vector<Dataset> written = {
      scale("time", times, "s", "of the snapshots"),
      scale("z", z, "m", "of the nodes, down"),
      scale("y", y, "m", "of the nodes"),
      scale("x", x, "m", "of the nodes"),
      {"step", {steps.size()}, {"time"}, H5T_NATIVE_INT64, steps.data(), "1", "steps done at the snapshots"}};
  const gather_file::FileAxes axes(gather_);
  gather_file::add_sources(written, gather_, axes);
  const Dataset wavefield = {"wavefield",
                             {steps.size(), z.size(), y.size(), x.size()},
                             {"time", "z", "y", "x"},
                             hdf5::type_of(plan_.precision),
                             nullptr,
                             unit_,
                             "u [time, z, y, x]"};
  for (const Dataset& data : written) writer_->write_dataset(data);
  wavefield_.emplace(
      writer_->create_dataset(wavefield, {1, hsize_t(chunk.z), hsize_t(chunk.y), hsize_t(chunk.x)}));
  for (const Dataset& data : written) writer_->attach_scales(data);
  writer_->attach_scales(wavefield);
}

/// Planes of a snapshot, to a file or, where `from` is null, from it.
herr_t SnapshotFile::transfer(hid_t dataset, std::size_t snapshot, Planes planes, const std::byte* from,
                              std::byte* to) const {
  const Extent3 n = plan_.nodes.n;
  const std::array<hsize_t, 4> begin{snapshot, planes.first, 0, 0},
      count{1, planes.count, hsize_t(n.y), hsize_t(n.x)};
  const hdf5::Handle in_file(H5Dget_space(dataset), H5Sclose);
  const hdf5::Handle in_memory(H5Screate_simple(count.size(), count.data(), nullptr), H5Sclose);
  if (H5Sselect_hyperslab(in_file, H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr) < 0)
    return -1;
  const hid_t type = hdf5::type_of(plan_.precision);
  return from != nullptr ? H5Dwrite(dataset, type, in_memory, in_file, H5P_DEFAULT, from)
                         : H5Dread(dataset, type, in_memory, in_file, H5P_DEFAULT, to);
}

/// `visit(planes, values)` for each slab of chunks of a snapshot, as it is in the dataset; false where it
/// cannot be read.
template <class Visit>
bool SnapshotFile::for_each_slab(hid_t dataset, std::size_t snapshot, Visit visit) {
  const hsize_t all = plan_.nodes.n.z, thickness = slab_.size() / plane_bytes();
  for (hsize_t z = 0; z < all; z += thickness) {
    const Planes planes{z, std::min(thickness, all - z)};
    if (transfer(dataset, snapshot, planes, nullptr, slab_.data()) < 0) return false;
    visit(planes, slab_.data());
  }
  return true;
}

void SnapshotFile::write(std::span<const std::byte> values) {
  open();
  writer_->check(transfer(*wavefield_, written_, {0, hsize_t(plan_.nodes.n.z)}, values.data(), nullptr),
                 "H5Dwrite");
  bool is_equal = true;
  const bool is_read = for_each_slab(*wavefield_, written_, [&](Planes planes, const std::byte* found) {
    is_equal = is_equal && std::memcmp(found, values.data() + planes.first * plane_bytes(),
                                       planes.count * plane_bytes()) == 0;
  });
  if (!is_read || !is_equal) {
    throw write_error(paths_.hdf5, text("snapshot ", written_, " reads back differently"));
  }
  ++written_;
}

fs::path SnapshotFile::part_path(std::size_t first) const {
  fs::path path = paths_.hdf5;
  return path.replace_extension(text(".part", first, ".h5"));
}

void SnapshotFile::close() {
  wavefield_.reset();
  writer_->close();
  writer_.reset();
}

void SnapshotFile::keep() {
  if (written_ == first_) return;
  writer_->write_attribute(end_of_part_name, static_cast<std::int64_t>(written_));
  close();
  parts_.push_back({part_path(first_), first_, written_});
  check_target(parts_.back().file, snapshots_kind, true);
  temporary_->publish_as(parts_.back().file);
  temporary_.reset();
  first_ = written_;
}

hdf5::Handle SnapshotFile::open_wavefield(const hdf5::Handle& file, const Part& part) const {
  const Extent3 n = plan_.nodes.n;
  const std::vector<hsize_t> dims = {plan_.steps.size(), hsize_t(n.z), hsize_t(n.y), hsize_t(n.x)};
  return hdf5::open_rows(file, "/wavefield", dims, part.first, part.end, part.file);
}

std::size_t SnapshotFile::count_in_part(std::size_t first) {
  try {
    const fs::path path = part_path(first);
    const hdf5::Handle file = hdf5::open_for_reading(path);
    const auto until = end_of_part(file);
    const bool is_of_run =
        hdf5::read_doubles(hdf5::open_float_dataset(file, "time", path), path) == times_of(plan_);
    if (!is_of_run || !until || *until <= first || *until > plan_.steps.size()) return 0;
    const hdf5::Handle wavefield = open_wavefield(file, {path, first, *until});
    for (std::size_t i = first; i < *until; ++i) {
      if (!for_each_slab(wavefield, i, [](Planes, const std::byte*) {})) return 0;
    }
    return *until - first;
  } catch (const Error&) {
    return 0;
  }
}

bool SnapshotFile::go_on(std::size_t count) {
  std::vector<Part> parts;
  for (std::size_t first = 0; first < count;) {
    const std::size_t in_part = std::min(count_in_part(first), count - first);
    if (in_part == 0) {
      // Ours by the checkpoint's word, though nothing in it says so any more.
      const fs::path part = part_path(first);
      std::error_code error;
      if (fs::is_regular_file(fs::symlink_status(part, error)) && !snapshots_kind.is(part))
        fs::remove(part, error);
      return false;
    }
    parts.push_back({part_path(first), first, first + in_part});
    first += in_part;
  }
  parts_ = std::move(parts);
  first_ = written_ = count;
  return true;
}

/// Slab by slab, so that it takes no memory.
void SnapshotFile::add_parts() {
  for (const Part& part : parts_) {
    const hdf5::Handle file = hdf5::open_for_reading(part.file);
    const hdf5::Handle from = open_wavefield(file, part);
    for (std::size_t i = part.first; i < part.end; ++i) {
      const bool is_read = for_each_slab(from, i, [&](Planes planes, const std::byte* values) {
        writer_->check(transfer(*wavefield_, i, planes, values, nullptr), "H5Dwrite");
      });
      if (!is_read) throw write_error(paths_.hdf5, shown(part.file) + " cannot be read back");
    }
  }
}

/// Removes parts, those of runs that nobody went on with, too; a file of another kind that has such a name
/// stays.
void SnapshotFile::remove_parts() const {
  for (const fs::path& part : named_as_parts(paths_.hdf5)) {
    std::error_code error;
    if (snapshots_kind.is(part) && end_of_part(hdf5::open_for_reading(part))) fs::remove(part, error);
  }
}

void SnapshotFile::publish() {
  if (written_ != plan_.steps.size()) {
    throw Error(ErrorKind::internal, text(written_, " of ", plan_.steps.size(), " snapshots were taken"),
                "report this");
  }
  if (!parts_.empty()) keep();  // so that the file has all in their order, whenever checkpoints were made
  open();
  add_parts();
  close();
  try {
    static_cast<void>(hdf5::open_float_dataset(hdf5::open_for_reading(temporary_->path()), "wavefield",
                                               temporary_->path()));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::resource) throw;
    throw write_error(paths_.hdf5, "the file cannot be read back");
  }
  check_target(paths_.hdf5, snapshots_kind, overwrite_);  // a file may have come into being during the run
  check_target(paths_.xdmf, xdmf_kind, overwrite_);
  temporary_->publish();
  write_text(xdmf_text(plan_, unit_, paths_.hdf5.filename().native()), paths_.xdmf, xdmf_kind, true);
  remove_parts();
}

}  // namespace minimod
