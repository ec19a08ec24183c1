/// Nodes of a model in a memory that the host does not read, such as a GPU's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/nodes/model_nodes.hpp"

namespace minimod {

/// Tells a plan what it asks of such nodes, so that they need not come to the host. Threads that read at once
/// wait for each other.
class DistantNodes {
 public:
  explicit DistantNodes(const ModelNodes& all) : all_(all) {}
  DistantNodes(const DistantNodes&) = delete;
  DistantNodes& operator=(const DistantNodes&) = delete;
  virtual ~DistantNodes() = default;

  /// With a factor of 1.
  [[nodiscard]] const ModelNodes& all() const { return all_; }
  /// The memory, as devices name it: "cuda:1".
  [[nodiscard]] virtual std::string memory() const = 0;
  /// Copies the velocities of some of the nodes, x fastest.
  virtual void read(const ModelNodes& some, std::span<float> velocities) const = 0;
  /// Facts of their rows, y fastest; of velocities those of begin <= x < end.
  [[nodiscard]] virtual std::vector<RowFacts> facts_of_rows(const ModelNodes& some, int begin,
                                                            int end) const = 0;
  /// Bytes that came to the host of them so far.
  [[nodiscard]] virtual std::size_t bytes_copied() const = 0;

 private:
  ModelNodes all_;
};

}  // namespace minimod
