#include "src/job/shot/snapshot_recorder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/process/threads.hpp"
#include "src/job/plan/run_scale.hpp"

namespace minimod {

namespace {

/// The points whose planes lie in the slab, as it counts z.
Lattice in_slab(const Lattice& points, const Slab& slab) {
  const auto index_from = [&](int z) {  // index of the first point at or below plane z
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

/// The slabs' points follow each other: z is the slowest index.
class DomainReader final : public FieldReader {
 public:
  DomainReader(const Problem& problem, const Lattice& nodes, const Schedule& schedule, Backend& backend,
               Ranks& ranks)
      : ranks_(ranks) {
    for (const Slab& slab : problem.cut.slabs) counts_.push_back(in_slab(nodes, slab).n.points());
    const Grid grid = problem.part().with_ghosts(schedule.ghosts()).grid;
    Lattice mine = in_slab(nodes, problem.slab());
    mine.first.z += grid.ghosts_above;
    if (mine.n.points() > 0) reader_ = backend.field_kernels().make_reader(grid.precision, mine);
    value_bytes_ = bytes_of(grid.precision);
    if (ranks.is_first()) values_.resize(nodes.n.points() * value_bytes_);
  }

  void start(const PlacedField& field) override {
    std::span<const std::byte> mine;
    if (reader_) {
      reader_->start(field);
      mine = reader_->wait();
    }
    if (!ranks_.is_first()) return ranks_.send(0, mine);
    std::ranges::copy(mine, values_.begin());
    std::size_t first = mine.size();
    for (int rank = 1; rank < ranks_.size(); ++rank) {
      const std::size_t bytes = counts_[rank] * value_bytes_;
      ranks_.receive(rank, std::span(values_).subspan(first, bytes));
      first += bytes;
    }
  }
  [[nodiscard]] std::span<const std::byte> wait() override { return values_; }

 private:
  Ranks& ranks_;
  std::vector<std::size_t> counts_;      ///< number of each rank's points
  std::unique_ptr<FieldReader> reader_;  ///< null where it has none
  std::vector<std::byte> values_;        ///< values of all ranks, on the first
  std::size_t value_bytes_ = 0;
};

/// A reader of such nodes of the domain, of fields that have the ghosts of that schedule. Where the domain
/// is cut every rank makes one and starts it, and the first one has the values; then `start` waits until they
/// are there. Error 71.
std::unique_ptr<FieldReader> make_reader_of_domain(const Problem& problem, const Lattice& nodes,
                                                   const Schedule& schedule, Backend& backend, Ranks& ranks) {
  if (problem.cut.slabs.empty()) return backend.field_kernels().make_reader(problem.grid().precision, nodes);
  return std::make_unique<DomainReader>(problem, nodes, schedule, backend, ranks);
}

}  // namespace

SnapshotRecorder::SnapshotRecorder(const SnapshotPlan& plan, const Problem& problem, double scale,
                                   const DeviceChoice& choice, std::unique_ptr<SnapshotFile> file)
    : plan_(plan), scale_(scale), file_(std::move(file)) {
  for (int i = 0; i < snapshots_under_way; ++i) {
    readers_.push_back(
        make_reader_of_domain(problem, plan.nodes, *choice.kernels.schedule, *choice.backend, ranks_));
    idle_.push_back(readers_.back().get());
  }
  writer_ = std::jthread([this](const std::stop_token& stop) { write_all(stop); });
}

int SnapshotRecorder::next_step(int after) const {
  const auto next = std::ranges::upper_bound(plan_.steps, after);
  return next == plan_.steps.end() ? std::numeric_limits<int>::max() : *next;
}

void SnapshotRecorder::look(const Propagator& propagator, int /*step*/) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ != nullptr || !idle_.empty(); });
  rethrow_failure();
  FieldReader* const reader = idle_.front();
  idle_.pop_front();
  reader->start(propagator.fields().observed());
  started_.push_back(reader);
  changed_.notify_all();
}

void SnapshotRecorder::keep() {
  settle();
  const hdf5::LibraryLock held;
  ranks_.on_first([&] { file_->keep(); });
}

void SnapshotRecorder::go_on(int step) {
  const hdf5::LibraryLock held;
  const auto count = std::ranges::upper_bound(plan_.steps, step) - plan_.steps.begin();
  ranks_.on_first([&] {
    if (file_->go_on(static_cast<std::size_t>(count))) return;
    throw Error(ErrorKind::data, text("the ", count, " snapshots up to step ", step, " are lost or damaged"),
                "");  // the shot starts anew by itself
  });
}

/// Waits until all that were taken are written.
void SnapshotRecorder::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ != nullptr || started_.empty(); });
  rethrow_failure();
}

void SnapshotRecorder::finish() {
  settle();
  const hdf5::LibraryLock held;
  file_->publish();
}

void SnapshotRecorder::rethrow_failure() {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

std::span<const std::byte> SnapshotRecorder::of_shot(std::span<const std::byte> values) {
  if (scale_ == 1) return values;
  if (scaled_.empty()) scaled_ = Reals(plan_.precision, values.size() / bytes_of(plan_.precision));
  std::ranges::copy(values, scaled_.raw().begin());
  with_real(plan_.precision, [&]<class Real>() { scale_up(std::span(scaled_.of<Real>()), scale_); });
  return scaled_.raw();
}

void SnapshotRecorder::write_all(const std::stop_token& stop) {
  const Unbound unbound;
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !started_.empty(); }) && !stop.stop_requested()) {
    FieldReader* const reader = started_.front();
    lock.unlock();
    std::exception_ptr failure;
    try {
      const std::span<const std::byte> values = reader->wait();
      const hdf5::LibraryLock held;
      if (file_) file_->write(of_shot(values));
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    started_.pop_front();
    idle_.push_back(reader);
    changed_.notify_all();
    if (failure_ != nullptr) return;
  }
}

}  // namespace minimod
