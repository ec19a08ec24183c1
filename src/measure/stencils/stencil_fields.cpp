#include "src/measure/stencils/stencil_fields.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <limits>
#include <numeric>

#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/files/file_suffix.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/io/gather/gather_check.hpp"
#include "src/io/gather/gather_texts.hpp"
#include "src/io/gather/gather_writer.hpp"
#include "src/ranks/stencil_part.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;
using gather_file::Dataset;
using stencil::Specification;

constexpr std::string_view axis_letters = "ijk", fields_format = "minimod stencil fields 1";

const FileKind fields_kind{"a file of a stencil's fields",
                           [](const fs::path& file) { return gather_file::has_format(file, fields_format); }};

int extent_along(Extent3 n, int axis) {
  return std::array{n.x, n.y, n.z}[axis];
}

/// Boxes of the grid that are written: slices, or all of it.
std::vector<Box3> written_boxes(const std::vector<GridSlice>& slices, Extent3 n) {
  if (slices.empty()) return {stencil::whole_grid(n)};
  std::vector<Box3> boxes;
  for (const auto& [axis, number] : slices) {
    Box3 box = stencil::whole_grid(n);
    std::array{&box.begin.x, &box.begin.y, &box.begin.z}[axis][0] = number;
    std::array{&box.end.x, &box.end.y, &box.end.z}[axis][0] = number + 1;
    boxes.push_back(box);
  }
  return boxes;
}

/// The values of an array in a box, x fastest.
std::vector<std::byte> values_in(const stencil::ArraySet& arrays, int array, const Box3& box) {
  const std::vector<std::byte> all = arrays.bytes_of(array);
  const std::size_t size = bytes_of(arrays.specification().arrays[array].precision),
                    row = size * box.extent().x;
  std::vector<std::byte> values(size * box.points());
  std::byte* to = values.data();
  for (int z = box.begin.z; z < box.end.z; ++z) {
    for (int y = box.begin.y; y < box.end.y; ++y, to += row) {
      std::memcpy(to, all.data() + size * arrays.layout().index(box.begin.x, y, z), row);
    }
  }
  return values;
}

/// Datasets and what they point to.
struct FieldDatasets {
  std::array<std::vector<std::int64_t>, 3> numbers;  ///< i, j and k
  std::deque<std::vector<std::byte>> values;
  std::vector<Dataset> list;

  FieldDatasets(const stencil::ArraySet& arrays, const std::vector<GridSlice>& slices, Extent3 n) {
    for (int axis = 2; axis >= 0; --axis) {
      const std::string letter(1, axis_letters[axis]);
      numbers[axis].resize(extent_along(n, axis));
      std::iota(numbers[axis].begin(), numbers[axis].end(), 0);
      list.push_back({letter,
                      {numbers[axis].size()},
                      {letter},
                      H5T_NATIVE_INT64,
                      numbers[axis].data(),
                      "1",
                      "points from 0, a spacing of 1"});
    }
    const std::vector<Box3> boxes = written_boxes(slices, n);
    for (const int array : stencil::results_of(arrays.specification())) {
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        values.push_back(values_in(arrays, array, boxes[i]));
        add(arrays.specification().arrays[array], slices.empty() ? nullptr : &slices[i], n);
      }
    }
  }

  /// With the last values.
  void add(const stencil::Array& array, const GridSlice* slice, Extent3 n) {
    Dataset data{array.name, {}, {}, hdf5::type_of(array.precision), values.back().data(), "1", array.name};
    for (int axis = 2; axis >= 0; --axis) {
      if (slice != nullptr && axis == slice->axis) continue;
      data.dims.push_back(extent_along(n, axis));
      data.axes.emplace_back(1, axis_letters[axis]);
    }
    if (slice != nullptr) {
      data.name += text('_', axis_letters[slice->axis], slice->number);
      data.description += text(" at ", axis_letters[slice->axis], " = ", slice->number);
    }
    list.push_back(data);
  }
};

}  // namespace

std::vector<GridSlice> parse_slices(std::string_view given, std::string_view option) {
  std::vector<GridSlice> slices;
  for (const std::string_view word : split(given, ',')) {
    const std::size_t axis = word.empty() ? axis_letters.npos : axis_letters.find(word.front());
    if (axis == axis_letters.npos || word.size() < 3 || word[1] != '=') {
      throw Error(ErrorKind::parameter, text(option, " is given '", escaped(given, 40), "'"),
                  "give points' numbers as k=11,i=0");
    }
    const auto number = parse_integer(word.substr(2), option, 0, std::numeric_limits<int>::max());
    const GridSlice slice{static_cast<int>(axis), static_cast<int>(number)};
    if (std::ranges::find(slices, slice) == slices.end()) slices.push_back(slice);
  }
  return slices;
}

void claim_fields(OutputClaims& claims, const StencilFieldOptions& options,
                  const Specification& specification, Extent3 n) {
  hdf5::initialize();
  for (const auto& [axis, number] : options.slices) {
    if (number < extent_along(n, axis)) continue;
    throw Error(ErrorKind::parameter,
                text("a slice at ", axis_letters[axis], " = ", number, " is outside the grid"),
                text("give at most ", extent_along(n, axis) - 1));
  }
  if (!is_hdf5_name(options.file)) {
    throw Error(ErrorKind::parameter, shown(options.file) + " has not the suffix of HDF5",
                "give FILE.h5 or FILE.hdf5");
  }
  claims.add(options.file, fields_kind, options.force);
  double bytes = 1 << 16;
  for (const int array : stencil::results_of(specification)) {
    for (const Box3& box : written_boxes(options.slices, n)) {
      bytes +=
          static_cast<double>(box.points()) * double{1} * bytes_of(specification.arrays[array].precision);
    }
  }
  check_room(options.file, static_cast<std::uintmax_t>(bytes),
             text("write ", option("slices"), " of it, or to another place"));
}

void write_fields(const StencilFieldOptions& options, const Specification& specification,
                  const stencil::KernelName& name, const stencil::Kernel& kernel, Extent3 n, int steps,
                  Backend* gpu) {
  StencilPart part(specification, n, {}, gpu);
  for (int step = 0; step < steps; ++step) part.step(kernel);
  const FieldDatasets datasets(part.arrays(), options.slices, n);
  TemporaryFile temporary(options.file);
  {
    gather_file::Writer writer(temporary.path(), options.file);
    writer.write_attribute("format", std::string(fields_format));
    writer.write_attribute("stencil", escaped(specification.name));
    writer.write_attribute("specification", specification.source);
    writer.write_attribute("kernel", name.text());
    writer.write_attribute("steps", std::int64_t{steps});
    writer.write_attribute("spacing", std::vector<double>{1, 1, 1});
    writer.write_attribute("commit", build_info().git_hash);
    for (const Dataset& data : datasets.list) writer.write_dataset(data);
    for (const Dataset& data : datasets.list) writer.attach_scales(data);
    writer.close();
  }
  gather_file::verify(datasets.list, temporary.path(), options.file);
  check_target(options.file, fields_kind, options.force);  // a file may have come into being meanwhile
  temporary.publish();
}

}  // namespace minimod
