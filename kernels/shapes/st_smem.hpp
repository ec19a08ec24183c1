/// Family `st_smem`: 2.5-D streaming along z, all of it in shared memory. A 2-D block marches down the box;
/// of each array that is read beside the point the planes from the farthest above the centre to the farthest
/// below, each with its halo, are staged in shared memory. The loop is unrolled as often as there are planes:
/// which plane takes the next one is known at compile time, and nothing moves. A point of the wave equation
/// costs one load of u, its share of the halo, 6R+1 shared reads and one barrier; (2R+1)(Dx+2R)(Dy+2R) values
/// of shared memory. Sai et al., "Accelerating High-Order Stencils on GPUs" (PMBS 2020), section IV.5.
///
/// Family `coarsened`: the same on slices of Dz planes, a block for each: more blocks, which pays where a box
/// has few tiles, for 2R planes more to load at the head of each slice. Thread coarsening with slicing, as
/// the tutorials on 7-point stencils show it with three planes; with R = 4 it takes nine.
#pragma once

#include "kernels/shapes/xy_plane.hpp"

namespace minimod {

/// The body of all; Dz = 0: a block marches down the whole box.
template <class Equation, int W, int H, int Dz, int PX = 1, int PY = 1>
struct SharedPlanes : ShapeDefaults {
  static_assert(updates_all<Equation>);
  using LaneType = Lane<W, H, farthest_in_plane<Equation>, PX, PY>;
  static constexpr int period = deepest_along_z<Equation>;

  static constexpr bool takes_any_equation = true;
  static constexpr Extent3 tile{W, H, Dz};
  static constexpr Extent3 threads{W / PX, H / PY, 1};
  /// 40 registers a thread for one wavefield, 48 in the PML: the compiler would take more and lose threads.
  static constexpr int blocks_per_multiprocessor = [] {
    if constexpr (requires { Equation::damps; } && Equation::Beside::count == 1) {
      return (Equation::damps ? 1280 : 1536) / (W * H);
    } else {
      return 0;
    }
  }();

  template <int Array>
  struct Part {
    static constexpr Reach reach = Equation::reach(Array);
    static constexpr int depth = depth_z(reach);
    using Plane = XyPlane<ValueOf<Equation, Array>, HaloOf<Equation, Array>, W, H, PX, PY>;
    Plane plane[depth];  ///< plane m from the block's plane number `step`, of that phase, is at(…)
    [[nodiscard]] MINIMOD_HD Plane& at(int step, int phase, int m) {
      if constexpr (period % depth == 0) {
        return plane[(phase + m + depth) % depth];
      } else {
        return plane[static_cast<unsigned>(step + m + depth) % depth];
      }
    }
  };
  struct Shared : PartsOf<Part, typename Equation::Beside> {
    template <int Array>
    [[nodiscard]] MINIMOD_HD auto& at(int step, int phase, int m) {
      return static_cast<Part<Array>&>(*this).at(step, phase, m);
    }
  };
  static constexpr bool is_staged = !std::is_empty_v<Shared>;
  /// Whether of the plane to be overwritten, the farthest above the centre, a thread reads its own points
  /// alone: then it may come while others compute.
  template <int... Array>
  static MINIMOD_HD constexpr bool keeps_apart(ArrayList<Array...>) {
    return ((Equation::is_star(Array) &&
             (Equation::reach(Array).lower.z > 0 || !is_beside_in_plane(Equation::reach(Array)))) &&
            ...);
  }

  static constexpr const char* header = "st_smem.hpp";
  static constexpr Extent3 threads_of(const ShapeParameters& of, KernelKind kernel) {
    return of.points_per_thread.x > 0 ? thread_a_register_tile(of, kernel) : thread_a_column(of, kernel);
  }
  static constexpr std::int64_t shared_values(const ShapeParameters& of, Reach reach) {
    return depth_z(reach) * plane_values(of, reach);
  }

  static constexpr bool marches_slices = Dz > 0;
  /// All from shared memory, z too.
  static MINIMOD_HD constexpr double star_loads(const ShapeParameters&, int radius) {
    return 6.0 * radius + 1;
  }
  static MINIMOD_HD constexpr double loaded_values(const ShapeParameters& of, int radius) {
    return plane_with_star(of.tile, radius);
  }

  template <class Block>
  struct Point : OwnPoint<Equation, Block> {
    Shared& shared;
    int step, phase, i, j;
    template <int Array>
    [[nodiscard]] MINIMOD_HD typename Equation::Real load(int x = 0, int y = 0, int z = 0) const {
      if constexpr (is_beside(Equation::reach(Array))) {
        return shared.template at<Array>(step, phase, z).at(i + x, j + y);
      } else {
        return OwnPoint<Equation, Block>::template load<Array>();
      }
    }
  };

  template <class Block>
  MINIMOD_HD void operator()(const Block& block, const typename Equation::Args& args, Shared& shared) const {
    const Memory<Equation, Block> memory{args, block};
    const Box3& box = args.box;
    const auto lane = LaneType::of(block, box, Dz);
    const int begin = lane.p.z, end = Dz > 0 && begin + Dz < box.end.z ? begin + Dz : box.end.z;
    const Layout& at = args.layout;
    Pointers<Equation> from(memory, lane.p);
    const auto copy = [&](auto* to, const auto* value) { *to = memory.value_in(value, 0); };

    for_each(typename Equation::Beside{}, [&]<int Array>() {
      constexpr Reach reach = Equation::reach(Array);
      const auto* const first = static_cast<const PointerOf<Equation, Array>&>(from).at;
      for (int m = -reach.lower.z; m < reach.upper.z; ++m) {
        shared.template at<Array>(0, 0, m).fill(lane, first + m * at.stride_z, at.stride_y, copy);
      }
    });
    march<period>(begin, end, [&](int z, int phase) {
      const int step = z - begin;
      for_each(typename Equation::Beside{}, [&]<int Array>() {
        constexpr int m = Equation::reach(Array).upper.z;
        const auto* const first = static_cast<const PointerOf<Equation, Array>&>(from).at;
        shared.template at<Array>(step, phase, m).fill(lane, first + m * at.stride_z, at.stride_y, copy);
      });
      if constexpr (is_staged) block.sync();
      for_points_of_lane<W / PX, H / PY, PX, PY>([&](int, int, int x, int y) {
        if (!lane.computes(x, y)) return;
        const Index3 p{lane.p.x + x, lane.p.y + y, z};
        compute_point<Equation>(block,
                                Point<Block>{{memory, p}, shared, step, phase, lane.t.x + x, lane.t.y + y});
      });
      if constexpr (is_staged && !keeps_apart(typename Equation::Beside{})) block.sync();
      from.move_on(at.stride_z);
    });
  }
};

template <class Equation, int Dx, int Dy>
struct StSmem : SharedPlanes<Equation, Dx, Dy, 0> {
  static constexpr const char* family = "st_smem";
  static constexpr const char* summary = "2.5-D streaming, 2R+1 planes in shared memory";
  static constexpr Extent3 default_tile{16, 16, 0};  // fastest of the family on a V100 (Table II)
};

template <class Equation, int Dx, int Dy, int Dz>
struct Coarsened : SharedPlanes<Equation, Dx, Dy, Dz> {
  static constexpr const char* family = "coarsened";
  static constexpr const char* summary = "2.5-D streaming of z slices, 2R+1 planes in shared memory";
  static constexpr Extent3 default_tile{32, 8, 32};
};

}  // namespace minimod
