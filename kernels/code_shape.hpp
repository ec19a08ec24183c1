/// A code shape as plain data: what the registry lists and the propagator launches.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "kernels/shape.hpp"
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
/// Of a launch over `box` of fields that lie as `at` says.
using DescribeLaunch = LaunchFacts (*)(const Box3& box, const Layout& at);

/// Bytes of StencilArgs::workspace that a launch needs.
using WorkspaceBytes = std::size_t (*)(const StencilArgs<float>& args);

/// How the launches of a step follow each other. All give the same field, to the bit.
enum class Schedule {
  sequence,   ///< one after the other
  beside,     ///< the PML regions beside each other and beside the inner box
  two_steps,  ///< the inner box in launches of two steps, the PML regions before and after
};

/// The launch functions of a shape for its formulas; null where it does not run.
struct Launches {
  Launch inner = nullptr;
  Launch pml = nullptr;
  Launch mixed = nullptr;
  DescribeLaunch describe_inner = nullptr;  ///< on a GPU only
  DescribeLaunch describe_pml = nullptr;
  DescribeLaunch describe_mixed = nullptr;
  Launch two_steps = nullptr;  ///< the inner update twice
  DescribeLaunch describe_two_steps = nullptr;
  WorkspaceBytes inner_workspace = nullptr;  ///< null for none
  WorkspaceBytes pml_workspace = nullptr;
  WorkspaceBytes two_steps_workspace = nullptr;
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
  ExtraWork extra_work;          ///< of a point
  Launches host;                 ///< on all cores, or, when `emulated`, the device's threads as fibers
  Launches device;               ///< null when the program was built without CUDA
  bool needs_eta_field = false;  ///< its PML kernel reads StencilArgs::eta
  bool needs_v16 = false;        ///< its inner kernel reads StencilArgs::v2dt2_codes instead of v2dt2
  bool emulated = false;
  std::string only_capability;  ///< compute capability that its device code is made for; empty: any
};

/// The shapes of a run, one for the inner box and one for the six PML regions, and when they run.
struct KernelSet {
  const CodeShape* inner = nullptr;
  const CodeShape* pml = nullptr;
  Schedule schedule = Schedule::sequence;
  [[nodiscard]] const CodeShape& of(Formula formula) const {
    return formula == Formula::inner ? *inner : *pml;
  }
};

}  // namespace minimod
