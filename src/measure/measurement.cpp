#include "src/measure/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/equation_names.hpp"
#include "kernels/random_field.hpp"
#include "kernels/registry.hpp"
#include "kernels/tiles/shape_family.hpp"
#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/refusal.hpp"
#include "src/choice/device_of_rank.hpp"
#include "src/job/shot/modeled_shot.hpp"
#include "src/measure/field_comparison.hpp"
#include "src/solver/equation_facts.hpp"
#include "src/solver/fields/memory.hpp"

namespace minimod {

namespace {

constexpr int most_measured_steps = 1'000'000;  ///< after which a source falls silent
constexpr ShotSize swinging_source{1, most_measured_steps};

/// The wavefield of this rank's slab after the steps from random fields in a random medium.
std::vector<double> wavefield_after_steps(Backend& backend, const KernelSet& kernels, const Problem& setup,
                                          Medium medium = Medium::exact) {
  const Extent3 n = setup.grid().n;
  const DomainPart part = make_part(backend, setup, kernels);
  Propagator& propagator = *part.propagator;
  set_medium(propagator, setup, {random_columns(setup.domain.equation, n), [n](int z, float* plane) {
                                   for (int y = 0; y < n.y; ++y) {
                                     for (int x = 0; x < n.x; ++x) {
                                       plane[y * n.x + x] = static_cast<float>(
                                           papers_case::velocity * (1 + 0.3 * random_value(2, x, y, z)));
                                     }
                                   }
                                 }});
  if (medium == Medium::rounded_to_codes) propagator.round_velocity_to_codes();
  propagator.set_random_field(1);
  for (int i = 0; i < setup.time.steps; ++i) propagator.step();
  std::vector<double> field;
  setup.cut.together([&] { field = propagator.wavefield({{0, 0, 0}, {n.x, n.y, setup.slab().planes()}}); });
  return field;
}

}  // namespace

DeviceChoice choose_measured_device(const KernelOptions& options, const Problem& setup,
                                    const RankOptions& ranks) {
  KernelOptions on_device = options;
  if (options.kernel != "auto") {  // a shape that runs everywhere holds the place of the pattern
    on_device.kernel = "reference";
    on_device.schedule = &sequence();
  }
  if (setup.cut.ranks == nullptr) return choose_device(on_device, setup.part());
  return choose_devices(on_device, ranks, setup.part(), {}, *setup.cut.ranks);
}

namespace {

bool matches(const CodeShape& shape, const std::string& pattern) {
  const bool is_family = shape.family == pattern && shape.is_default_tile;
  return pattern == "all" || is_family || matches_pattern(shape.name, pattern);
}

/// Shapes of a list of names and patterns, in the order of the registry, then those that are compiled. Error
/// 64 for one that nothing matches.
std::vector<const CodeShape*> shapes_that_match(const std::string& list, const Problem& setup) {
  std::vector<const CodeShape*> found;
  std::vector<std::string> patterns;
  for (const auto word : split(list, ',')) patterns.push_back(as_registered(word, shape_families()));
  for (const CodeShape& shape : all_shapes()) {
    const auto matches_shape = [&](const std::string& pattern) { return matches(shape, pattern); };
    if (has_stencil(shape, setup.grid().radius, setup.grid().precision, setup.domain.equation) &&
        std::ranges::any_of(patterns, matches_shape)) {
      found.push_back(
          &find_shape(shape.name, setup.grid().radius, setup.grid().precision, setup.domain.equation));
    }
  }
  for (const std::string& pattern : patterns) {
    const auto matches_pattern = [&](const CodeShape* shape) { return matches(*shape, pattern); };
    if (std::ranges::none_of(found, matches_pattern)) {
      found.push_back(&find_shape(pattern, setup.grid().radius, setup.grid().precision,
                                  setup.domain.equation));  // else an error with the nearest names
    }
  }
  return found;
}

/// Why a shape that matches is left out, empty where it is not.
std::string why_not_measured(const CodeShape& shape, const KernelOptions& o, const Problem& setup,
                             const DeviceChoice& choice) {
  const LaunchPlanners& planners = choice.backend->planners_of(shape);
  std::string why = why_not(shape, choice.device, setup.domain.decomposition);
  return why.empty() && o.schedule != nullptr ? o.schedule->why_not(planners) : why;
}

}  // namespace

std::vector<NamedKernels> matching_kernels(const KernelOptions& o, const Problem& setup,
                                           const DeviceChoice& choice, std::vector<NotRun>& not_run) {
  if (o.kernel == "auto") return {{"auto", choice.kernels}};
  std::vector<NamedKernels> found;
  for (const CodeShape* matching : shapes_that_match(o.kernel, setup)) {
    const CodeShape& shape = *matching;
    if (const std::string why = why_not_measured(shape, o, setup, choice); !why.empty()) {
      not_run.push_back({shape.name, why});
      continue;
    }
    const CodeShape& pml = o.pml_kernel.empty() ? shape : *choice.kernels.pml;
    found.push_back({shape.name, make_kernel_set(o, setup.part(), *choice.backend, shape, pml)});
  }
  if (found.empty()) {
    throw Error(ErrorKind::unavailable,
                text("none of the ", not_run.size(), " shapes that match runs here: ", not_run[0].why),
                text(command("kernels"), " lists those that do; ", command("verify"),
                     " kernels proves others with ", option("emulate")));
  }
  return found;
}

std::string points_text(Extent3 n) {
  return text(n.x, " x ", n.y, " x ", n.z, " points");
}

std::unique_ptr<Backend> make_sole_backend(const DeviceOption& device, const std::string& what) {
  if (device.names_several()) {
    throw Error(ErrorKind::parameter, text(option("device"), " names several GPUs, ", what, " takes one"),
                "give " + one_gpu_text());
  }
  return make_backend(device);
}

void check_free(const std::string& what, double needed, double free, const std::string& where) {
  constexpr double gib = 1 << 30;
  if (needed <= free) return;
  throw Error(ErrorKind::resource,
              text(what, " needs ", needed / gib, " GiB, ", free / gib, " GiB are free on ", where),
              "take a smaller " + option("grid"));
}

void check_free(const Backend& backend, const std::string& what, double needed, int sharers) {
  check_free(what, needed, static_cast<double>(backend.free_bytes()) / sharers, backend.info().name);
}

void check_measured_memory(const Problem& setup, const Backend& backend, const std::vector<NamedKernels>& all,
                           int sharers) {
  constexpr std::size_t uncounted = std::numeric_limits<std::size_t>::max();
  std::size_t needed = uncounted;
  for (const NamedKernels& set : all) {
    // A grid that a shape does not take is its row's refusal.
    const auto count = [&] {
      needed = std::min(needed, bytes_needed(backend, setup.part(), set.kernels, swinging_source));
    };
    static_cast<void>(refusal_of(count));
  }
  if (needed != uncounted) check_free(backend, "the measurement", static_cast<double>(needed), sharers);
}

DomainPart make_measured_part(const Problem& setup, Backend& backend, const KernelSet& kernels) {
  DomainPart part = make_part(backend, setup, kernels);
  const std::int64_t points = std::int64_t{setup.grid().n.x} * setup.grid().n.y;
  set_medium(
      *part.propagator, setup,
      {usual_columns(setup.domain.equation, setup.grid().n.z),
       [points](int, float* plane) { std::fill_n(plane, points, static_cast<float>(papers_case::velocity)); },
       [](int) { return true; }});
  return part;
}

void set_field(Propagator& propagator, const KernelOptions& options, const Problem& setup,
               const DeviceChoice& choice, BenchField field) {
  if (field == BenchField::random) return propagator.set_random_field(1);
  static_cast<void>(why_not_taken(propagator, first_to_try(options, setup.part(), choice),
                                  setup.cut));  // where it is refused, the propagator goes on with its own
  propagator.set_at_rest();
  const double f = setup.domain.boundary.frequency;
  const double crossing = std::max({setup.grid().n.x, setup.grid().n.y, setup.grid().n.z}) *
                          setup.grid().spacing.x / (2 * papers_case::velocity);
  const int steps = static_cast<int>(crossing / setup.time.dt);
  std::vector<double> samples(steps + most_measured_steps);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double periods = f * static_cast<double>(i) * setup.time.dt;
    samples[i] = std::min(1.0, periods / 2) * std::sin(2 * std::numbers::pi * periods);
  }
  propagator.set_source(
      {setup.grid().n.x / 2, setup.grid().n.y / 2, setup.grid().n.z / 2 - setup.slab().begin}, samples);
  for (int i = 0; i < steps; ++i) propagator.step();
  setup.cut.together([&] { propagator.check_status(); });  // while the kernels are there to be named
}

