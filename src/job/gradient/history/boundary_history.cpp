#include "src/job/gradient/history/boundary_history.hpp"

namespace minimod {

namespace {

/// u at the present time, as a drive lies.
DriveField wavefield_of(const Propagator& propagator) {
  return {propagator.fields().at(FieldRole::state), propagator.fields().grid().layout};
}

}  // namespace

BoundaryHistory::BoundaryHistory(Backend& backend, const Problem& problem, const HistoryOptions& history,
                                 BoundaryPlan plan)
    : backend_(backend),
      precision_(problem.grid().precision),
      every_(history.every),
      plan_(std::move(plan)),
      records_(make_record_store(backend, plan_.bytes, plan_.place, history.states_on)),
      unpacked_(backend, plan_.is_packed ? plan_.values : 0, precision_) {}

DriveField BoundaryHistory::values_of(const RecordPiece& piece) const {
  const Index3 begin = piece.box.begin;
  Layout layout = packed_layout(piece.box.extent());
  layout.origin = -layout.index(begin.x, begin.y, begin.z);
  const RealsAt values = plan_.is_packed ? unpacked_.at() : RealsAt{present_, precision_};
  return {values + static_cast<std::ptrdiff_t>(piece.first), layout};
}

void BoundaryHistory::copy(const Box3& box, const DriveField& from, const DriveField& to) const {
  with_real(precision_, [&]<class Real>() {
    backend_.field_kernels().for_each_point(
        box, PointCopy<Real>{from.layout, to.layout, from.values.of<Real>(), to.values.of<Real>()});
  });
}

template <template <class> class Work>
void BoundaryHistory::convert(int step) const {
  if (!plan_.is_packed) return;
  const std::size_t count = (has_drive(step) ? plan_.values : plan_.frame_values) / values_of_block;
  with_real(precision_, [&]<class Real>() {
    const ValueBlocks<Real> blocks{unpacked_.at().of<Real>(), reinterpret_cast<Real*>(present_),
                                   reinterpret_cast<std::int16_t*>(present_ + count * sizeof(Real)),
                                   static_cast<std::int64_t>(count)};
    backend_.field_kernels().for_each_point(blocks.box(), Work<Real>{blocks});
  });
}

void BoundaryHistory::before_step(const Propagator& propagator) {
  const int step = propagator.steps_done();
  present_ = records_->begin(step);
  for (const RecordPiece& piece : plan_.frame) copy(piece.box, wavefield_of(propagator), values_of(piece));
  if (!has_drive(step)) return;
  for (const RecordPiece& piece : plan_.rest) propagator.begin_drive(values_of(piece), piece.box);
}

void BoundaryHistory::after_step(const Propagator& propagator) {
  const int step = propagator.steps_done() - 1;
  if (has_drive(step))
    for (const RecordPiece& piece : plan_.rest) propagator.end_drive(values_of(piece), piece.box);
  convert<BlockPacking>(step);
  records_->keep(step);
}

void BoundaryHistory::turn_round(Propagator& propagator) {
  records_->turn_round();
  propagator.turn_round();
}

void BoundaryHistory::step_back(Propagator& propagator, int step, const DriveField& drive) {
  present_ = records_->fetch(step);
  convert<BlockUnpacking>(step);
  for (const RecordPiece& piece : plan_.frame) copy(piece.box, values_of(piece), wavefield_of(propagator));
  if (has_drive(step)) propagator.begin_drive(drive, plan_.box);
  propagator.step();
  if (has_drive(step)) {
    propagator.end_drive(drive, plan_.box);
    for (const RecordPiece& piece : plan_.rest) copy(piece.box, values_of(piece), drive);
  }
  records_->release(step);
}

}  // namespace minimod
