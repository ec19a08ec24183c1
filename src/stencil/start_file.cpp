#include "src/stencil/start_file.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/hdf5/hdf5_name.hpp"

namespace minimod::stencil {
namespace {

/// Index, among `size` values that span an axis of n points, of the one nearest to point p.
std::int64_t nearest_value(int p, int n, int size) {
  return (2 * std::int64_t{std::clamp(p, 0, n - 1)} + 1) * size / (2 * std::int64_t{n});
}

}  // namespace

StartFile::StartFile(std::string name, const std::filesystem::path& folder, const std::string& array)
    : name_(std::move(name)) {
  auto [file, dataset] = hdf5::parse_dataset_name(name_, array);
  file_ = folder / file;
  dataset_ = std::move(dataset);
}

Extent3 StartFile::extent() const {
  const std::scoped_lock lock(mutex_);
  if (extent_.x > 0) return extent_;
  const hdf5::LibraryLock held;
  const hdf5::Handle file = hdf5::open_for_reading(file_);
  const auto dims = hdf5::shape_of(hdf5::open_float_dataset(file, dataset_, file_)).dims;
  if (dims.size() != 3 || *std::ranges::max_element(dims) > longest) {
    throw Error(ErrorKind::data,
                text(shown(file_), ": ", escaped(dataset_, 40), " has ", dims.size(), " axes",
                     dims.size() == 3 ? text(", one over ", longest, " points") : ""),
                "give a field [z, y, x]");
  }
  extent_ = {static_cast<int>(dims[2]), static_cast<int>(dims[1]), static_cast<int>(dims[0])};
  return extent_;
}

void StartFile::load() const {
  static_cast<void>(extent());
  const std::scoped_lock lock(mutex_);
  if (!values_.empty()) return;
  const hdf5::LibraryLock held;
  const hdf5::Handle file = hdf5::open_for_reading(file_);
  values_ = hdf5::read_reals(hdf5::open_float_dataset(file, dataset_, file_), file_);
}

double StartFile::at(Index3 point, Extent3 n) const {
  const std::int64_t x = nearest_value(point.x, n.x, extent_.x), y = nearest_value(point.y, n.y, extent_.y),
                     z = nearest_value(point.z, n.z, extent_.z);
  return values_[static_cast<std::size_t>((z * extent_.y + y) * extent_.x + x)];
}

std::optional<Extent3> grid_of_files(const Specification& specification) {
  std::optional<Extent3> grid;
  for (const Array& array : specification.arrays) {
    if (array.start.file == nullptr) continue;
    const Extent3 its = array.start.file->extent();
    if (grid && *grid != its) {
      throw Error(ErrorKind::data,
                  text("the file that '", array.name, "' starts from has ", its.x, " x ", its.y, " x ", its.z,
                       " points, that of another array ", grid->x, " x ", grid->y, " x ", grid->z),
                  "give files of one grid");
    }
    grid = its;
  }
  return grid;
}

}  // namespace minimod::stencil