std::string why_no_part(DomainPart& part, const KernelSet& kernels, const KernelOptions& options,
                        const Problem& setup, const DeviceChoice& choice, BenchField field) {
  const bool is_cut = setup.cut.ranks != nullptr;
  if (!is_cut && field != BenchField::random) return "";
  const KernelSet before = part.propagator->plan().kernels();
  bool can_stay = !is_cut || kernels.schedule->ghosts() == part.propagator->fields().grid().ghosts();
  if (can_stay) {
    std::string why =
        refusal_of([&] { setup.cut.together([&] { can_stay = part.propagator->lies_for(kernels); }); });
    if (!why.empty()) return why;
  }
  if (!setup.cut.any(!can_stay)) return "";
  const auto make = [&](const KernelSet& wanted) {
    part = {};  // frees the memory first
    part = make_measured_part(setup, *choice.backend, wanted);
    set_field(*part.propagator, options, setup, choice, field);
  };
  std::string why = refusal_of([&] { make(kernels); });
  if (!why.empty()) make(before);
  return why;
}

std::string why_not_taken(Propagator& propagator, const KernelSet& kernels, const DomainCut& cut) {
  const KernelSet before = propagator.plan().kernels();
  if (propagator.is_ahead()) propagator.step();  // all slabs, whoever of them is refused
  std::string why = refusal_of([&] { cut.together([&] { propagator.set_kernels(kernels); }); });
  if (!why.empty()) propagator.set_kernels(before);  // slabs that were not refused go back, too
  return why;
}

