#include "src/solver/propagator.hpp"

#include <algorithm>
#include <utility>

#include "src/base/error.hpp"
#include "src/device/profiling.hpp"

namespace minimod {

Propagator::Propagator(Backend& backend, const StepProblem& problem, const Boundary& boundary,
                       const KernelSet& kernels, Neighbours* neighbours)
    : backend_(backend),
      neighbours_(neighbours),
      problem_(problem),
      plan_(std::make_unique<StepPlan>(backend, problem_, kernels)),
      workspace_(backend, plan_->workspace_bytes()),
      fields_(backend, plan_->problem().grid, boundary, plan_->fields(), neighbours, problem.equation),
      corrections_(backend, fields_.grid(), boundary.spec),
      stepper_(kernels.schedule->make_stepper()) {
  problem_ = plan_->problem();
  if (neighbours == nullptr) return;
  halo_laps_.start();  // for steps before an exchange
  halo_laps_.lap();
}

/// All that may fail comes first.
void Propagator::set_kernels(const KernelSet& kernels) {
  auto plan = std::make_unique<StepPlan>(backend_, problem_, kernels);
  auto stepper = kernels.schedule->make_stepper();
  record_what_waits();
  if (is_ahead()) step();
  auto memory = workspace_.memory_of(plan->workspace_bytes());
  const FieldTable table = plan->fields();
  const bool moves = !fields_.lie_as(table);
  if (moves && neighbours_ != nullptr)
    throw Error(ErrorKind::resource, "the fields of a slab would have to lie otherwise", "make it anew");
  try {
    fields_.change_to(plan->problem().grid, table);
  } catch (const Error&) {
    if (fields_.are_lost()) stepper_->forget();  // launches that know where they were
    throw;
  }
  workspace_.exchange(std::move(memory));
  plan_ = std::move(plan);
  stepper_ = std::move(stepper);
  if (moves) follow_fields();
}

bool Propagator::lies_for(const KernelSet& kernels) const {
  const StepPlan plan(backend_, problem_, kernels);
  return fields_.lie_as(plan.fields());
}

void Propagator::follow_fields() {
  problem_.grid = fields_.grid();
  corrections_.forget();
  sources_ = Sources();
  if (!fed_.places.empty()) sources_ = Sources(backend_, fields_, fed_, problem_.rims());
  receivers_ = {};
}

void Propagator::set_velocity(double dt, const std::function<void(int z, float* plane)>& fill,
                              const std::function<bool(int z)>& repeats) {
  fields_.set_velocity(
      dt, [&](int z, float* plane) { fill(z - ghosts_above(), plane); },
      [&](int z) { return repeats && repeats(z - ghosts_above()); });
  stepper_->forget();
}

void Propagator::set_velocity(double dt, const PlacedNodes& model) {
  fields_.set_velocity(dt, model.from_plane(-ghosts_above()));
  stepper_->forget();
}

void Propagator::set_source(Index3 node, const std::vector<double>& samples) {
  set_sources(std::vector<FedSource>{{at_node(node), samples}});
}

void Propagator::set_source_between(const NodeWeights& place, const std::vector<double>& samples) {
  set_sources(std::vector<FedSource>{{place, samples}});
}

void Propagator::set_sources(const std::vector<FedSource>& given) {
  FedSources sources;
  for (const FedSource& source : given) {
    sources.places.push_back(source.place);
    sources.steps = std::max(sources.steps, source.samples.size());
  }
  sources.samples = [given](std::size_t i) { return given[i].samples; };
  set_sources(std::move(sources));
}

void Propagator::set_sources(FedSources sources) {
  for (NodeWeights& place : sources.places) place.first.z += ghosts_above();
  StepProblem problem = problem_;
  problem.several_sources = sources.places.size() > 1;
  plan_->kernels().schedule->check(problem);
  sources_ = Sources();  // frees the memory of the old ones first
  if (!sources.places.empty()) sources_ = Sources(backend_, fields_, sources, problem.rims());
  fed_ = std::move(sources);
  problem_ = problem;
}

void Propagator::set_receivers(std::vector<Index3> nodes, int batch) {
  for (Index3& node : nodes) node.z += ghosts_above();
  receivers_ = {};
  receivers_ = Receivers(backend_, problem_.grid, nodes, batch);
}

void Propagator::set_receivers_between(NodePlaces places, int batch) {
  for (NodeWeights& place : places) place.first.z += ghosts_above();
  receivers_ = {};
  receivers_ = Receivers(backend_, problem_.grid, places, batch);
}

void Propagator::set_at_rest() {
  stepper_->set_ahead(false);
  fields_.set_at_rest();
  receivers_.empty();
}

void Propagator::set_random_field(std::uint32_t seed) {
  set_at_rest();
  fields_.set_random(seed);
  for (const FieldRole role : {FieldRole::state, FieldRole::before}) {
    for (const PlacedField& u : fields_.all(role)) corrections_.close_surface(u);
  }
  if (neighbours_ != nullptr) neighbours_->exchange(fields_, FieldRole::state);
}

void Propagator::keep_earlier() {
  if (fields_.at(FieldRole::next).data == nullptr)
    throw Error(ErrorKind::internal, "a step of a problem without drives is to have one", "please report it");
  keeps_earlier_ = true;
}

StepFields Propagator::step_fields() const {
  return {fields_.at(FieldRole::state), fields_.at(FieldRole::before), fields_.at(stepper_->earlier()),
          problem_.grid.layout};
}

void Propagator::make_drives(const std::vector<BoxOfDrive>& drives) const {
  const BoundarySpec& spec = problem_.boundary;
  const LayerFields fields = layer_fields(fields_, spec);
  std::vector<PointsOfBox> all;
  for (const BoxOfDrive& one : drives) {
    for (const auto& [box, work] : layer_of(spec.kind).drive(fields, step_fields(), one.drive)) {
      const Box3 within = common_points(box, one.box);
      if (!within.empty()) all.push_back({within, work});
    }
  }
  backend_.field_kernels().for_each_point(all);
}

void Propagator::scatter(const DriveField& drive, RealsAt ratios) const {
  const RealsAt u = fields_.at(FieldRole::state);
  with_real(problem_.grid.precision, [&]<class Real>() {
    for_all_points(Scattering<Real>{problem_.grid.layout, drive.layout, u.of<Real>(), drive.values.of<Real>(),
                                    ratios.of<Real>()});
  });
  corrections_.close_surface(fields_.observed());
  share_edges();
}

void Propagator::correlate(const std::vector<DriveWithin>& drives, double* sum) const {
  std::vector<PointsOfBox> all;
  with_real(problem_.grid.precision, [&]<class Real>() {
    const Real* const p = fields_.at(FieldRole::state).of<Real>();
    for (const DriveWithin& one : drives) {
      all.push_back({one.box, Correlation<Real>{problem_.grid.layout, packed_layout(problem_.grid.n), p,
                                                drive_in_use<Real>(one), sum}});
    }
  });
  backend_.field_kernels().for_each_point(all);
}

void Propagator::illuminate(const std::vector<DriveWithin>& drives, double* sum, RealsAt of_drive,
                            RealsAt of_p) const {
  std::vector<PointsOfBox> all;
  with_real(problem_.grid.precision, [&]<class Real>() {
    const Real* const p = fields_.at(FieldRole::state).of<Real>();
    for (const DriveWithin& one : drives) {
      all.push_back(
          {one.box, Illumination<Real>{problem_.grid.layout, packed_layout(problem_.grid.n), p,
                                       drive_in_use<Real>(one), sum, of_drive.of<Real>(), of_p.of<Real>()}});
    }
  });
  backend_.field_kernels().for_each_point(all);
}

Box3 Propagator::all_points() const {
  const Extent3 n = problem_.grid.n;
  return {{0, 0, 0}, {n.x, n.y, n.z}};
}

void Propagator::for_all_points(const PointWork& work) const {
  backend_.field_kernels().for_each_point(all_points(), work);
}

void Propagator::share_edges() const {
  if (neighbours_ != nullptr) neighbours_->exchange(fields_, FieldRole::state);
}

void Propagator::step(bool timed) {
  const ProfilingRegion whole_step("step");
  if (corrections_.prepare(fields_)) share_edges();
  StepParts step = parts();
  // Launches of two steps leave u⁻ where it is in any case.
  if (std::exchange(keeps_earlier_, false) && !may_be_ahead()) {
    fields_.swap(FieldRole::before, FieldRole::next);
    step.earlier = FieldRole::next;
  }
  stepper_->step(step, steps_done_, timed);
  const bool has_computed = !may_be_ahead() || is_ahead();
  if (neighbours_ != nullptr && has_computed) take_halos(timed);
  ++steps_done_;
}

/// An exchange that serves several steps may be behind others than those that are timed.
void Propagator::take_halos(bool timed) {
  timed |= may_be_ahead();
  if (timed) halo_laps_.start();
  if (plan_->launches_of_rims() == 0)
    neighbours_->start_exchange(fields_, stepper_->newest(), stepper_->edge_above());
  neighbours_->finish_exchange();
  if (timed) halo_laps_.lap();
}

std::vector<TimedPart> Propagator::timed_parts() {
  std::vector<TimedPart> timed = stepper_->timed_parts(parts());
  if (neighbours_ != nullptr) {
    const double seconds = halo_laps_.seconds();
    timed.push_back({"halos", Formula::mixed, 0, seconds / plan_->kernels().schedule->steps_of_exchange()});
  }
  return timed;
}

void Propagator::record() {
  record_what_waits();
  if (plan_->serves_shot() && receivers_.are_at_nodes()) {
    receivers_.record_later();
  } else {
    receivers_.record(backend_, fields_.observed());
  }
}

void Propagator::record_what_waits() {
  if (receivers_.waits()) receivers_.record(backend_, fields_.observed());
}

const Reals& Propagator::fetch_batch() {
  record_what_waits();
  const Reals& samples = receivers_.fetch(backend_);
  check_status();
  return samples;
}

Extremes Propagator::extremes() const {
  check_status();
  return neighbours_ == nullptr ? fields_.extremes() : neighbours_->of_all(fields_.extremes());
}

std::vector<double> Propagator::wavefield(Box3 box) const {
  check_status();
  box.begin.z += ghosts_above();
  box.end.z += ghosts_above();
  return fields_.wavefield(box);
}

void Propagator::add(Index3 node, double value) {
  check_status();
  backend_.wait();
  const RealsAt place = fields_.observed().at(node);
  with_real(place.precision, [&]<class Real>() {
    Real* const at = place.of<Real>();
    Real sum = 0;
    backend_.download(&sum, at, sizeof sum);
    sum += static_cast<Real>(value);
    backend_.upload(at, &sum, sizeof sum);
  });
}

void Propagator::compute_within(const std::optional<Box3>& box) {
  if (problem_.within == box) return;
  problem_.within = box;
  const KernelSet kernels = plan_->kernels();
  set_kernels(kernels);
}

void Propagator::turn_round(const Box3& box) {
  compute_within(box);
  FedSources back = fed_;
  back.steps = static_cast<std::size_t>(steps_done_);
  back.samples = [steps = back.steps, forth = fed_.samples](std::size_t i) {
    std::vector<double> samples = forth(i);
    samples.resize(steps);
    std::ranges::reverse(samples);
    return samples;
  };
  set_sources(std::move(back));
  fields_.swap(FieldRole::state, FieldRole::before);
  steps_done_ = 0;
  corrections_.leave_out(true);
}

void Propagator::resume(int steps_done, bool ahead) {
  steps_done_ = steps_done;
  stepper_->set_ahead(ahead);
  corrections_.leave_out(false);
  compute_within({});
  if (neighbours_ == nullptr) return;
  neighbours_->exchange(fields_, FieldRole::state);
  if (problem_.grid.ghosts() == 0) return;
  for (const FieldRole role : {FieldRole::before, FieldRole::auxiliary}) neighbours_->exchange(fields_, role);
}

}  // namespace minimod
