#include <algorithm>

#include "kernels/registry.hpp"
#include "kernels/tile_space.hpp"
#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/choice/tuned_tiles.hpp"
#include "src/measure/measurement.hpp"
#include "src/tune/tune_subject.hpp"

namespace minimod {

namespace {

constexpr int tune_start = Backend::mark_slots - 2, tune_end = Backend::mark_slots - 1;

/// Of a family's name. Error 64 for another.
const ShapeFamily& searched_family(const std::string& name) {
  const CodeShape& shape = find_shape(name);
  const ShapeFamily* const family = find_family(shape.family);
  if (family == nullptr) {
    throw Error(ExitCode::usage,
                text(shape.family, " has no other tiles than those that minimod kernels lists"),
                "bench them, or search another family");
  }
  if (parse_shape_name(name)) {
    throw Error(ExitCode::usage, text("--kernel names the tile ", escaped(name)),
                text("name its family, ", family->name, ", and tiles by --candidates"));
  }
  return *family;
}

class WaveSubject final : public TuneSubject {
 public:
  explicit WaveSubject(const TuneOptions& options)
      : options_(options),
        family_(searched_family(options.kernels.kernel)),
        setup_(make_setup(measured(tuned_grid_of_host))),
        choice_(chosen()),
        verification_(setup_) {
    const bool on_gpu = choice_.device.kind == "cuda";
    if (!on_gpu && !options.kernels.emulate) {
      const bool by_option = options.kernels.device.kind == DeviceOption::Kind::cpu;
      throw Error(by_option ? ExitCode::usage : ExitCode::unavailable,
                  by_option ? "--device cpu has no tiles of its own" : find_cuda_devices().why_none,
                  "give --emulate, which searches by playing them on the host (slow, for study)");
    }
    setup_ = make_setup(measured(options.grid.value_or(on_gpu ? tuned_grid_of_gpu : tuned_grid_of_host)));
    problem_ = {family_.name, options.kernels.order, options.kernels.precision, options.kernels.equation,
                setup_.n,     choice_.device.name,   choice_.device.kind,       build_info().git_hash,
                setup_.steps};
  }

  [[nodiscard]] const TuneProblem& problem() const override { return problem_; }
  [[nodiscard]] const DeviceInfo& device() const override { return choice_.device; }
  [[nodiscard]] StreamRates stream_rates() const override {
    return choice_.stream_rates(Patience::of_figures);
  }
  [[nodiscard]] std::string naming() const override { return minimod::naming(family_); }

  [[nodiscard]] std::vector<TuneCandidate> candidates() const override {
    std::vector<TuneCandidate> all;
    for (const CodeShape& shape : all_shapes()) {
      if (shape.family != family_.name) continue;
      const NamedShape named = *parse_shape_name(shape.name);
      if (why_impossible(named, setup_.radius, setup_.precision).empty()) {
        all.push_back({.name = shape.name, .is_built_in = true});
      }
    }
    for (const NamedShape& shape : tile_space(family_, setup_.radius, setup_.precision)) {
      all.push_back({.name = shape_name(family_.name, shape.parameters)});
    }
    if (all.empty()) {
      throw Error(ExitCode::usage, text(family_.name, " has no tile of order ", problem_.order),
                  "take another family or order");
    }
    return all;
  }

  void check_memory() const override {
    check_measured_memory(setup_, *choice_.backend, {{"reference", choice_.kernels}});
  }

  [[nodiscard]] std::string why_not_here(const std::string& name) const override {
    return choice_.device.kind == "cuda" ? why_not(shape_of(name), choice_.device) : "";
  }

  [[nodiscard]] std::optional<LaunchFacts> compile(const std::string& name) const override {
    LaunchArgs<> args;
    args.layout = setup_.grid().layout;
    args.box = args.inner = setup_.regions().inner;
    const Formula formula = setup_.equation == Equation::jacobi ? Formula::jacobi : Formula::inner;
    const auto planned =
        choice_.backend->plan(choice_.backend->launches_of(shape_of(name)).of(formula), args);
    if (choice_.device.kind != "cuda") return std::nullopt;
    return planned->facts();
  }

  [[nodiscard]] Verdict verify(const std::string& name) override {
    const Verification::Outcome outcome = verification_.of(*choice_.backend, kernels_of(name));
    return {outcome.error, outcome.why_not, outcome.error <= Verification::tolerance};
  }

  void add_played(PlayedWork& work, const std::string& name, double steps) const override {
    if (choice_.device.kind == "cuda") return;
    const NamedShape shape = *parse_shape_name(name);
    work.add(static_cast<double>(setup_.n.points()) * steps,
             work_of(shape, setup_.n, setup_.radius, setup_.equation).operations,
             shape.family->shared_values(shape.parameters, setup_.radius) > 0);
  }

  [[nodiscard]] std::string take(const std::string& name) override {
    if (part_.propagator == nullptr) {
      part_ = make_measured_part(setup_, choice_);
      part_.propagator->set_random_field(1);
    }
    return why_not_taken(*part_.propagator, kernels_of(name));
  }

  [[nodiscard]] double seconds_of_steps(int steps) override {
    choice_.backend->mark(tune_start);
    for (int i = 0; i < steps; ++i) part_.propagator->step();
    choice_.backend->mark(tune_end);
    return choice_.backend->seconds_between(tune_start, tune_end);
  }

  [[nodiscard]] std::string why_not_measured() override {
    std::string why = minimod::why_not_measured(*part_.propagator);
    if (!why.empty()) part_.propagator->set_random_field(1);
    return why;
  }

  /// For `--kernel auto`.
  void keep_winner(const TuneCandidate& best, double gpt_per_s) const override {
    const TuneProblem& of = problem_;
    if (choice_.device.kind != "cuda" || of.equation != Equation::wave) return;
    TunedTiles::of_user().keep({of.device, of.order, of.precision, of.family, of.grid, best.name, gpt_per_s});
    std::printf("%s is among what --kernel auto tries on this GPU\n", best.name.c_str());
  }

 private:
  [[nodiscard]] DeviceChoice chosen() const {
    KernelOptions on_device = options_.kernels;
    on_device.kernel = "reference";
    on_device.schedule = &sequence();
    return choose_measured_device(on_device, setup_);
  }

  [[nodiscard]] MeasureOptions measured(Extent3 grid) const {
    MeasureOptions measure;
    measure.grid.grid = grid;
    measure.boundary.width = 0;
    measure.kernels = options_.kernels;
    measure.kernels.kernel = "reference";
    measure.steps = options_.steps;
    return measure;
  }

  [[nodiscard]] const CodeShape& shape_of(const std::string& name) const {
    return find_shape(name, setup_.radius, setup_.precision);
  }
  [[nodiscard]] KernelSet kernels_of(const std::string& name) const {
    return {&shape_of(name), &shape_of("reference")};
  }

  const TuneOptions& options_;
  const ShapeFamily& family_;
  Setup setup_;
  DeviceChoice choice_;
  TuneProblem problem_;
  Verification verification_;
  DomainPart part_;  ///< made when it is needed first
};

}  // namespace

std::unique_ptr<TuneSubject> make_wave_subject(const TuneOptions& options) {
  return std::make_unique<WaveSubject>(options);
}

}  // namespace minimod
