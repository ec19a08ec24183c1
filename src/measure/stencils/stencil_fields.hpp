/// The fields that the steps of a stencil leave, on disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/files/output_claims.hpp"
#include "src/device/backend.hpp"
#include "src/stencil/kernels.hpp"

namespace minimod {

/// A plane of the grid: the points of one number along one axis.
struct GridSlice {
  int axis = 0;  ///< i, j, k
  int number = 0;
  friend bool operator==(const GridSlice&, const GridSlice&) = default;
};

struct StencilFieldOptions {
  std::filesystem::path file;     ///< empty: none is written
  std::vector<GridSlice> slices;  ///< slices to be written; empty: whole fields
  bool force = false;             ///< replace such a file that is there
};

/// "k=11,i=3". Error 64.
[[nodiscard]] std::vector<GridSlice> parse_slices(std::string_view given, std::string_view option);

/// Before anything is computed. Errors: those of OutputClaims::add, 64 a slice outside the grid, a file with
/// another suffix than HDF5's, 73, 74 no room, 77.
void claim_fields(OutputClaims& claims, const StencilFieldOptions& options,
                  const stencil::Specification& specification, Extent3 n);

/// Steps of the kernel from the start, and its results in an HDF5 file: a dataset [k, j, i] with the name of
/// each array, or NAME_k11 [j, i] for each slice, in the array's precision, checksummed, with the points'
/// numbers `i`, `j` and `k` as dimension scales. It appears under its name when it is whole and has
/// been read back. `gpu`: null where threads are emulated. Errors: 71, 73, 74, 77.
void write_fields(const StencilFieldOptions& options, const stencil::Specification& specification,
                  const stencil::KernelName& name, const stencil::Kernel& kernel, Extent3 n, int steps,
                  Backend* gpu);

}  // namespace minimod
