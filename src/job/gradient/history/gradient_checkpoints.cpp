#include "src/job/gradient/history/gradient_checkpoints.hpp"

#include <algorithm>
#include <optional>
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

/// Calls visit(rank, first, here, values) for each piece of an array that the ranks have one behind the
/// other, with room for its values, on the rank that has it and on the first one: `first` counts from the
/// beginning of all, `here` from that of the rank's.
template <class Visit>
void for_each_piece(const FieldPart& part, const DomainCut& cut, const Visit& visit) {
  std::size_t begin = 0;
  int rank = 0;
  for (const std::size_t size : cut.gather(part.size)) {
    const bool is_here = rank == cut.number() || cut.is_first();
    for (std::size_t done = 0; done < size && is_here; done += values_of_piece) {
      Reals values(part.at.precision, std::min(values_of_piece, size - done));
      visit(rank, begin + done, static_cast<std::ptrdiff_t>(done), values);
    }
    begin += size;
    ++rank;
  }
}

/// Hands all of an array to the first rank's sink; the others' failures are none of theirs.
template <class Sink>
void collect(const FieldPart& part, const DomainCut& cut, Backend& backend, const Sink& sink) {
  std::optional<Error> failure;
  for_each_piece(part, cut, [&](int rank, std::size_t first, std::ptrdiff_t here, Reals& values) {
    if (rank != cut.number()) {
      cut.ranks->receive(rank, values.raw());
    } else {
      backend.download(values.raw().data(), (part.at + here).data, values.bytes());
    }
    if (!cut.is_first()) return cut.ranks->send(0, values.raw());
    try {
      if (!failure) sink(first, values);
    } catch (const Error& error) {
      failure = error;
    }
  });
  cut.on_first([&] {
    if (failure) throw Error(*failure);
  });
}

/// Has each rank get its part of an array from the first one's source.
template <class Source>
void distribute(const FieldPart& part, const DomainCut& cut, Backend& backend, const Source& source) {
  std::optional<Error> failure;
  for_each_piece(part, cut, [&](int rank, std::size_t first, std::ptrdiff_t here, Reals& values) {
    try {
      if (cut.is_first() && !failure) source(first, values);
    } catch (const Error& error) {
      failure = error;
    }
    if (!cut.is_first()) cut.ranks->receive(0, values.raw());
    if (rank != cut.number()) return cut.ranks->send(rank, values.raw());
    backend.upload((part.at + here).data, values.data(), values.bytes());
  });
  cut.on_first([&] {
    if (failure) throw Error(*failure);
  });
}

}  // namespace

GradientCheckpoints::GradientCheckpoints(const std::filesystem::path& base, std::string identity,
                                         double every, const DomainCut& cut)
    : files_(base), identity_(std::move(identity)), every_(every), cut_(cut) {
  cut_.on_first([&] { look(); });
  if (cut_.ranks != nullptr) steps_done_ = cut_.ranks->from_first(steps_done_);
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
  const std::vector<double>& all = values.of<double>();
  const auto derivative = all.begin() + 1, residual = derivative + static_cast<std::ptrdiff_t>(samples);
  return {all.front(), {derivative, residual}, {residual, all.end()}};
}

void GradientCheckpoints::restore(Propagator& adjoint, const std::vector<FieldPart>& sums,
                                  Backend& backend) const {
  const hdf5::LibraryLock held;
  std::optional<CheckpointReader> reader;  // the first rank's
  cut_.on_first([&] { reader.emplace(files_.newest()->file); });
  put_back(
      steps_done_, false,
      [&](const FieldPart& part, std::size_t first, Reals& values) {
        reader->read_piece(array_of(part), first, values);
      },
      adjoint);
  for (const FieldPart& part : sums) {
    const NamedArray array{part.name, bytes_of_all(part) / bytes_of(part.at.precision)};
    distribute(part, cut_, backend,
               [&](std::size_t first, Reals& values) { reader->read_piece(array, first, values); });
  }
}

std::size_t GradientCheckpoints::bytes_of_all(const FieldPart& part) const {
  std::size_t bytes = 0;
  for (const std::size_t there : cut_.gather(part.bytes())) bytes += there;
  return bytes;
}

bool GradientCheckpoints::is_due() const {
  if (every_ == 0) return false;
  const bool is_late = std::chrono::duration<double>(Clock::now() - last_).count() >= every_;
  return cut_.ranks == nullptr ? is_late : cut_.ranks->from_first(is_late);
}

void GradientCheckpoints::save(const Propagator& adjoint, const std::vector<FieldPart>& sums,
                               Backend& backend, const Misfit& misfit) {
  const hdf5::LibraryLock held;
  const Reals of_misfit = values_of(misfit);  // the first rank's
  std::size_t bytes = state_bytes(adjoint) + of_misfit.bytes();
  for (const FieldPart& part : sums) bytes += bytes_of_all(part);
  std::optional<NewCheckpoint> checkpoint;
  cut_.on_first([&] {
    const Json head{
        {"step", adjoint.steps_done()}, {"gradient", identity_}, {"residuals", misfit.residual.size()}};
    checkpoint.emplace(files_.room_for(bytes), head);
    checkpoint->arrays().write_piece({"misfit", of_misfit.size()}, 0, of_misfit);
  });
  read_state(adjoint, [&](const FieldPart& part, std::size_t first, const Reals& values) {
    checkpoint->arrays().write_piece(array_of(part), first, values);
  });
  for (const FieldPart& part : sums) {
    const NamedArray array{part.name, bytes_of_all(part) / bytes_of(part.at.precision)};
    collect(part, cut_, backend, [&](std::size_t first, const Reals& values) {
      checkpoint->arrays().write_piece(array, first, values);
    });
  }
  cut_.on_first([&] { checkpoint->publish(); });
  steps_done_ = adjoint.steps_done();
  begin_to_count();
}

void GradientCheckpoints::remove() {
  cut_.on_first([&] { files_.remove(); });
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
