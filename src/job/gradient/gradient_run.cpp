#include "src/job/gradient/gradient_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/files/output_claims.hpp"
#include "src/base/notes.hpp"
#include "src/base/option.hpp"
#include "src/base/process/stop_requests.hpp"
#include "src/io/gradient/gradient_file.hpp"
#include "src/io/survey/shot_files.hpp"
#include "src/job/gradient/imaging.hpp"
#include "src/job/gradient/observed_traces.hpp"
#include "src/job/gradient/residual_files.hpp"
#include "src/job/gradient/shot_gradient.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/provenance.hpp"
#include "src/job/outputs/record.hpp"
#include "src/job/outputs/run_facts.hpp"
#include "src/job/shot/configuration.hpp"
#include "src/job/shot/memory_check.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr const char* source_name = "source_illumination";
constexpr const char* receiver_name = "receiver_illumination";

const char* name_of(const GradientOptions& gradient) {
  return gradient.image ? "image" : "gradient";
}

/// Observed traces with a misfit, or its derivative.
void check_traces(const GradientOptions& gradient) {
  if (gradient.adjoint_sources.empty()) {
    if (!gradient.observed.empty()) return;
    throw Error(ErrorKind::parameter, text(option("observed"), " is missing"),
                "give the observed gather, or the folder of a survey");
  }
  const auto refuse_beside = [](bool is_given, const char* name) {
    if (!is_given) return;
    throw Error(ErrorKind::parameter,
                text(option(name), " and ", option("adjoint-sources"), " are both given"),
                "give one of them");
  };
  refuse_beside(!gradient.observed.empty(), "observed");
  refuse_beside(gradient.misfit.kind != MisfitKind::l2, "misfit");
  refuse_beside(gradient.misfit.window.has_value(), "window");
  refuse_beside(!gradient.trace_weights.empty(), "trace-weights");
  refuse_beside(!gradient.residuals.empty(), "write-residuals");
}

void check_options(const ShotOptions& options, const GradientOptions& gradient) {
  check_traces(gradient);
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    const std::string whose = text(gradient.image ? "an " : "a ", name_of(gradient));
    throw Error(ErrorKind::parameter, text(what, ", which ", whose, " does not have"), remedy);
  };
  if (options.kernels.equation != Equation::wave)
    refuse(text(option("equation"), " is ", equation_name(options.kernels.equation)), "take wave");
  if (!options.acquisition.inject.empty()) refuse(option("inject") + " is given", "give a wavelet");
  if (options.snapshots.wanted()) refuse(option("snapshot-every") + " is given", "leave it out");
  if (options.ranks.count.value_or(1) > 1 || options.work.ranks() > 1)
    refuse("the domain is cut among ranks", "take one");
  if (options.work.workers.value_or(1) > 1 || options.work.share)
    refuse("several workers are asked for", "give each its shots by " + option("shots"));
}

NodeField field(const char* name, const char* units, const char* description, const NodeValues& values) {
  return {name, units, description, values.values};
}

class GradientJob {
 public:
  GradientJob(const ShotOptions& options, const GradientOptions& gradient)
      : options_(options),
        gradient_(gradient),
        plan_(make_survey_plan(options_)),
        output_(first_output_of(options.output)),
        parts_(fs::path(output_).replace_extension(".shots")),
        folder_(parts_),
        name_(name_of(gradient)),
        traces_(gradient.adjoint_sources.empty()
                    ? TracesOption{"observed", gradient.observed}
                    : TracesOption{"adjoint-sources", gradient.adjoint_sources}) {
    claims_.add(output_, gradient_kind, options.output.force);
    for (const int i : plan_.selected) files_.push_back(traces_file(traces_, plan_, plan_.shots[i].id));
    gradient_.misfit.keeps_residual = !gradient.residuals.empty();
    if (!gradient.trace_weights.empty())
      gradient_.misfit.weights = read_trace_weights(gradient.trace_weights, plan_);
    if (!gradient.residuals.empty()) residuals_.emplace(gradient.residuals, plan_);
  }

