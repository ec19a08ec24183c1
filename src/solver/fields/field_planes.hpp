/// Planes of an array on a device, whatever it lies in, as the host has them: in rows.
#pragma once

#include "boundary/layer.hpp"
#include "src/base/reals.hpp"
#include "src/device/field_kernels.hpp"

namespace minimod {

/// Planes of a place in an array, counted by z, those outside its box included.
class FieldPlanes {
 public:
  FieldPlanes(Backend& backend, const PlacedField& field, const FieldPlace& place)
      : backend_(backend), field_(field), place_(place) {}

  /// Planes [z, z + count), of place.plane values each, one behind the other.
  void put(int z, int count, const void* rows) const;
  void take(int z, int count, void* rows) const;
  /// Gives planes [z, z + count) of a place that is the grid what plane z - 1 has; also so many points
  /// beside the grid along x and y.
  void repeat(int z, int count, int beside = 0) const;

  /// Values of all planes, one behind the other, from number `first` on.
  void put_values(std::size_t first, const Reals& values) const;
  void take_values(std::size_t first, Reals& values) const;

 private:
  [[nodiscard]] void* on_device(int z) const { return (field_.values + place_.of_plane_there(z)).data; }
  template <class Visit>
  void for_each_plane_of(std::size_t first, std::size_t count, const Visit& visit) const;

  Backend& backend_;
  PlacedField field_;
  const FieldPlace& place_;
};

}  // namespace minimod
