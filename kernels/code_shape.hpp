/// A code shape as plain data: what the registry lists and the propagator launches.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "kernels/update.hpp"

namespace minimod {

/// Which formula a launch applies.
enum class Formula {
  inner,
  pml,
  mixed,  ///< both, behind a conditional at every point
  outer,  ///< the same kernel, which passes the points of the inner box over
};

/// Runs one update over args.box. `stream` is the cudaStream_t of a device launch, null on the host.
using Launch = void (*)(const StencilArgs<float>& args, void* stream);

/// What a launch takes of a GPU (Table III of the paper).
struct LaunchFacts {
  Extent3 blocks;                ///< of the launch
  int threads = 0;               ///< of a block
  int registers = 0;             ///< of a thread
  std::size_t shared_bytes = 0;  ///< of a block
  std::size_t local_bytes = 0;   ///< of a thread: its stack, where registers spill
  int active_blocks = 0;         ///< that a multiprocessor holds at once
  double occupancy = 0;          ///< share of the multiprocessor's warps that these are
};
using DescribeLaunch = LaunchFacts (*)(const Box3& box);

/// Bytes of StencilArgs::workspace that a launch needs.
using WorkspaceBytes = std::size_t (*)(const StencilArgs<float>& args);

/// The launch functions of a shape for its formulas; null where it does not run.
struct Launches {
  Launch inner = nullptr;
  Launch pml = nullptr;
  Launch mixed = nullptr;
  DescribeLaunch describe_inner = nullptr;  ///< on a GPU only
  DescribeLaunch describe_pml = nullptr;
  DescribeLaunch describe_mixed = nullptr;
  WorkspaceBytes workspace_bytes = nullptr;  ///< of the inner launch; null for none
  [[nodiscard]] Launch of(Formula formula) const {
    return formula == Formula::inner ? inner : formula == Formula::pml ? pml : mixed;
  }
  [[nodiscard]] DescribeLaunch describe(Formula formula) const {
    return formula == Formula::inner ? describe_inner
           : formula == Formula::pml ? describe_pml
                                     : describe_mixed;
  }
};

struct CodeShape {
  std::string name;
  std::string family;
  std::string summary;  ///< one line
  Extent3 tile;         ///< points a block works on; z = 0: the block streams along z; all 0: no tile
  bool is_default_tile = false;  ///< the bare family name stands for the first such
  int threads = 0;               ///< of a block
  std::size_t shared_bytes = 0;  ///< of a block
  Launches host;                 ///< on all cores, or, when `emulated`, the device's threads as fibers
  Launches device;               ///< null when the program was built without CUDA
  bool needs_eta_field = false;  ///< its PML kernel reads StencilArgs::eta
  bool emulated = false;
};

/// The shapes of a run: one for the inner box, one for the six PML regions.
struct KernelSet {
  const CodeShape* inner = nullptr;
  const CodeShape* pml = nullptr;
  [[nodiscard]] const CodeShape& of(Formula formula) const {
    return formula == Formula::inner ? *inner : *pml;
  }
};

}  // namespace minimod
