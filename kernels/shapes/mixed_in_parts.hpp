/// MixedUpdate by the functions of the other two formulas: for stencils whose kernels are there to be had,
/// not to be compared, two functions are compiled instead of three.
#pragma once

#include <algorithm>
#include <array>

#include "kernels/update.hpp"

namespace minimod {

/// The box without what it has of `inner`, in parts of which some may be empty: whole slabs across z, between
/// them whole rows, and between those the ends of rows.
[[nodiscard]] inline std::array<Box3, 6> parts_around(const Box3& box, const Box3& inner) {
  const auto within = [](int at, int begin, int end) { return std::clamp(at, begin, std::max(begin, end)); };
  const Index3 first{within(inner.begin.x, box.begin.x, box.end.x),
                     within(inner.begin.y, box.begin.y, box.end.y),
                     within(inner.begin.z, box.begin.z, box.end.z)};
  const Index3 last{within(inner.end.x, first.x, box.end.x), within(inner.end.y, first.y, box.end.y),
                    within(inner.end.z, first.z, box.end.z)};
  return {Box3{box.begin, {box.end.x, box.end.y, first.z}},
          Box3{{box.begin.x, box.begin.y, last.z}, box.end},
          Box3{{box.begin.x, box.begin.y, first.z}, {box.end.x, first.y, last.z}},
          Box3{{box.begin.x, last.y, first.z}, {box.end.x, box.end.y, last.z}},
          Box3{{box.begin.x, first.y, first.z}, {first.x, last.y, last.z}},
          Box3{{last.x, first.y, first.z}, {box.end.x, last.y, last.z}}};
}

/// `run_pml` on what lies around args.inner, `run_inner` on the rest, which each take a LaunchArgs.
template <class RunInner, class RunPml>
void run_mixed_in_parts(const LaunchArgs<>& args, const RunInner& run_inner, const RunPml& run_pml) {
  LaunchArgs<> part = args;
  for (const Box3& box : parts_around(args.box, args.inner)) {
    part.box = box;
    if (!box.empty()) run_pml(part);
  }
  if (!args.updates_inner) return;
  const Box3 &box = args.box, &inner = args.inner;
  part.box = {
      {std::max(box.begin.x, inner.begin.x), std::max(box.begin.y, inner.begin.y),
       std::max(box.begin.z, inner.begin.z)},
      {std::min(box.end.x, inner.end.x), std::min(box.end.y, inner.end.y), std::min(box.end.z, inner.end.z)}};
  if (!part.box.empty()) run_inner(part);
}

}  // namespace minimod
