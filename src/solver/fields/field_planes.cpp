#include "src/solver/fields/field_planes.hpp"

#include <algorithm>
#include <vector>

#include <Kokkos_Core.hpp>

namespace minimod {

namespace {

/// Calls visit(in_rows, in_chunks, count) for the points of plane z that stand behind each other in both, by
/// indices in the plane.
template <class Visit>
void for_each_run(const FieldPlace& place, const ChunksOfField& chunks, int z, const Visit& visit) {
  const Box3& box = place.box;
  const std::int64_t first = place.of_plane_there(z);
  const Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace> rows(box.begin.y, box.end.y);
  Kokkos::parallel_for("minimod::plane_in_chunks", rows, [&](int y) {
    for (int x = box.begin.x; x < box.end.x; x += ChunkLayout::width) {
      visit(place.at.index(x, y, z) - place.of_plane(z), chunks.index(x, y, z) - first,
            std::min(ChunkLayout::width, box.end.x - x));
    }
  });
}

}  // namespace

/// Beyond the grid a plane in chunks is zero.
void FieldPlanes::put(int z, int count, const void* rows) const {
  const auto* const chunks = std::get_if<ChunksOfField>(&field_.layout);
  if (chunks == nullptr)
    return backend_.upload(on_device(z), rows, count * place_.plane * bytes_of(field_.precision()));
  std::vector<float> plane(chunks->at.plane_values());
  for (int i = 0; i < count; ++i) {
    const float* const from = static_cast<const float*>(rows) + i * place_.plane;
    for_each_run(place_, *chunks, z + i, [&](std::int64_t there, std::int64_t here, int points) {
      std::copy_n(from + there, points, plane.data() + here);
    });
    backend_.upload(on_device(z + i), plane.data(), plane.size() * sizeof(float));
    std::ranges::fill(plane, 0);
  }
}

void FieldPlanes::take(int z, int count, void* rows) const {
  const auto* const chunks = std::get_if<ChunksOfField>(&field_.layout);
  if (chunks == nullptr)
    return backend_.download(rows, on_device(z), count * place_.plane * bytes_of(field_.precision()));
  std::vector<float> plane(chunks->at.plane_values());
  for (int i = 0; i < count; ++i) {
    float* const to = static_cast<float*>(rows) + i * place_.plane;
    std::fill_n(to, place_.plane, 0.0F);
    backend_.download(plane.data(), on_device(z + i), plane.size() * sizeof(float));
    for_each_run(place_, *chunks, z + i, [&](std::int64_t there, std::int64_t here, int points) {
      std::copy_n(plane.data() + here, points, to + there);
    });
  }
}

void FieldPlanes::repeat(int z, int count, int beside) const {
  const auto& [begin, end] = place_.box;
  const Box3 planes{{begin.x - beside, begin.y - beside, z}, {end.x + beside, end.y + beside, z + count}};
  field_.visit([&]<class Real, class At>(Real* values, const At& at) {
    backend_.field_kernels().for_each_point(planes, PlaneRepeated<Real, At>{at, values, z - 1});
  });
}

void FieldPlanes::put_values(std::size_t first, const Reals& values) const {
  if (std::holds_alternative<Layout>(field_.layout)) {
    return backend_.upload((field_.values + static_cast<std::ptrdiff_t>(first)).data, values.data(),
                           values.bytes());
  }
  std::vector<float> rows(place_.plane);
  for_each_plane_of(first, values.size(),
                    [&](int z, std::size_t in_plane, std::size_t at, std::size_t count) {
                      if (count < rows.size()) take(z, 1, rows.data());
                      std::copy_n(values.of<float>().data() + at, count, rows.data() + in_plane);
                      put(z, 1, rows.data());
                    });
}

void FieldPlanes::take_values(std::size_t first, Reals& values) const {
  if (std::holds_alternative<Layout>(field_.layout)) {
    return backend_.download(values.at().data, (field_.values + static_cast<std::ptrdiff_t>(first)).data,
                             values.bytes());
  }
  std::vector<float> rows(place_.plane);
  for_each_plane_of(first, values.size(),
                    [&](int z, std::size_t in_plane, std::size_t at, std::size_t count) {
                      take(z, 1, rows.data());
                      std::copy_n(rows.data() + in_plane, count, values.of<float>().data() + at);
                    });
}

/// Calls visit(z, in_plane, at, count) for each plane that has some of so many values from `first` on: where
/// they stand in it, and which of them they are.
template <class Visit>
void FieldPlanes::for_each_plane_of(std::size_t first, std::size_t count, const Visit& visit) const {
  const auto size = static_cast<std::size_t>(place_.plane);
  for (std::size_t at = 0; at < count;) {
    const std::size_t in_plane = (first + at) % size, here = std::min(count - at, size - in_plane);
    visit(place_.box.begin.z - place_.outside + static_cast<int>((first + at) / size), in_plane, at, here);
    at += here;
  }
}

}  // namespace minimod
