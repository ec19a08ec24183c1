#include "src/job/gradient/history/boundary_history.hpp"

namespace minimod {

namespace {

std::size_t end_of(const auto& pieces) {
  return pieces.empty() ? 0 : pieces.back().first + static_cast<std::size_t>(pieces.back().box.points());
}

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
      frame_(pieces_of(plan_.points.frame, 0)),
      rest_(pieces_of(plan_.points.rest, end_of(frame_))),
      records_(make_record_store(backend, plan_.bytes, plan_.place, history.states_on)) {}

std::vector<BoundaryHistory::Piece> BoundaryHistory::pieces_of(const std::vector<Box3>& boxes,
                                                               std::size_t first) {
  std::vector<Piece> pieces;
  for (const Box3& box : boxes) {
    pieces.push_back({box, first});
    first += static_cast<std::size_t>(box.points());
  }
  return pieces;
}

DriveField BoundaryHistory::values_of(const Piece& piece, RealsAt record) {
  const Index3 begin = piece.box.begin;
  Layout layout = packed_layout(piece.box.extent());
  layout.origin = -layout.index(begin.x, begin.y, begin.z);
  return {record + static_cast<std::ptrdiff_t>(piece.first), layout};
}

void BoundaryHistory::copy(const Box3& box, const DriveField& from, const DriveField& to) const {
  with_real(precision_, [&]<class Real>() {
    backend_.field_kernels().for_each_point(
        box, PointCopy<Real>{from.layout, to.layout, from.values.of<Real>(), to.values.of<Real>()});
  });
}

void BoundaryHistory::before_step(const Propagator& propagator) {
  const int step = propagator.steps_done();
  present_ = record(records_->begin(step));
  for (const Piece& piece : frame_) copy(piece.box, wavefield_of(propagator), values_of(piece, present_));
  if (!has_drive(step)) return;
  for (const Piece& piece : rest_) propagator.begin_drive(values_of(piece, present_), piece.box);
}

void BoundaryHistory::after_step(const Propagator& propagator) {
  const int step = propagator.steps_done() - 1;
  if (has_drive(step))
    for (const Piece& piece : rest_) propagator.end_drive(values_of(piece, present_), piece.box);
  records_->keep(step);
}

void BoundaryHistory::turn_round(Propagator& propagator) {
  records_->turn_round();
  propagator.turn_round();
}

void BoundaryHistory::step_back(Propagator& propagator, int step, const DriveField& drive) {
  present_ = record(records_->fetch(step));
  for (const Piece& piece : frame_) copy(piece.box, values_of(piece, present_), wavefield_of(propagator));
  if (has_drive(step)) propagator.begin_drive(drive, plan_.points.box);
  propagator.step();
  if (has_drive(step)) {
    propagator.end_drive(drive, plan_.points.box);
    for (const Piece& piece : rest_) copy(piece.box, values_of(piece, present_), drive);
  }
  records_->release(step);
}

}  // namespace minimod
