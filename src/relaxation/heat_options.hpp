/// Decisions of the user about the relaxation of a plate.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "src/base/choices.hpp"
#include "src/choice/kernel_options.hpp"
#include "src/relaxation/plate_solver.hpp"

namespace minimod::relaxation {

/// The grids that stand for the three of Itu et al., whose sizes the text does not tell. The fine one has the
/// nodes that their Table II tells: 1069 reads of 128 B, one for two half-warps of 16 nodes, on each of nine
/// clusters of multiprocessors, 308,000. The two others follow from their speed-ups, if launches of a
/// constant duration are what keeps small grids back.
struct NamedGrid {
  const char* name;
  Extent3 n;
};
inline constexpr NamedGrid named_grids[] = {
    {"coarse", {72, 54, 1}}, {"medium", {240, 180, 1}}, {"fine", {640, 480, 1}}};

struct HeatOptions {
  std::optional<Extent3> grid;
  std::optional<std::pair<double, double>> lengths;  ///< lengths of the plate along x and y, m
  Sides sides;
  std::optional<double> omega, tolerance;
  int iterations = 100;  ///< iterations of a timed run
  int repeats = 7;
  Precision precision = Precision::float32;
  KernelOptions kernels;
  bool tables = false;
  std::string json;
  bool force = false;
};

/// Verifies kernels, has them converge, holds the field against the series, measures their speed, prints it
/// and writes the record. Errors: 64 for options that do not work, 65 where a kernel is wrong or does not
/// converge, 69 device, 71 memory, 73 and 77 the record.
void run_heat(const HeatOptions& options);

}  // namespace minimod::relaxation
