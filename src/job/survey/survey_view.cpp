#include "src/job/survey/survey_view.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <tuple>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/job/outputs/model_sections.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/outputs/run_facts.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/shot/modeled_shot.hpp"

namespace minimod {
namespace {

std::string bytes_text(double bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); bytes /= 1024) ++unit;
  return text(bytes, ' ', units[unit]);
}

std::string duration_text(double seconds) {
  if (seconds < 120) return text(seconds, " s");
  return seconds < 7200 ? text(seconds / 60, " min") : text(seconds / 3600, " h");
}

/// "5" or "5 to 9".
template <class Number>
std::string range_text(Number least, Number greatest) {
  return least == greatest ? text(least) : text(least, " to ", greatest);
}

/// Positions that are told, each once.
class Positions {
 public:
  void add(Point3 p) { all_.insert({p.x, p.y, p.z}); }
  [[nodiscard]] std::vector<Point3> list() const {
    std::vector<Point3> points;
    for (const auto& [x, y, z] : all_) points.push_back({x, y, z});
    return points;
  }
  [[nodiscard]] std::string ranges() const {
    std::string ranges;
    const std::vector<Point3> points = list();
    for (const auto& [letter, axis] :
         {std::pair{"x ", &Point3::x}, {", y ", &Point3::y}, {", z ", &Point3::z}}) {
      const auto [least, greatest] = std::ranges::minmax(points, {}, axis);
      ranges += letter + range_text(least.*axis, greatest.*axis);
    }
    return ranges + " m";
  }

 private:
  std::set<std::tuple<double, double, double>> all_;
};

/// The selected shots together.
struct Overview {
  explicit Overview(const SurveyPlan& survey) {
    for (std::size_t i = 0; i < survey.selected.size(); ++i) {
      const ShotGeometry& shot = survey.shot(i);
      for (const ShotSource& source : shot.sources) sources.add(source.position);
      for (const Point3& receiver : shot.receivers) receivers.add(receiver);
      least_sources = std::min(least_sources, shot.sources.size());
      most_sources = std::max(most_sources, shot.sources.size());
      least_receivers = std::min(least_receivers, shot.receivers.size());
      most_receivers = std::max(most_receivers, shot.receivers.size());
      const auto bytes = static_cast<double>(survey.shared.problem.trace_bytes(shot.receivers.size()));
      trace_bytes += bytes;
      most_trace_bytes = std::max(most_trace_bytes, bytes);
    }
  }

  Positions sources, receivers;
  std::size_t least_sources = SIZE_MAX, most_sources = 0, least_receivers = SIZE_MAX, most_receivers = 0;
  double trace_bytes = 0, most_trace_bytes = 0;
};

/// Gpt/s of some steps of the shot that is placed.
double measured_rate(const SurveyPlan& survey, const DeviceChoice& choice, int& measured) {
  constexpr double points_of_a_look = 1e8;
  constexpr int warm_up = 2;
  Problem look = survey.shared.problem;
  const auto points = static_cast<double>(look.grid().n.points());
  measured = static_cast<int>(std::clamp(points_of_a_look / points, 10., 200.));
  look.time.steps = std::min(look.time.steps, measured + warm_up);
  const int before = std::min(warm_up, look.time.steps - 1);
  measured = look.time.steps - before;
  ShotRunner runner(look, survey.shared.medium, choice);
  return runner.run(survey.first, {{}, {}, [](int) {}, nullptr, 0, before}).result.gpt_per_s;
}

/// Bytes that the device needs, or nothing where they are not free and must be.
std::size_t check_device_memory(const SurveyPlan& survey, const DeviceChoice& choice, bool must_fit) {
  const std::size_t needed =
      bytes_needed(*choice.backend, survey.shared.problem.part(), choice.kernels, survey.largest);
  const std::size_t free = choice.backend->free_bytes();
  if (must_fit && needed > free) {
    throw Error(ErrorKind::resource,
                text("a shot needs ", bytes_text(static_cast<double>(needed)), ", ",
                     bytes_text(static_cast<double>(free)), " are free on ", choice.device.name),
                text("give the rate of another device as ", option("rate"),
                     " to see the rest, or take a smaller model"));
  }
  return needed;
}

