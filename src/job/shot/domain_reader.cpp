#include "src/job/shot/domain_reader.hpp"

#include <algorithm>

namespace minimod {

namespace {

/// Those of the points whose planes lie in the slab, as it counts z.
Lattice in_slab(const Lattice& points, const Slab& slab) {
  const auto index_from = [&](int z) {  // of the first point at or below plane z
    const int stride = points.stride.z;
    return std::clamp((z - points.first.z + stride - 1) / stride, 0, points.n.z);
  };
  const int begin = slab.begin <= points.first.z ? 0 : index_from(slab.begin);
  const int end = slab.end <= points.first.z ? 0 : index_from(slab.end);
  Lattice part = points;
  part.first.z += begin * points.stride.z - slab.begin;
  part.n.z = std::max(0, end - begin);
  return part;
}

/// Of the fields.
Grid grid_of(const RunPlan& plan, const Schedule& schedule) {
  return schedule.laid_out(plan.problem.part().with_ghosts(schedule.ghosts())).grid;
}

/// The slabs' points follow each other: z is the slowest index.
class DomainReader final : public FieldReader {
 public:
  DomainReader(const RunPlan& plan, const Schedule& schedule, Backend& backend, Ranks& ranks)
      : ranks_(ranks) {
    for (const Slab& slab : plan.problem.cut.slabs)
      counts_.push_back(in_slab(plan.snapshots.nodes, slab).n.points());
    const Grid grid = grid_of(plan, schedule);
    Lattice mine = in_slab(plan.snapshots.nodes, plan.problem.slab());
    mine.first.z += grid.ghosts_above;
    if (mine.n.points() > 0) reader_ = backend.field_kernels().make_reader(grid, mine);
    value_bytes_ = bytes_of(grid.precision);
    if (ranks.is_first()) values_.resize(plan.snapshots.nodes.n.points() * value_bytes_);
  }

  void start(RealsAt field) override {
    std::span<const std::byte> mine;
    if (reader_) {
      reader_->start(field);
      mine = reader_->wait();
    }
    if (!ranks_.is_first()) {
      for_pieces(mine.size(),
                 [&](std::size_t at, std::size_t count) { ranks_.send(0, mine.subspan(at, count)); });
      return;
    }
    std::ranges::copy(mine, values_.begin());
    std::size_t first = mine.size();
    for (int rank = 1; rank < ranks_.size(); first += counts_[rank] * value_bytes_, ++rank) {
      for_pieces(counts_[rank] * value_bytes_, [&](std::size_t at, std::size_t count) {
        ranks_.receive(rank, std::span(values_).subspan(first + at, count));
      });
    }
  }
  [[nodiscard]] std::span<const std::byte> wait() override { return values_; }

 private:
  /// No message has more bytes than an int counts.
  template <class Visit>
  static void for_pieces(std::size_t count, const Visit& visit) {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t at = 0; at < count; at += most) visit(at, std::min(most, count - at));
  }

  Ranks& ranks_;
  std::vector<std::size_t> counts_;      ///< of each rank's points
  std::unique_ptr<FieldReader> reader_;  ///< null where it has none
  std::vector<std::byte> values_;        ///< of all, on the first
  std::size_t value_bytes_ = 0;
};

}  // namespace

std::unique_ptr<FieldReader> make_reader_of_domain(const RunPlan& plan, const Schedule& schedule,
                                                   Backend& backend, Ranks& ranks) {
  if (plan.problem.cut.slabs.empty())
    return backend.field_kernels().make_reader(grid_of(plan, schedule), plan.snapshots.nodes);
  return std::make_unique<DomainReader>(plan, schedule, backend, ranks);
}

}  // namespace minimod
