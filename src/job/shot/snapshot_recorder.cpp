#include "src/job/shot/snapshot_recorder.hpp"

#include <algorithm>
#include <limits>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/process/threads.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/plan/run_scale.hpp"
#include "src/job/shot/domain_reader.hpp"

namespace minimod {

namespace {

/// Those of the gather, but for what is done to traces alone.
ShotGather facts_of(const RunPlan& plan, const DeviceChoice& choice) {
  ShotGather gather = make_gather(plan, choice, {}, {});
  for (auto& [name, value] : gather.metadata) {
    if (name == time_dispersion_attribute) value = name_in(time_dispersion_names, TimeDispersion::as_is);
  }
  return gather;
}

}  // namespace

SnapshotRecorder::SnapshotRecorder(const RunPlan& plan, const DeviceChoice& choice,
                                   const std::optional<SnapshotPaths>& paths, bool overwrite)
    : plan_(plan.snapshots), scale_(plan.shot.scale) {
  ranks_.on_first([&] { file_.emplace(plan_, facts_of(plan, choice), *paths, overwrite); });
  for (int i = 0; i < snapshots_under_way; ++i) {
    readers_.push_back(make_reader_of_domain(plan, *choice.kernels.schedule, *choice.backend, ranks_));
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
  const hdf5::Turn turn;
  ranks_.on_first([&] { file_->keep(); });
}

void SnapshotRecorder::go_on(int step) {
  const hdf5::Turn turn;
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
  const hdf5::Turn turn;
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
      const hdf5::Turn turn;
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
