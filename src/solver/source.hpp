/// The sources of a shot on the device.
#pragma once

#include <functional>
#include <vector>

#include "src/device/field_kernels.hpp"
#include "src/solver/fields/fields.hpp"

namespace minimod {

/// A source: its samples, and where it feeds them.
struct FedSource {
  NodeWeights place;
  std::vector<double> samples;  ///< s(tₙ), n = 0, 1, …
};

/// Many of them, whose samples are made when they are wanted: those of 10^5 would be gigabytes.
struct FedSources {
  std::vector<NodeWeights> places;
  std::size_t steps = 0;  ///< samples of the longest
  /// s(tₙ) of one of them, `steps` at most; called by several threads at once, for each source by one.
  std::function<std::vector<double>(std::size_t source)> samples;
};

/// The node alone.
[[nodiscard]] NodeWeights at_node(Index3 node);

/// Adds (V Δt)² s(tₙ) / (hx hy hz) of each source to u⁺ (equation 2), or what an equation has in its place
/// (EquationFacts::source), at a node or, in shares, at those around a point.
class Sources {
 public:
  /// None.
  Sources() = default;
  /// `rims`: planes of a slab that may get theirs before the others.
  Sources(Backend& backend, const Fields& fields, const FedSources& sources, const std::vector<Box3>& rims);

  /// The bytes of every allocation of sources that have so many nodes and samples together.
  [[nodiscard]] static std::vector<std::size_t> allocations(std::size_t nodes, std::size_t samples,
                                                            Precision precision, Equation equation);

  /// Bytes that the host holds for a while to make them.
  [[nodiscard]] static std::size_t host_bytes(std::size_t nodes, std::size_t samples, Precision precision);

  /// Into the wavefields of step number + 1; nothing when the samples are over.
  void inject(Backend& backend, const Fields& fields, int number) const;
  void inject_rims(Backend& backend, const Fields& fields, int number) const;
  void inject_behind_rims(Backend& backend, const Fields& fields, int number) const;
  [[nodiscard]] bool is_one() const { return count_ == 1; }
  /// Has a launch that serves a single source feed it, one of two steps also for the second.
  void feed(ShotArgs<void>& args, int number) const;

 private:
  /// Sample that step `number` adds, a source a value, on the device; null when the samples are over.
  [[nodiscard]] RealsAt sample(int number) const {
    return number < steps_ ? samples_.at() + static_cast<std::ptrdiff_t>(number * count_) : RealsAt{};
  }
  void inject(Backend& backend, const Fields& fields, int number, std::size_t begin, std::size_t end) const;

  DeviceReals samples_;                ///< [step][source]
  DeviceArray<std::int64_t> indices_;  ///< nodes, those in the rims first
  DeviceReals weights_;                ///< [wavefield][node]
  DeviceArray<std::int32_t> owners_;
  std::size_t count_ = 0;    ///< number of the sources
  std::size_t in_rims_ = 0;  ///< number of the nodes in rims
  int steps_ = 0;
  Box3 box_;            ///< the nodes in this slab that the first source feeds
  DeviceReals shares_;  ///< weights of its nodes, x fastest, and then those of the others
};

}  // namespace minimod