void print_survey(const SurveyPlan& survey, const Overview& all, bool receivers_move) {
  const RunPlan& plan = survey.shared;
  const ShotGeometry &first = survey.shot(0), &last = survey.shot(survey.selected.size() - 1);
  print_fact("shots", text(survey.selected.size(), " of ", survey.shots.size(), ", numbers ",
                           range_text(first.id, last.id)));
  print_fact("sources",
             text(range_text(all.least_sources, all.most_sources), " a shot, in ", all.sources.ranges()));
  print_fact("receivers", text(range_text(all.least_receivers, all.most_receivers), " a shot, in ",
                               all.receivers.ranges(), receivers_move ? ", moving with the source" : ""));
  const Extent3 n = plan.grid().n;
  print_fact("grid", text(n.x, " x ", n.y, " x ", n.z, " points, ", plan.problem.layer_width(),
                          " of them layer on a face"));
  print_fact("boundary", text(boundary_name(plan.problem.domain.boundary.kind),
                              survey.layer_rule.empty() ? "" : "; " + survey.layer_rule));
  const TimeAxis& time = plan.time();
  print_fact("time",
             text(time.steps, " steps of ", time.dt * 1e3, " ms, ", time_span_fact(time), "; ",
                  time.samples(), " samples every ", time.record_dt() * 1e3, " ms; ", dispersion_fact(time)));
}

}  // namespace

void show_survey(const ShotOptions& options, std::optional<double> rate) {
  check_kernels(options.kernels);
  const SurveyPlan survey = make_survey_plan(options);
  const RunPlan& plan = survey.shared;
  const DeviceChoice choice = choose_device(options.kernels, plan.problem.part(), survey.largest);
  const std::size_t device_bytes = check_device_memory(survey, choice, !rate);
  tell(choice.notes);
  tell(plan.notes);
  tell(survey.arrivals);
  tell(echo_notes(plan, survey.echo));
  const Overview all(survey);
  print_survey(survey, all, options.acquisition.receivers_move);
  print_fact("device",
             text(bytes_text(static_cast<double>(device_bytes)), " on ", choice.device.name, ", of which ",
                  bytes_text(static_cast<double>(choice.backend->free_bytes())), " are free"));
  print_fact("disk", text("traces of ", bytes_text(all.trace_bytes), ", ", bytes_text(all.most_trace_bytes),
                          " a shot at most, before compression"));
  int measured = 0;
  const double gpt_per_s = rate ? *rate : measured_rate(survey, choice, measured);
  const double seconds = static_cast<double>(plan.grid().n.points()) * plan.time().steps / (gpt_per_s * 1e9);
  const auto shots = static_cast<double>(survey.selected.size());
  print_fact("kernels",
             text(duration_text(seconds), " a shot, ", duration_text(seconds * shots),
                  " in all on one device, at ", gpt_per_s, " Gpt/s, ",
                  rate ? text("as ", option("rate"), " says")
                       : text("measured now with ", measured, " steps of ", choice.kernels.inner->name)));
}

void write_model_sections(const ShotOptions& options) {
  const SurveyPlan survey = make_survey_plan(options);
  const ShotOutputs outputs(options);
  outputs.check([&](const auto&) { return options.output.force; });
  const SampledMedium& medium = *survey.shared.medium;
  ShotGather sections = make_sections_file(survey.shared, survey.first,
                                           take_sections(medium, survey.first.sources.front().node),
                                           options.acquisition.coordinates);
  if (!options.acquisition.sources.empty()) {
    const Overview all(survey);
    sections.sources = sections.requested_sources = all.sources.list();
    sections.receivers = sections.requested_receivers = all.receivers.list();
    sections.metadata.emplace_back("shots", static_cast<std::int64_t>(survey.selected.size()));
  }
  write_sections(sections, outputs.first(), options.output.force);
  std::cout << "sections " << outputs.first().string() << '\n';
}

}  // namespace minimod
