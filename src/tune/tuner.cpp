#include "src/tune/tuner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "src/base/error.hpp"
#include "src/base/progress.hpp"
#include "src/base/screen.hpp"
#include "src/base/stop_requests.hpp"
#include "src/measure/on_all_cores.hpp"

namespace minimod {

namespace {

using TuneClock = std::chrono::steady_clock;
constexpr double enough_seconds = 0.01;  // of a timed run, for clocks that tell a microsecond
constexpr double kept_every_seconds = 1;

/// What compilers and devices refuse, which is that candidate's alone.
bool is_refusal(const Error& error) {
  return error.code() == ExitCode::unavailable || error.code() == ExitCode::resource;
}

void refuse(TuneCandidate& candidate, const std::string& why) {
  candidate.state = CandidateState::refused;
  candidate.why = why;
}

CompiledFacts compiled_facts(const LaunchFacts& facts) {
  return {facts.active_blocks, facts.registers, facts.shared_bytes, facts.local_bytes, facts.occupancy};
}

}  // namespace

void Tuner::compile_one(TuneCandidate& candidate) const {
  if (const std::string why = subject_.why_not_here(candidate.name); !why.empty()) {
    return refuse(candidate, why);
  }
  const auto facts = subject_.compile(candidate.name);
  candidate.state = CandidateState::compiled;
  if (!facts) return;
  if (facts->active_blocks == 0) return refuse(candidate, "a multiprocessor does not hold one of its blocks");
  candidate.compiled = compiled_facts(*facts);
}

void Tuner::compile(const std::vector<std::size_t>& candidates) {
  std::vector<std::size_t> waiting;
  for (const std::size_t i : candidates) {
    if (record_.candidates[i].state == CandidateState::waiting) waiting.push_back(i);
  }
  if (waiting.empty()) return;
  Progress progress(static_cast<std::int64_t>(waiting.size()), 0, 0, "compiled");
  std::mutex mutex;
  std::int64_t done = 0;
  on_all_cores("minimod::compile", waiting.size(), [&](std::size_t k) {
    if (StopRequests::came()) return;
    TuneCandidate& candidate = record_.candidates[waiting[k]];
    try {
      compile_one(candidate);
    } catch (const Error& error) {
      if (!is_refusal(error)) throw;
      refuse(candidate, error.what());
    }
    const std::scoped_lock lock(mutex);
    progress.update(++done, "candidates  ");
  });
  keep_();
}

std::string Tuner::time_runs(TuneCandidate& candidate, int repeats) {
  if (std::string why = subject_.take(candidate.name); !why.empty()) return why;
  static_cast<void>(subject_.seconds_of_steps(1));
  const double enough = std::ceil(enough_seconds / subject_.seconds_of_steps(1));
  const int steps = static_cast<int>(std::clamp(enough, 1.0, static_cast<double>(record_.problem.steps)));
  std::vector<double> seconds;
  for (int run = 0; run < repeats && !StopRequests::came(); ++run) {
    seconds.push_back(subject_.seconds_of_steps(steps) / steps);
  }
  if (std::string why = subject_.why_not_measured(); !why.empty()) return why;
  if (static_cast<int>(seconds.size()) < repeats) return "";  // stopped: it is measured again
  candidate.seconds = seconds;
  candidate.state = CandidateState::measured;
  return "";
}

void Tuner::measure_one(TuneCandidate& candidate, int repeats) {
  const auto began = TuneClock::now();
  const Verdict verdict = subject_.verify(candidate.name);
  candidate.error = verdict.error;
  if (!verdict.why_not.empty()) return refuse(candidate, verdict.why_not);
  if (!verdict.is_right) {
    candidate.state = CandidateState::wrong;
  } else if (const std::string why = time_runs(candidate, repeats); !why.empty()) {
    return refuse(candidate, why);
  }
  candidate.spent_seconds = std::chrono::duration<double>(TuneClock::now() - began).count();
}

void Tuner::measure(const std::vector<std::size_t>& candidates, int repeats) {
  std::vector<std::size_t> to_do;
  for (const std::size_t i : candidates) {
    if (!record_.candidates[i].is_done()) to_do.push_back(i);
  }
  if (to_do.empty()) return;
  Progress progress(static_cast<std::int64_t>(to_do.size()), 0, 0, "measured");
  double best = 0;
  auto kept = TuneClock::now();
  for (std::size_t k = 0; k < to_do.size() && !StopRequests::came(); ++k) {
    TuneCandidate& candidate = record_.candidates[to_do[k]];
    measure_one(candidate, repeats);
    if (candidate.state == CandidateState::measured && !record_.problem.is_played())
      best = std::max(best, record_.gpt_per_s(candidate));
    // A record of hundreds of candidates takes longer to write than one of them to measure.
    if (std::chrono::duration<double>(TuneClock::now() - kept).count() > kept_every_seconds) {
      keep_();
      kept = TuneClock::now();
    }
    progress.update(static_cast<std::int64_t>(k + 1),
                    best > 0 ? text("candidates, best ", three_digits(best), " Gpt/s  ") : "candidates  ");
  }
  keep_();
}

}  // namespace minimod
