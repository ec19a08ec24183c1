#include "src/job/gradient/gradient_shots.hpp"

#include <algorithm>
#include <numeric>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/option.hpp"
#include "src/io/survey/shot_files.hpp"
#include "src/job/gradient/imaging.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/provenance.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr const char* source_name = "source_illumination";
constexpr const char* receiver_name = "receiver_illumination";

}  // namespace

HistoryOptions history_options(const std::optional<double>& memory, int every, const RunPlan& plan,
                               int shots_at_once) {
  HistoryOptions history;
  if (memory) history.memory = static_cast<std::size_t>(*memory * (std::size_t{1} << 30U));
  const int by_nyquist = steps_by_nyquist(plan.signals.max_frequency, plan.time().dt);
  if (every > plan.time().steps) {
    throw Error(
        ErrorKind::parameter,
        text(option("correlate-every"), " is ", every, ", the shot has ", plan.time().steps, " steps"),
        "give fewer, or nyquist");
  }
  history.every = every > 0 ? every : by_nyquist;
  history.illumination_every = history.every * std::max(1, by_nyquist / history.every);
  history.shots_at_once = shots_at_once;
  return history;
}

GradientShots::GradientShots(const ShotOptions& options, const GradientOptions& gradient, int parts)
    : options_(options),
      gradient_(gradient),
      plan_(make_survey_plan(options_, parts)),
      output_(first_output_of(options.output)),
      parts_(fs::path(output_).replace_extension(".shots")),
      traces_(gradient.adjoint_sources.empty() ? TracesOption{"observed", gradient.observed}
                                               : TracesOption{"adjoint-sources", gradient.adjoint_sources}) {
  require_samples(gradient.misfit.window, times());
  for (const int i : plan_.selected) files_.push_back(traces_file(traces_, plan_, plan_.shots[i].id));
  gradient_.misfit.keeps_residual = !gradient.residuals.empty();
  if (!gradient.trace_weights.empty())
    gradient_.misfit.weights = read_trace_weights(gradient.trace_weights, plan_);
  if (!gradient.residuals.empty()) residuals_.emplace(gradient.residuals, plan_);
}

HistoryOptions GradientShots::history(int shots_at_once) const {
  HistoryOptions history = history_options(gradient_.memory, gradient_.every, plan_.shared, shots_at_once);
  history.states_on = gradient_.states_on;
  history.kind = gradient_.history;
  return history;
}

Configuration GradientShots::configuration() const {
  Configuration all = shared_configuration(plan_.shared);
  all[option("correlate-every")] = history(1).every;
  if (gradient_.history != HistoryKind::automatic)
    all[option("history")] = name_in(history_names, gradient_.history);
  all[option("misfit")] = misfit_name();
  if (const std::vector<double>& weights = gradient_.misfit.weights; !weights.empty())
    all[option("trace-weights")] = hexadecimal(crc32(std::as_bytes(std::span(weights))));
  if (const auto& window = gradient_.misfit.window)
    all[option("window") + " (s)"] = text(window->first, ",", window->last, ",", window->taper);
  if (!gradient_.image) {
    all[option("by")] = name_in(gradient_by_names, gradient_.by);
    return all;
  }
  if (is_alone()) all[option("compensate")] = compensates();
  all[option("condition")] = name_in(imaging_names, gradient_.image->condition);
  all[option("keep-direct")] = gradient_.image->keeps_direct;
  return all;
}

std::string GradientShots::hash_of_part(std::size_t i, const Configuration& shared) const {
  Configuration own = with_shot(shared, shot(i));
  own[option(traces_.name)] = hexadecimal(crc32_of_file(files_[i]));
  return hash_of(own);
}

Reals GradientShots::traces(std::size_t i) const {
  return traces_of_shot(files_[i], plan_.shared, shot(i), options_.acquisition.coordinates,
                        has_adjoint_sources());
}

std::string GradientShots::misfit_name() const {
  return has_adjoint_sources() ? traces_.name : name_in(misfit_names, gradient_.misfit.kind);
}

Misfit GradientShots::misfit(const Reals& modelled, const Reals& given) const {
  if (has_adjoint_sources()) return misfit_with(given.as_doubles(), modelled);
  if (!gradient_.image) return misfit_of(modelled, given, times(), gradient_.misfit);
  return migration_of(modelled, given, times(), gradient_.misfit, gradient_.image->keeps_direct);
}

