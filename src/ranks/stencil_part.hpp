/// A specification on a grid that is cut among ranks, and what each of them computes of it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/device/stopwatch.hpp"
#include "src/ranks/domain_part.hpp"
#include "src/ranks/halos/halo_exchange.hpp"
#include "src/stencil/kernels.hpp"

namespace minimod {

/// Slabs of as many planes each, or as the options say; not cut where there is one rank alone. Error 64 where
/// a slab has fewer planes than a neighbour reads of it, or the options do not fit the grid.
[[nodiscard]] DomainCut cut_for(const stencil::Specification& specification, int planes,
                                const RankOptions& options, Ranks& ranks);

/// The fewest planes of a slab between two others.
[[nodiscard]] int least_planes_of_slab(const stencil::Specification& specification);

/// Why a kernel cannot compute slabs of a grid that is cut; empty where it can.
[[nodiscard]] std::string why_not_cut(const stencil::KernelName& kernel, const DomainCut& cut);

/// compile_kernels on all ranks, the first one ahead of the others, which find its code in the cache.
/// For this rank's slab of a grid of `n` points. Errors on all: 64 where why_not_cut says why.
[[nodiscard]] std::vector<stencil::Kernel> compile_together(const stencil::Specification& specification,
                                                            std::span<const stencil::KernelName> names,
                                                            Extent3 n, const DomainCut& cut, Backend* gpu);

/// The arrays of this rank's slab, or of a grid that is not cut. All ranks make the same calls in the same
/// order, and destroy theirs together, where no error ends the run.
class StencilPart {
 public:
  /// With start values, on a grid of `n` points. `gpu`: null where threads are emulated; the host's memory
  /// then. `specification` must outlive it. Errors, on all ranks: 71 too little memory, 69 a transport that
  /// cannot be had.
  StencilPart(const stencil::Specification& specification, Extent3 n, const DomainCut& cut, Backend* gpu);

  /// A step of the kernel, which was compiled for extent(): the planes at the cuts first, then the others
  /// beside the exchange.
  void step(const stencil::Kernel& kernel) { step(kernel, nullptr); }
  /// The same; the seconds that the device waits for halos.
  [[nodiscard]] double seconds_waited_in_step(const stencil::Kernel& kernel);

  [[nodiscard]] const stencil::ArraySet& arrays() const { return *arrays_; }
  /// Extent of the slab.
  [[nodiscard]] Extent3 extent() const { return arrays_->extent(); }
  [[nodiscard]] const DomainCut& cut() const { return cut_; }
  [[nodiscard]] const Slab& slab() const { return slab_; }
  /// Bytes and time of the exchanges so far.
  [[nodiscard]] ExchangeCount exchanged() const { return exchange_ ? exchange_->count() : ExchangeCount(); }
  /// Nothing where nothing is exchanged.
  [[nodiscard]] std::optional<Transport> transport() const {
    return exchange_ ? std::optional(exchange_->transport()) : std::nullopt;
  }

 private:
  [[nodiscard]] std::vector<Face> faces() const;
  /// Takes the lap of the wait for halos.
  void step(const stencil::Kernel& kernel, Stopwatch* waited);
  void compute(const stencil::Kernel& kernel, int begin, int end);

  DomainCut cut_;
  Slab slab_;
  std::unique_ptr<Backend> host_;  ///< where threads are emulated
  Backend* backend_ = nullptr;     ///< device of the exchange
  std::unique_ptr<stencil::ArraySet> arrays_;
  std::vector<stencil::PlanesRead> planes_read_;
  int from_cut_above_ = 0, from_cut_below_ = 0;  ///< planes of this slab that a neighbour reads
  std::unique_ptr<HaloExchange> exchange_;       ///< null where there are no neighbours, or they read nothing
};

}  // namespace minimod