  void run() {
    const RunPlan& shared = plan_.shared;
    const DeviceChoice choice = choose_device(options_.kernels, shared.problem.domain, plan_.largest);
    const std::size_t bytes = check_memory(shared.problem, plan_, choice);
    configuration_ = shared_configuration(shared);
    add_kernels(configuration_, choice.kernels);
    add_misfit();
    add_image();
    tell(choice.notes);
    tell(shared.notes);
    print_facts(plan_, choice, bytes);
    print_resampled();
    StopRequests::note();
    const HistoryOptions history = history_options(gradient_.memory, gradient_.every, shared);
    configuration_[option("correlate-every")] = history.every;
    GradientRunner runner(shared.problem, shared.medium, choice, history, condition());
    print_adjoint(runner.adjoint_kernels());
    print_reversal(runner.reversal());
    check_residuals();
    for (std::size_t i = 0; i < files_.size(); ++i) compute(runner, choice, i);
    write_sum();
  }

 private:
  void add_misfit() {
    configuration_[option("misfit")] = misfit_name();
    if (const std::vector<double>& weights = gradient_.misfit.weights; !weights.empty())
      configuration_[option("trace-weights")] = hexadecimal(crc32(std::as_bytes(std::span(weights))));
    if (!gradient_.misfit.window) return;
    const TimeWindow& window = *gradient_.misfit.window;
    configuration_[option("window") + " (s)"] = text(window.first, ",", window.last, ",", window.taper);
  }

  void add_image() {
    if (!gradient_.image) return;
    configuration_[option("condition")] = name_in(imaging_names, gradient_.image->condition);
    configuration_[option("keep-direct")] = gradient_.image->keeps_direct;
  }

  [[nodiscard]] std::optional<ImagingCondition> condition() const {
    if (!gradient_.image) return {};
    return gradient_.image->condition;
  }
  [[nodiscard]] bool has_adjoint_sources() const { return !gradient_.adjoint_sources.empty(); }
  [[nodiscard]] std::string misfit_name() const {
    return has_adjoint_sources() ? traces_.name : name_in(misfit_names, gradient_.misfit.kind);
  }

  void print_reversal(const Reversal& reversal) const {
    const int steps = plan_.shared.time().steps, every = reversal.every;
    const std::string which = every == 1 ? "" : text(", of each ", every, " steps one for all");
    print_fact("drives", (reversal.steps_computed == steps
                              ? text("kept of all ", steps, " steps")
                              : text(reversal.drives, " at once, and ", reversal.states,
                                     " states; the shot is computed ",
                                     static_cast<double>(reversal.steps_computed) / steps, " times")) +
                             which);
  }

  static void print_adjoint(const KernelSet& kernels) {
    print_fact("adjoint", text(kernels.inner->name, "; schedule ", kernels.schedule->name()));
  }

  void print_resampled() const {
    const SampledMedium& medium = *plan_.shared.medium;
    const bool has_the_files_nodes = medium.model().from_file && medium.band_spacing() == 0;
    print_fact(name_,
               text(gradient_.image ? name_in(imaging_names, gradient_.image->condition)
                    : gradient_.by == GradientBy::velocity ? "by V"
                                                           : "by 1/V^2",
                    gradient_.image && gradient_.image->compensates ? ", over the source illumination," : "",
                    has_the_files_nodes ? " of the model's nodes that the run has"
                                        : " of the run's nodes, of which the model is resampled"));
  }

  [[nodiscard]] fs::path part_of(int shot) const { return parts_ / shot_file_name(shot); }

  /// The configuration of a shot's part.
  [[nodiscard]] std::string hash_of_part(const Shot& shot, const fs::path& observed) const {
    Configuration own = with_shot(configuration_, shot);
    own[option(traces_.name)] = hexadecimal(crc32_of_file(observed));
    return hash_of(own);
  }

