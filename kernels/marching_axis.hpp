/// The axis of a box along which a shape that streams marches.
#pragma once

#include <utility>

#include "kernels/launch_args.hpp"

namespace minimod {

/// The slabs across z are thin along z: they march along y instead. To a kernel that is a matter of strides,
/// and y and z change places in all that it gets. The region decides, not how thin its box is: a part of it
/// must have the sums of the whole.
template <class Real, int Radius>
[[nodiscard]] WaveArgs<Real, Radius> marching_along_the_slab(WaveArgs<Real, Radius> args) {
  const bool is_beside_inner = args.box.begin.z < args.inner.end.z && args.box.end.z > args.inner.begin.z;
  if (is_beside_inner) return args;
  const auto exchange = [](Index3& point) { std::swap(point.y, point.z); };
  for (Box3* box : {&args.box, &args.inner}) {
    exchange(box->begin);
    exchange(box->end);
  }
  std::swap(args.layout.stride_y, args.layout.stride_z);
  std::swap(args.phi_layout.stride_y, args.phi_layout.stride_z);
  std::swap(args.eta_y, args.eta_z);
  std::swap(args.gradient_y, args.gradient_z);
  std::swap(args.weights.y, args.weights.z);
  return args;
}

}  // namespace minimod
