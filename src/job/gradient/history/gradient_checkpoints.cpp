#include "src/job/gradient/history/gradient_checkpoints.hpp"

#include <algorithm>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/notes.hpp"
#include "src/job/shot/shot_checkpoints.hpp"
#include "src/solver/fields/checkpoint.hpp"

namespace minimod {

namespace {

constexpr std::size_t values_of_piece = std::size_t{1} << 24;

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

/// Calls visit(first, values) for each piece of an array, with room for its values.
template <class Visit>
void for_each_piece(const FieldPart& part, const Visit& visit) {
  for (std::size_t first = 0; first < part.size; first += values_of_piece) {
    Reals values(part.at.precision, std::min(values_of_piece, part.size - first));
    visit(first, values);
  }
}

}  // namespace

GradientCheckpoints::GradientCheckpoints(const std::filesystem::path& base, std::string identity,
                                         double every)
    : files_(base), identity_(std::move(identity)), every_(every) {
  const hdf5::LibraryLock held;
  tell(files_.look(is_gradient_head));
  for (Checkpoint& one : files_.both()) {
    if (!one.head.is_null() && one.head["gradient"].get<std::string>() != identity_) one.head = nullptr;
  }
  files_.remove_uncounted();
}

int GradientCheckpoints::steps_done() const {
  const Checkpoint* const found = files_.newest();
  return found == nullptr ? 0 : found->head["step"].get<int>();
}

Misfit GradientCheckpoints::misfit(std::size_t samples) const {
  const hdf5::LibraryLock held;
  const Checkpoint& found = *files_.newest();
  const std::size_t residuals = found.head["residuals"].get<std::size_t>();
  Reals values(Precision::float64, 1 + samples + residuals);
  CheckpointReader(found.file).read_piece({"misfit", values.size()}, 0, values);
  const std::vector<double>& all = values.of<double>();
  const auto derivative = all.begin() + 1, residual = derivative + static_cast<std::ptrdiff_t>(samples);
  return {all.front(), {derivative, residual}, {residual, all.end()}};
}

void GradientCheckpoints::restore(Propagator& adjoint, const std::vector<FieldPart>& sums,
                                  Backend& backend) const {
  const hdf5::LibraryLock held;
  const CheckpointReader reader(files_.newest()->file);
  put_back(
      steps_done(), false,
      [&](const FieldPart& part, std::size_t first, Reals& values) {
        reader.read_piece(array_of(part), first, values);
      },
      adjoint);
  for (const FieldPart& part : sums) {
    for_each_piece(part, [&](std::size_t first, Reals& values) {
      reader.read_piece(array_of(part), first, values);
      backend.upload((part.at + static_cast<std::ptrdiff_t>(first)).data, values.data(), values.bytes());
    });
  }
}

bool GradientCheckpoints::is_due() const {
  return every_ > 0 && std::chrono::duration<double>(Clock::now() - last_).count() >= every_;
}

void GradientCheckpoints::save(const Propagator& adjoint, const std::vector<FieldPart>& sums,
                               Backend& backend, const Misfit& misfit) {
  const hdf5::LibraryLock held;
  const Reals of_misfit = values_of(misfit);
  std::size_t bytes = state_bytes(adjoint) + of_misfit.bytes();
  for (const FieldPart& part : sums) bytes += part.bytes();
  const Json head{
      {"step", adjoint.steps_done()}, {"gradient", identity_}, {"residuals", misfit.residual.size()}};
  NewCheckpoint checkpoint(files_.room_for(bytes), head);
  CheckpointWriter& arrays = checkpoint.arrays();
  arrays.write_piece({"misfit", of_misfit.size()}, 0, of_misfit);
  read_state(adjoint, [&](const FieldPart& part, std::size_t first, const Reals& values) {
    arrays.write_piece(array_of(part), first, values);
  });
  for (const FieldPart& part : sums) {
    for_each_piece(part, [&](std::size_t first, Reals& values) {
      backend.download(values.raw().data(), (part.at + static_cast<std::ptrdiff_t>(first)).data,
                       values.bytes());
      arrays.write_piece(array_of(part), first, values);
    });
  }
  checkpoint.publish();
  begin_to_count();
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