  [[nodiscard]] static bool is_there(const fs::path& part, const std::string& hash) {
    if (!fs::exists(part)) return false;
    try {
      const GradientFile there = read_gradient(part, {});
      return std::get<std::string>(there.metadata.front().second) == hash;
    } catch (const Error&) {  // writing over it is refused
      return false;
    }
  }

  /// Whether the shot needs not be computed.
  [[nodiscard]] bool is_done(const Shot& shot, const std::string& hash) const {
    return is_there(part_of(shot.number), hash) && (!residuals_ || residuals_->is_there(shot.number));
  }

  /// Files of shots that are to be computed must not be there, unless they may be replaced.
  void check_residuals() const {
    for (std::size_t i = 0; residuals_ && i < files_.size(); ++i) {
      const Shot shot = place_shot(plan_.shared, plan_.shot(i));
      if (!is_done(shot, hash_of_part(shot, files_[i])))
        residuals_->check(shot.number, options_.output.force);
    }
  }

  void compute(GradientRunner& runner, const DeviceChoice& choice, std::size_t i) {
    const RunPlan& shared = plan_.shared;
    const Shot shot = place_shot(shared, plan_.shot(i));
    const fs::path part = part_of(shot.number);
    const std::string hash = hash_of_part(shot, files_[i]);
    if (is_done(shot, hash)) {
      std::cout << "shot " << shot.number << ": its " << name_ << " is there" << std::endl;
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    const Reals given =
        traces_of_shot(files_[i], shared, shot, options_.acquisition.coordinates, has_adjoint_sources());
    const ShotGradient done =
        runner.run(shot, {}, [&](const Reals& traces) { return misfit(traces, given); });
    write_part(part, shot, done, hash);
    if (residuals_) {
      ShotGather gather = make_gather(shared, shot, {plan_.date, hash}, choice);
      gather.metadata.emplace_back("residuals_of", misfit_name());
      residuals_->write(std::move(gather), shot.number, done.misfit.residual, shared.grid().precision);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::cout << "shot " << shot.number << ": misfit " << done.misfit.value << ", " << seconds
              << " s, of which the shot " << done.modeled.result.seconds << " and its transpose "
              << done.sums.seconds << std::endl;
  }

  /// Misfit of a shot, whose derivative is what the receivers feed.
  [[nodiscard]] Misfit misfit(const Reals& modelled, const Reals& given) const {
    if (has_adjoint_sources()) return misfit_with(given.as_doubles(), modelled);
    const TimeAxis& time = plan_.shared.time();
    const SampleTimes times{static_cast<std::size_t>(time.samples()), time.record_dt(), time.first};
    if (!gradient_.image) return misfit_of(modelled, given, times, gradient_.misfit);
    return migration_of(modelled, given, times, gradient_.misfit, gradient_.image->keeps_direct);
  }

  void write_part(const fs::path& part, const Shot& shot, const ShotGradient& done,
                  const std::string& hash) const {
    GradientFile file = content(done.sums);
    file.shots = {shot.number};
    file.misfits = {done.misfit.value};
    file.metadata = {{configuration_attribute, hash}};
    write_gradient(file, part, true);
  }

  [[nodiscard]] NodeField correlation(const NodeValues& values) const {
    if (!gradient_.image)
      return field(name_, "misfit / (m/s)", "derivative of the misfit by V of each node", values);
    const bool is_cross = gradient_.image->condition == ImagingCondition::cross;
    return field(name_, is_cross ? "unit of u" : "unit of u / m2",
                 "image of reflectors, a sum over the steps", values);
  }

  [[nodiscard]] GradientFile content(const GradientSums& sums) const {
    return {sums.correlation.n,
            plan_.shared.medium->spacing(),
            {correlation(sums.correlation),
             field(source_name, "(unit of u / s2)2", "sum over the steps of (d2u/dt2)2 of the shots",
                   sums.source_illumination),
             field(receiver_name, "1", "sum over the steps of the squared adjoint field",
                   sums.receiver_illumination)},
            {},
            {},
            {}};
  }

  /// A derivative by V becomes that by m = 1/V², of which V is m^(−1/2).
  void derive_by_squared_slowness(NodeField& by_velocity) const {
    const SampledMedium& medium = *plan_.shared.medium;
    Box3 own = medium.inner();
    own.end.y = own.begin.y + nodes().y;
    const std::vector<float> v = medium.values(own);
    for (std::size_t i = 0; i < v.size(); ++i) by_velocity.values[i] *= -std::pow(double{v[i]}, 3) / 2;
    by_velocity.units = "misfit / (s2/m2)";
    by_velocity.description = "derivative of the misfit by 1/V2 of each node";
  }

  /// In the order of the shots, whenever each was computed.
  void write_sum() {
    GradientSums sums;
    std::vector<std::int64_t> shots;
    std::vector<double> misfits;
    double misfit = 0;
    const Extent3 n = nodes();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      GradientFile part = read_gradient(part_of(plan_.shot(i).id), {name_, source_name, receiver_name});
      const auto values = [&](std::size_t k) { return NodeValues{n, std::move(part.fields[k].values)}; };
      sums.add({values(0), values(1), values(2)});
      shots.push_back(part.shots.front());
      misfits.push_back(part.misfits.front());
      misfit += misfits.back();
    }
    GradientFile file = content(sums);
    if (gradient_.by == GradientBy::squared_slowness) derive_by_squared_slowness(file.fields.front());
    if (gradient_.image && gradient_.image->compensates) {
      compensate(file.fields[0].values, file.fields[1].values);
      file.fields[0].units += " / (unit of u / s2)2";
      file.fields[0].description += ", over the source illumination and a hundredth of its mean";
    }
    file.shots = std::move(shots);
    file.misfits = std::move(misfits);
    file.metadata = provenance(*plan_.shared.medium, options_.command_line, plan_.date);
    file.metadata.emplace_back(configuration_attribute, hash_of(configuration_));
    file.metadata.emplace_back("misfit_kind", misfit_name());
    file.metadata.emplace_back("misfit_sum", misfit);
    write_gradient(file, output_, options_.output.force);
    for (const std::int64_t shot : file.shots) fs::remove(part_of(static_cast<int>(shot)));
    std::cout << "misfit " << misfit << " of " << files_.size() << (files_.size() == 1 ? " shot" : " shots")
              << "\n"
              << name_ << ' ' << output_.string() << '\n';
  }

  [[nodiscard]] Extent3 nodes() const { return gradient_nodes(*plan_.shared.medium); }

  const ShotOptions options_;
  GradientOptions gradient_;
  const SurveyPlan plan_;
  fs::path output_, parts_;
  OutputFolder folder_;  ///< folder of the parts; goes when it is empty
  const char* name_;     ///< name of what the file has
  OutputClaims claims_;
  TracesOption traces_;
  std::vector<fs::path> files_;             ///< traces of the selected shots
  std::optional<ResidualFiles> residuals_;  ///< nothing: they are not written
  Configuration configuration_;
};

}  // namespace

HistoryOptions history_options(const std::optional<double>& memory, int every, const RunPlan& plan) {
  HistoryOptions history;
  if (memory) history.memory = static_cast<std::size_t>(*memory * (std::size_t{1} << 30U));
  const int by_nyquist = steps_by_nyquist(plan.signals.max_frequency, plan.time().dt);
  history.every = every > 0 ? every : by_nyquist;
  history.illumination_every = history.every * std::max(1, by_nyquist / history.every);
  return history;
}

void run_gradient(const ShotOptions& options, const GradientOptions& gradient) {
  check_options(options, gradient);
  check_kernels(options.kernels);
  GradientJob(options, gradient).run();
}

}  // namespace minimod
