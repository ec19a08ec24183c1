/// Kernels of the whole domain, emulated on the host, on fields with NaN in what nobody has written.
#pragma once

#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "boundary/pml_profile.hpp"
#include "boundary/regions.hpp"
#include "kernels/cores/reference.hpp"
#include "kernels/free_surface.hpp"
#include "kernels/host/emulated_block.hpp"
#include "kernels/whole/tma_whole_chunks.hpp"
#include "kernels/whole/tma_whole_pass.hpp"
#include "kernels/whole/tma_whole_step.hpp"
#include "kernels/whole/whole_plan.hpp"

namespace minimod {

inline constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

/// The fields of a launch. Outside the grid u and φ are at rest, and nothing else may be read.
struct WholeFields {
  Grid grid;
  Regions regions;
  std::vector<float> u, u_before, v2dt2, phi, u_next, u_second, phi_next, eta_x, eta_y, eta_z, shares;
  Box3 source;
  bool has_surface;
  float sample = 0.5F, second_sample = -0.75F;
  unsigned status = 0;

  WholeFields(Extent3 n, PmlWidths widths, const Box3& source_box, bool surface = false,
              int radius = stencil_radius)
      : grid(make_grid(n, {20, 15, 12.5}, 0, radius)),
        regions(make_regions(n, widths)),
        source(source_box),
        has_surface(surface) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> value(-1, 1);
    for (auto* field : {&u_before, &v2dt2}) field->assign(grid.layout.size, nan_value);
    for (auto* field : {&u, &phi, &u_next, &u_second, &phi_next}) field->assign(grid.layout.size, 0);
    const Box3 all{{0, 0, 0}, {n.x, n.y, n.z}};
    for (std::int64_t i = 0; i < all.points(); ++i) {
      const Index3 p = unflatten(i, n);
      const std::int64_t at = grid.layout.index(p.x, p.y, p.z);
      u[at] = value(random);
      u_before[at] = value(random);
      v2dt2[at] = 3 + 2 * value(random);
      if (!regions.inner.contains(p)) phi[at] = 1e-3F * value(random);
      for (auto* field : {&u_next, &u_second, &phi_next}) (*field)[at] = nan_value;
      if (regions.inner.contains(p)) phi_next[at] = 0;
    }
    if (has_surface) close_surface(u.data());
    const auto profile = [](int points, int low, int high, double h) {
      const auto values = make_pml_profile({points, low, high, h}, 4500, 1e-3);
      return std::vector<float>(values.begin(), values.end());
    };
    eta_x = profile(n.x, widths.left, widths.right, 20);
    eta_y = profile(n.y, widths.front, widths.back, 15);
    eta_z = profile(n.z, widths.top, widths.bottom, 12.5);
    for (std::int64_t i = 0; i < source.points(); ++i) shares.push_back(value(random));
  }

  void close_surface(float* field) const {
    for (int y = 0; y < grid.n.y; ++y) {
      for (int x = 0; x < grid.n.x; ++x) OddImage<float>{grid.layout, field, grid.radius}({x, y, 0});
    }
  }

  template <int R = stencil_radius>
  [[nodiscard]] DomainArgsOf<R> args() {
    LaunchArgs a(grid);
    a.box = {{0, 0, 0}, {grid.n.x, grid.n.y, grid.n.z}};
    a.inner = regions.inner;
    a.phi_layout = grid.layout;
    a.u = u.data();
    a.u_before = u_before.data();
    a.u_next = u_next.data();
    a.u_second = u_second.data();
    a.v2dt2 = v2dt2.data();
    a.phi = phi.data();
    a.phi_next = phi_next.data();
    a.eta_x = eta_x.data() + 1;
    a.eta_y = eta_y.data() + 1;
    a.eta_z = eta_z.data() + 1;
    a.has_surface = has_surface;
    a.source = source;
    a.source_shares = shares.data();
    a.source_sample = &sample;
    a.source_second = &second_sample;
    a.status = &status;
    a.shift = 0.01;
    return DomainArgsOf<R>(a);
  }
};

/// A launch of one step, which puts u⁺ where u⁻ was and φ⁺ where φ was.
template <int R>
DomainArgsOf<R> in_place(DomainArgsOf<R> args) {
  args.u_next = const_cast<float*>(args.u_before);
  args.phi_next = nullptr;
  args.slab.has_surface = false;  // closed behind the launch
  return args;
}

/// The two steps by the reference.
template <int R = stencil_radius>
void compute_both(WholeFields& fields) {
  DomainArgsOf<R> args = fields.args<R>();
  std::copy_n(args.phi, args.layout.size, args.phi_next);
  args.phi = args.phi_next;
  run_reference<MixedUpdate<float, R>>(args);
  add_source(args);
  if (args.slab.has_surface) fields.close_surface(args.u_next);
  args.u_before = std::exchange(args.u, args.u_next);
  args.u_next = args.u_second;
  run_reference<MixedUpdate<float, R>>(args);
  args.shot.source_sample = args.shot.source_second;
  add_source(args);
  if (args.slab.has_surface) {  // no launch writes the halos of u⁺⁺
    fields.close_surface(args.u_second);
  }
}

/// Returns its rounds. `sides`: of a shape in chunks.
template <class Shape = TmaWhole, class Block = EmulatedBlock>
RoundWalk run_emulated(DomainArgsOf<Shape::R> args, int most_blocks, std::uint64_t seed,
                       const SideArgs& sides = {}) {
  using Pass = WholePass<Shape, Block>;
  using Memory = typename Pass::Memory;
  constexpr int threads = Shape::threads.x;
  const RoundWalk walk = plan_whole<Shape>(args, most_blocks);
  std::vector<unsigned> workspace(WholeWorkspace::of<Shape, Block>(walk).bytes() / sizeof(unsigned));
  args.blocks.workspace = workspace.data();
  WholeMaps<Shape, Block> maps;
  const auto given = whole_args<Shape, Block>(args, walk, sides, maps);
  std::vector<std::unique_ptr<Memory>> memory(walk.blocks());
  for (auto& block : memory) {
    block = std::make_unique<Memory>();
    std::fill_n(reinterpret_cast<float*>(&block->shared), sizeof block->shared / sizeof(float), nan_value);
  }
  EmulatedGrid(walk.blocks(), threads)
      .run(
          [&] {
            Memory& mine = *memory[EmulatedBlock::index()];
            if (EmulatedBlock::thread() == 0) mine.barriers.init();
            Pass::take_profile_z(given, mine.profiles);
            EmulatedBlock::sync_group<0, threads>();
            if (EmulatedBlock::thread() < Pass::computing) {
              Pass::compute(given, mine.shared, mine.barriers, mine.profiles);
            } else {
              Pass::serve(given, mine.shared, mine.barriers);
            }
          },
          seed);
  return walk;
}

struct EmulatedCase {
  Extent3 n;
  PmlWidths widths;
  Box3 source;
  int most_blocks, rounds, chunks;  ///< figures of the first round
  bool surface = false;
};

}  // namespace minimod