std::string why_not_measured(Propagator& propagator, const DomainCut& cut) {
  return refusal_of([&] { cut.together([&] { propagator.check_status(); }); });
}

const std::vector<double>& ExpectedField::of(const CodeShape& shape) {
  std::vector<double>& field = shape.needs.v16 ? rounded_ : exact_;
  if (field.empty()) {
    const CodeShape& reference = find_shape("reference", shape.radius, shape.precision, shape.equation);
    const auto host = make_host_backend();
    field =
        compute_(*host, {&reference, &reference}, shape.needs.v16 ? Medium::rounded_to_codes : Medium::exact);
  }
  return field;
}

Verification::Verification(const Problem& setup)
    : small_(small_problem(setup)),
      expected_([small = small_](Backend& host, const KernelSet& reference, Medium medium) {
        Problem whole = small;
        whole.domain.decomposition = Decomposition::seven;
        whole.cut = {};
        return wavefield_after_steps(host, reference, whole, medium);
      }) {}

Verdict Verification::of(Backend& backend, const KernelSet& kernels) {
  Verdict verdict{.tolerance = 1e-6};
  verdict.why_not = refusal_of([&] {
    const auto field = wavefield_after_steps(backend, kernels, small_);
    const auto& whole = expected_.of(*kernels.inner);
    const auto first =
        whole.begin() + std::ptrdiff_t{small_.slab().begin} * small_.grid().n.x * small_.grid().n.y;
    const auto here = difference_of(field, {first, first + static_cast<std::ptrdiff_t>(field.size())});
    verdict.error = relative_to_all(here, small_.cut);
  });
  if (!std::isfinite(verdict.error)) verdict.error = std::numeric_limits<double>::max();
  verdict.is_right = verdict.why_not.empty() && verdict.error <= verdict.tolerance;
  return verdict;
}

double counted_bytes(const Problem& setup, const KernelSet& kernels) {
  return bytes_of_a_step(setup.grid(), setup.domain.boundary, kernels);
}

double ceiling_of(const Problem& setup, const StreamRates& stream) {
  return facts_of(setup.domain.equation).reads_u_alone ? stream.copy : stream.three_reads_one_write;
}

std::vector<PartTimes> time_parts(Propagator& propagator, int steps) {
  std::vector<PartTimes> parts;
  const std::vector<Spread> seconds = spreads(steps, [&] {
    propagator.step(true);
    parts.clear();
    std::vector<double> of_step;
    for (const TimedPart& part : propagator.timed_parts()) {
      parts.push_back({part, {}});
      of_step.push_back(part.seconds);
    }
    return of_step;
  });
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].seconds = seconds[k];
    parts[k].part.seconds = seconds[k].median;
  }
  return parts;
}

Json to_record(const LaunchFacts& facts) {
  return {{"blocks", {facts.blocks.x, facts.blocks.y, facts.blocks.z}},
          {"threads", facts.threads},
          {"registers", facts.registers},
          {"shared_bytes", facts.shared_bytes},
          {"local_bytes", facts.local_bytes},
          {"active_blocks", facts.active_blocks},
          {"theoretical_occupancy", facts.occupancy}};
}

Json to_record(const std::optional<LaunchFacts>& facts) {
  return facts ? to_record(*facts) : Json(nullptr);
}

Json to_record(const std::vector<NotRun>& not_run) {
  Json record = Json::array();
  for (const auto& [name, why] : not_run) record.push_back({{"name", name}, {"why", why}});
  return record;
}

Json to_record(const Problem& setup, BenchField field) {
  const std::int64_t inner = setup.domain.boundary.inner_box(setup.grid().n).points();
  return {{"n", {setup.grid().n.x, setup.grid().n.y, setup.grid().n.z}},
          {"spacing_m", {setup.grid().spacing.x, setup.grid().spacing.y, setup.grid().spacing.z}},
          {"pml_width", setup.layer_width()},
          {"points_inner", inner},
          {"points_pml", setup.grid().n.points() - inner},
          {"boundary", boundary_name(setup.domain.boundary.kind)},
          {"equation", equation_name(setup.domain.equation)},
          {"free_surface", setup.domain.boundary.free_surface},
          {"field", field_name(field)}};
}

}  // namespace minimod
