/// Results of a shot as objects of Python.
#pragma once

#include "src/io/gather/gather.hpp"
#include "src/python/core/nanobind.hpp"

namespace minimod {

/// The gather by names: arrays that own what it had, its positions [receiver, 3] in m, and its metadata.
[[nodiscard]] nb::dict gather_of(ShotGather gather);

}  // namespace minimod
