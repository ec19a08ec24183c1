/// nanobind, whose part for each Python is a package of its own.
#pragma once

#define NB_BACKEND_MODULE nanobind_backend  // NOLINT(bugprone-macro-parentheses): nanobind takes the word
#define NB_BACKEND_PYPI nanobind - backend  // NOLINT(bugprone-macro-parentheses)
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
