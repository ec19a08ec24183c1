#include "src/job/plan/expected_echo.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/job/plan/echo_model.hpp"
#include "src/job/plan/time_zero.hpp"

namespace minimod {

namespace {

/// Echoes above this are warned of, dB of the direct wave.
constexpr double loud_echo = -40;

constexpr std::size_t most_pairs = 50'000, most_shots = 200, most_sources = 10;

/// Some of `count` things, in an order without a period that rows of them could have: the first, the last,
/// and between them the multiples of the golden ratio.
class Spread {
 public:
  Spread(std::size_t count, std::size_t most) : count_(count), size_(std::min(count, most)) {}
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t operator[](std::size_t i) const {
    if (size_ == count_) return i;
    if (i + 1 == size_) return count_ - 1;
    const double turns = static_cast<double>(i) / std::numbers::phi;
    return static_cast<std::size_t>((turns - std::floor(turns)) * static_cast<double>(count_));
  }

 private:
  std::size_t count_, size_;
};

/// The source of a shot whose direct wave is the loudest there.
const ShotSource& nearest_source(const ShotGeometry& shot, Point3 receiver) {
  const Spread some(shot.sources.size(), most_sources);
  const ShotSource* nearest = nullptr;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const ShotSource& source = shot.sources[some[i]];
    if (!nearest || metres_between(source.position, receiver) < metres_between(nearest->position, receiver)) {
      nearest = &source;
    }
  }
  return *nearest;
}

/// Some sources and receivers of all shots.
std::vector<EchoPair> some_pairs(const RunPlan& plan, const std::vector<const ShotGeometry*>& shots) {
  std::vector<EchoPair> pairs;
  const Spread some_shots(shots.size(), most_shots);
  for (std::size_t i = 0; i < some_shots.size(); ++i) {
    const ShotGeometry& shot = *shots[some_shots[i]];
    const std::size_t tried = some_shots.size() * std::min(shot.sources.size(), most_sources);
    const Spread some(shot.receivers.size(), std::max<std::size_t>(2, most_pairs / tried));
    for (std::size_t k = 0; k < some.size(); ++k) {
      const Point3 receiver = shot.receivers[some[k]];
      if (plan.problem.domain.boundary.free_surface && receiver.z == 0) continue;
      const ShotSource& source = nearest_source(shot, receiver);
      pairs.push_back({source.position, receiver, &source, &shot});
    }
  }
  return pairs;
}

/// The greatest within half a wavelength, where it is least, of the depths of sources and receivers: faster
/// waves go there, too, and those of greater depths not along the way of a direct one. m/s.
double velocity_between(const RunPlan& plan, const std::vector<EchoPair>& pairs) {
  double top = plan.medium->extent().z, bottom = 0;
  for (const EchoPair& pair : pairs) {
    top = std::min({top, pair.source.z, pair.receiver.z});
    bottom = std::max({bottom, pair.source.z, pair.receiver.z});
  }
  const double reach = plan.medium->v_min() / plan.signals.peak_frequency / 2;
  const auto greatest = greatest_velocity(plan.medium->model(), std::max(0.0, top - reach),
                                          std::min(plan.medium->extent().z, bottom + reach));
  return std::clamp(greatest, plan.medium->v_min(), plan.medium->v_max());
}

/// The pair with the loudest echo of each face, as plane waves make it.
std::vector<EchoPair> loudest_pairs(const EchoModel& model, const std::vector<EchoPair>& pairs) {
  std::vector<const EchoPair*> loud(model.faces().size(), nullptr);
  std::vector<double> greatest(loud.size(), 0);
  for (const EchoPair& pair : pairs) {
    for (std::size_t f = 0; f < loud.size(); ++f) {
      const double size = model.by_plane_waves(f, pair.source, pair.receiver);
      if (size <= greatest[f]) continue;
      greatest[f] = size;
      loud[f] = &pair;
    }
  }
  std::vector<EchoPair> different;
  for (std::size_t f = 0; f < loud.size(); ++f) {
    if (loud[f] && std::find(loud.begin(), loud.begin() + f, loud[f]) == loud.begin() + f) {
      different.push_back(*loud[f]);
    }
  }
  return different;
}

}  // namespace

std::optional<ExpectedEcho> expected_echo(const RunPlan& plan,
                                          const std::vector<const ShotGeometry*>& shots) {
  if (plan.injection || plan.problem.layer_width() == 0) return {};
  const std::vector<EchoPair> some = some_pairs(plan, shots);
  const EchoModel model(plan, velocity_between(plan, some));
  const std::vector<EchoPair> pairs = loudest_pairs(model, some);
  const auto waves = model.waves(pairs);
  std::optional<ExpectedEcho> loudest;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const EchoPair& pair = pairs[k];
    const std::string name = wavelet_name(*pair.shot, *pair.planned, plan.time_zero);
    const EchoModel::Sizes sizes = model.sizes(waves[k], *plan.signals.wavelets.at(name));
    const double decibel = 20 * std::log10(sizes.echo / sizes.direct);
    if (!std::isfinite(decibel) || (loudest && decibel <= loudest->decibel)) continue;
    loudest = {decibel, pair.source, pair.receiver, model.faces()[sizes.loudest_face].name, {}};
    if (shots.size() > 1) loudest->shot = pair.shot->id;
  }
  return loudest;
}

std::vector<std::string> echo_notes(const RunPlan& plan, const std::optional<ExpectedEcho>& echo) {
  if (!echo || echo->decibel <= loud_echo) return {};
  const BoundaryKind kind = plan.problem.domain.boundary.kind;
  return {text("the echo of a ", boundary_name(kind), " of ", plan.problem.layer_width(),
               plan.problem.layer_width() == 1 ? " point is " : " points is ", echo_fact(plan, echo),
               "; take ", kind == BoundaryKind::cpml ? "" : option("boundary") + " cpml, ", "a greater ",
               option("pml-width"), ", or positions farther from the layer")};
}

std::string echo_fact(const RunPlan& plan, const std::optional<ExpectedEcho>& echo) {
  if (plan.injection) return "not expected of injected traces, whose sizes differ";
  if (!echo) return "none comes before the end";
  const Point3 r = echo->receiver;
  return text("expected at ", std::lround(echo->decibel), " dB of the direct wave at the receiver (", r.x,
              ", ", r.y, ", ", r.z, ") m", echo->shot ? text(" of shot ", *echo->shot) : "",
              ", most of it from the ", echo->face, " face");
}

}  // namespace minimod
