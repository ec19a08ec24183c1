#include "src/job/gradient/history/gradient_checkpoints.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/notes.hpp"
#include "src/job/shot/shot_checkpoints.hpp"
#include "src/ranks/state_pieces.hpp"
#include "src/solver/fields/checkpoint.hpp"

namespace minimod {

namespace {

bool is_gradient_head(const Json& head) {
  return head["gradient"].is_string() && is_count(head, "residuals");
}

/// Values of the misfit, then of its derivative, then of the residual, which may be none.
std::vector<double> values_of(const Misfit& misfit) {
  std::vector<double> values{misfit.value};
  values.insert(values.end(), misfit.derivative.begin(), misfit.derivative.end());
  values.insert(values.end(), misfit.residual.begin(), misfit.residual.end());
  return values;
}

/// Parts that the ranks have one behind the other.
std::vector<StatePart> of_all(const std::vector<FieldPart>& mine, Ranks& ranks) {
  std::vector<StatePart> parts;
  for (const FieldPart& part : mine) {
    StatePart& whole = parts.emplace_back(StatePart{part.name, part.at.precision, 0, {}});
    for (const std::size_t size : ranks.gather(part.size)) {
      whole.runs.push_back({static_cast<int>(whole.runs.size()), 0, whole.size, size});
      whole.size += size;
    }
  }
  return parts;
}

/// Where values of a part are, from number `first` on.
void* memory_of(const std::vector<FieldPart>& parts, const std::string& name, std::size_t first) {
  return (std::ranges::find(parts, name, &FieldPart::name)->at + static_cast<std::ptrdiff_t>(first)).data;
}

}  // namespace

GradientCheckpoints::GradientCheckpoints(const std::filesystem::path& base, std::string identity,
                                         double every, Ranks& ranks)
    : files_(base), identity_(std::move(identity)), every_(every), ranks_(ranks) {
  ranks_.on_first([&] { look(); });
  steps_done_ = ranks_.from_first(steps_done_);
}

void GradientCheckpoints::look() {
  const hdf5::LibraryLock held;
  tell(files_.look(is_gradient_head));
  for (Checkpoint& one : files_.both()) {
    if (!one.head.is_null() && one.head["gradient"].get<std::string>() != identity_) one.head = nullptr;
  }
  files_.remove_uncounted();
  if (const Checkpoint* const found = files_.newest()) steps_done_ = found->head["step"].get<int>();
}

Misfit GradientCheckpoints::misfit(std::size_t samples) const {
  const hdf5::LibraryLock held;
  const Checkpoint& found = *files_.newest();
  const std::size_t residuals = found.head["residuals"].get<std::size_t>();
  Reals values(Precision::float64, 1 + samples + residuals);
  CheckpointReader(found.file).read_piece({"misfit", values.size()}, 0, values);
  const Reals::Values<double>& all = values.of<double>();
  const auto derivative = all.begin() + 1, residual = derivative + static_cast<std::ptrdiff_t>(samples);
  return {all[0], {derivative, residual}, {residual, all.end()}};
}

void GradientCheckpoints::restore(Propagator& adjoint, const std::vector<FieldPart>& sums,
                                  Backend& backend) const {
  const hdf5::LibraryLock held;
  std::optional<CheckpointReader> reader;  // the first rank's
  ranks_.on_first([&] { reader.emplace(files_.newest()->file); });
  const auto read = [&](const FieldPart& part, std::size_t first, Reals& values) {
    reader->read_piece(array_of(part), first, values);
  };
  put_back(steps_done_, false, read, adjoint);
  const auto put = [&](const std::string& name, std::size_t first, const Reals& values) {
    backend.upload(memory_of(sums, name, first), values.data(), values.bytes());
  };
  distribute_from_first(ranks_, of_all(sums, ranks_), put, read);
}

bool GradientCheckpoints::is_due() const {
  if (every_ == 0) return false;
  return ranks_.from_first(since_last_.seconds() >= every_);
}

void GradientCheckpoints::save(const Propagator& adjoint, const std::vector<FieldPart>& sums,
                               Backend& backend, const Misfit& misfit) {
  const hdf5::LibraryLock held;
  const Reals of_misfit = values_of(misfit);  // the first rank's
  const std::vector<StatePart> of_sums = of_all(sums, ranks_);
  const std::size_t bytes = state_bytes(adjoint) + of_misfit.bytes() + bytes_of(of_sums);
  std::optional<NewCheckpoint> checkpoint;
  ranks_.on_first([&] {
    const Json head{
        {"step", adjoint.steps_done()}, {"gradient", identity_}, {"residuals", misfit.residual.size()}};
    checkpoint.emplace(files_.room_for(bytes), head);
    checkpoint->arrays().write_piece({"misfit", of_misfit.size()}, 0, of_misfit);
  });
  const auto write = [&](const FieldPart& part, std::size_t first, const Reals& values) {
    checkpoint->arrays().write_piece(array_of(part), first, values);
  };
  read_state(adjoint, write);
  const auto take = [&](const std::string& name, std::size_t first, Reals& values) {
    backend.download(values.at().data, memory_of(sums, name, first), values.bytes());
  };
  collect_on_first(ranks_, of_sums, take, write);
  ranks_.on_first([&] { checkpoint->publish(); });
  steps_done_ = adjoint.steps_done();
  begin_to_count();
}

void GradientCheckpoints::remove() {
  ranks_.on_first([&] { files_.remove(); });
}

void GradientCheckpoints::save_or_tell(const Propagator& adjoint, const std::vector<FieldPart>& sums,
                                       Backend& backend, const Misfit& misfit) {
  try {
    save(adjoint, sums, backend, misfit);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::data || error.kind() == ErrorKind::resource) throw;
    tell(text("no checkpoint behind ", adjoint.steps_done(), " steps of the transpose: ", error.what()));
    begin_to_count();
  }
}

}  // namespace minimod
