/// The PML of the Minimod form: its formula is that of launches (kernels/update.hpp), η and φ are theirs.
#include "boundary/layer.hpp"
#include "boundary/plane_wave.hpp"

namespace minimod {

namespace {

constexpr MeasuredReflection pml_reflections[] = {
#include "boundary/pml_reflection.inc"
};

class PmlLayer final : public AbsorbingLayer {
 public:
  [[nodiscard]] std::span<const MeasuredReflection> measured() const override { return pml_reflections; }
  [[nodiscard]] Complex over_time(const PlaneWaveRows& rows, int m) const override {
    const double eta = rows.layer.eta[m + 1];
    return (1 + 2 * eta) * rows.z - (2 - eta * eta + 2 * eta) + std::conj(rows.z);
  }
  /// φ.
  void add_to(PlaneWaveRows& rows, int node) const override {
    if (node < rows.inner) return;
    const LayerLine& layer = rows.layer;
    const double* eta = &layer.eta[node - rows.inner + 1];
    const Complex memory = (1 + eta[0] + layer.alpha) * rows.z - 1.0;
    const Complex factor =
        -rows.scale * (eta[1] - eta[-1]) / (4 * layer.spacing * layer.spacing) * inverse(memory);
    rows.add(node, node + 1, factor);
    rows.add(node, node - 1, -factor);
  }
};

}  // namespace

const AbsorbingLayer& pml_layer() {
  static const PmlLayer layer;
  return layer;
}

}  // namespace minimod
