#include "src/tune/ranking.hpp"

#include <algorithm>
#include <cmath>

namespace minimod {

std::vector<Ranked> ranked_by_model(const TuneRecord& record, ModelForm form) {
  std::vector<Ranked> ranked;
  if (!record.gpu) return ranked;
  for (std::size_t i = 0; i < record.candidates.size(); ++i) {
    const TuneCandidate& candidate = record.candidates[i];
    if (!candidate.compiled || candidate.state == CandidateState::refused) continue;
    const BlockWork work = record.problem.work_of(candidate.name, record.gpu->warp_threads);
    const double seconds =
        predicted_seconds(form, *record.gpu, work, *candidate.compiled, bytes_of(record.problem.precision));
    ranked.push_back({i, 1e-9 * static_cast<double>(record.problem.grid.points()) / seconds});
  }
  std::ranges::stable_sort(ranked, std::greater(), &Ranked::gpt_per_s);
  return ranked;
}

const TuneCandidate* best_of(const TuneRecord& record) {
  const TuneCandidate* best = nullptr;
  if (record.problem.is_emulated()) return best;
  for (const TuneCandidate& candidate : record.candidates) {
    if (candidate.state != CandidateState::measured) continue;
    if (best == nullptr || record.merit(candidate) > record.merit(*best)) best = &candidate;
  }
  return best;
}

std::size_t count_within(double percent, std::size_t count) {
  const double exact = percent / 100 * static_cast<double>(count);
  constexpr double rounding = 1e-9;  // 5 % of 100 are 5
  return std::min(count, static_cast<std::size_t>(std::max(1.0, std::ceil(exact - rounding))));
}

std::optional<ModelVerdict> judge(const TuneRecord& record, ModelForm form, double percent) {
  std::vector<Ranked> ranked = ranked_by_model(record, form);
  const auto state_of = [&](const Ranked& r) { return record.candidates[r.candidate].state; };
  std::erase_if(ranked, [&](const Ranked& r) { return state_of(r) == CandidateState::wrong; });
  const auto is_measured = [&](const Ranked& r) { return state_of(r) == CandidateState::measured; };
  if (ranked.empty() || !std::ranges::all_of(ranked, is_measured)) return std::nullopt;
  ModelVerdict verdict;
  verdict.ranked = ranked.size();
  verdict.taken = count_within(percent, ranked.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const TuneCandidate& candidate = record.candidates[ranked[i].candidate];
    const double rate = record.gpt_per_s(candidate);
    verdict.all_seconds += candidate.spent_seconds;
    if (rate > verdict.best_gpt_per_s) {
      verdict.best = candidate.name;
      verdict.best_gpt_per_s = rate;
      verdict.rank_of_best = i + 1;
    }
    if (i >= verdict.taken) continue;
    verdict.taken_seconds += candidate.spent_seconds;
    if (rate > verdict.choice_gpt_per_s) {
      verdict.choice = candidate.name;
      verdict.choice_gpt_per_s = rate;
    }
  }
  verdict.loss = 1 - verdict.choice_gpt_per_s / verdict.best_gpt_per_s;
  return verdict;
}

}  // namespace minimod