SampleTimes GradientShots::times() const {
  const TimeAxis& time = plan_.shared.time();
  return {static_cast<std::size_t>(time.samples()), time.record_dt(), time.first};
}

fs::path GradientShots::part(std::size_t i) const {
  return parts_ / shot_file_name(plan_.shot(i).id);
}

fs::path GradientShots::checkpoints(std::size_t i) const {
  return part(i).replace_extension(".checkpoint");
}

bool GradientShots::is_done(std::size_t i, const std::string& hash) const {
  if (!fs::exists(part(i)) || (residuals_ && !residuals_->is_there(plan_.shot(i).id))) return false;
  try {
    return std::get<std::string>(read_gradient(part(i), {}).metadata.front().second) == hash;
  } catch (const Error&) {  // another's or a damaged one
    return false;
  }
}

void GradientShots::write_part(std::size_t i, GradientSums sums, double misfit, const std::string& hash,
                               const std::string& date) const {
  if (is_alone()) compensate_sums(sums);
  GradientFile file = content(std::move(sums));
  file.shots = {plan_.shot(i).id};
  file.misfits = {misfit};
  file.metadata = {{configuration_attribute, hash}};
  if (is_alone()) describe_whole(file, date);
  write_gradient(file, part(i), true);
}

void GradientShots::add_part(std::size_t i, GradientSums& sums, GradientFile& file) const {
  GradientFile part_of_shot = read_gradient(part(i), {gradient_.name(), source_name, receiver_name});
  const Extent3 n = gradient_nodes(*plan_.shared.medium);
  const auto values = [&](std::size_t k) { return NodeValues{n, std::move(part_of_shot.fields[k].values)}; };
  sums.add({values(0), values(1), values(2)});
  file.shots.push_back(part_of_shot.shots.front());
  file.misfits.push_back(part_of_shot.misfits.front());
}

GradientFile GradientShots::whole(GradientSums sums, GradientFile shots, const std::string& hash) const {
  compensate_sums(sums);
  GradientFile file = content(sums.rounded_to(precision()));
  file.shots = std::move(shots.shots);
  file.misfits = std::move(shots.misfits);
  file.metadata = {{configuration_attribute, hash}};
  describe_whole(file, plan_.date);
  return file;
}

void GradientShots::compensate_sums(GradientSums& sums) const {
  if (compensates()) compensate(sums.correlation.values, sums.source_illumination.values);
}

/// Adds what the output has beyond a part.
void GradientShots::describe_whole(GradientFile& file, const std::string& date) const {
  for (auto& entry : provenance(*plan_.shared.medium, options_.command_line, date))
    file.metadata.push_back(std::move(entry));
  file.metadata.emplace_back("misfit_kind", misfit_name());
  file.metadata.emplace_back("misfit_sum", std::accumulate(file.misfits.begin(), file.misfits.end(), 0.0));
}

NodeField GradientShots::correlation(NodeValues values) const {
  const auto& image = gradient_.image;
  if (!image) {
    const bool is_by_velocity = gradient_.by == GradientBy::velocity;
    return {"gradient", is_by_velocity ? "misfit / (m/s)" : "misfit / (s2/m2)",
            text("derivative of the misfit by ", is_by_velocity ? "V" : "1/V2", " of each node"),
            std::move(values.values)};
  }
  const char* const unit = image->condition == ImagingCondition::cross ? "unit of u" : "unit of u / m2";
  return {"image", text(unit, image->compensates ? " / (unit of u / s2)2" : ""),
          text("image of reflectors, a sum over the steps",
               image->compensates ? ", over the source illumination and a hundredth of its mean" : ""),
          std::move(values.values)};
}

GradientFile GradientShots::content(GradientSums sums) const {
  GradientFile file;
  file.n = sums.correlation.n;
  file.spacing = plan_.shared.medium->spacing();
  file.is_image = gradient_.image.has_value();
  file.fields.push_back(correlation(std::move(sums.correlation)));  // a list of them would be copied
  file.fields.push_back({source_name, "(unit of u / s2)2", "sum over the steps of (d2u/dt2)2 of the shots",
                         std::move(sums.source_illumination.values)});
  file.fields.push_back({receiver_name, "1", "sum over the steps of the squared adjoint field",
                         std::move(sums.receiver_illumination.values)});
  return file;
}

}  // namespace minimod
