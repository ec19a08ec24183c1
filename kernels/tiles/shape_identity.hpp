/// Facts that a shape's type has, and shapes that are made when they are asked for.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>

#include "kernels/code_shape.hpp"
#include "kernels/tiles/tile_family.hpp"

namespace minimod {

template <class Shared>
constexpr std::size_t bytes_of_shared() {
  return std::is_empty_v<Shared> ? 0 : sizeof(Shared);
}

/// Identity of a shape, from what its type says of itself.
template <class Body>
CodeShape identity_of() {
  CodeShape shape;
  shape.name = shape_name(Body::family, {Body::tile, Body::points_per_thread, Body::vector_width});
  shape.family = Body::family;
  shape.summary = Body::summary;
  shape.tile = Body::tile;
  shape.is_default_tile = Body::tile == Body::default_tile;
  shape.threads = static_cast<int>(Body::threads.points());
  shape.extra_work = Body::extra_work;
  shape.sums = Body::sums;
  if (shape.sums.empty()) shape.sums = shape.name;
  shape.needs.eta_field = Body::needs_eta_field;
  shape.needs.v16 = Body::needs_v16;
  shape.needs.shared_bytes = bytes_of_shared<typename Body::Shared>();
  return shape;
}

/// The one shape of that name and stencil in this process, as make() makes it first.
template <class Make>
const CodeShape& made_once(const std::string& name, int radius, Precision precision, Equation equation,
                           const Make& make) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, int, Precision, Equation>, CodeShape> made;
  const std::scoped_lock lock(mutex);
  const std::tuple key(name, radius, precision, equation);
  const auto before = made.find(key);
  return before != made.end() ? before->second : made.emplace(key, make()).first->second;
}

}  // namespace minimod
