/// A model that the caller has as an array, on the host or on a GPU.
#pragma once

#include <memory>

#include "models/sampled_medium.hpp"
#include "src/python/core/nanobind.hpp"

namespace minimod {

/// [z, y, x], as DLPack tells it.
using Velocities = nb::ndarray<nb::ro, nb::ndim<3>>;

/// Whether arrays of that GPU of the process may be given.
[[nodiscard]] bool reads_gpu(int index);

/// Floats of the host in C order are read where they are. Of a GPU, or with other strides, or as doubles,
/// they are distant nodes, which what runs on the same device reads in place. The caller keeps them. On the
/// thread that computes. Errors: 64 values of another type, 69 a device that cannot be had.
[[nodiscard]] std::shared_ptr<const ModelArray> array_model(const Velocities& v, Point3 spacing);

/// A note on nodes that are copied to the host though their memory is a GPU's, or another one's than the
/// device computes in; empty where none are.
[[nodiscard]] std::string note_of_copies(const SampledMedium& medium, const std::string& memory);

}  // namespace minimod
