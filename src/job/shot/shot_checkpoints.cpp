#include "src/job/shot/shot_checkpoints.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/option.hpp"
#include "src/io/gather_format.hpp"
#include "src/ranks/ranks.hpp"
#include "src/solver/fields/checkpoint.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

/// Whether a head has all that a shot's checkpoint has, each of its kind.
bool is_head(const Json& head) {
  const Json& watch = head["watch"];
  return is_count(head, "samples") && head["date"].is_string() && head["configuration"].is_object() &&
         watch["is_settled"].is_boolean() && watch["reference"].is_number();
}

std::size_t bytes_to_keep(const Propagator& propagator, const TraceBuffer& traces) {
  return traces.receivers() * traces.filled() * bytes_of(traces.values().precision()) +
         state_bytes(propagator);
}

/// How the values of its fields follow each other, which schedules have their own ways in.
Json order_of_values(const Propagator& propagator) {
  const Layout& at = propagator.fields().grid().layout;
  return {at.origin, at.stride_y, at.stride_z};
}

std::string schedule_of(const Propagator& propagator) {
  return propagator.plan().kernels().schedule->name();
}

/// Error 73 for a checkpoint of another schedule or decomposition, unless both have the fields alike in
/// memory.
void check_lies_alike(const Json& head, const Propagator& propagator, const fs::path& file) {
  if (head.value("order of values", Json()) != order_of_values(propagator)) {
    const Json there = head.value("schedule", Json());
    throw Error(ErrorKind::cannot_create,
                text(shown(file), " is of ", option("schedule"), " ",
                     there.is_string() ? there.get<std::string>() : "another", ", and this run has ",
                     schedule_of(propagator)),
                text("take kernel and schedule of before, or ", option("force"), " to start anew"));
  }
  const Json bytes = state_bytes(propagator);
  if (head.value("bytes of the state", bytes) != bytes) {
    throw Error(ErrorKind::cannot_create, shown(file) + " is of another " + option("decomposition"),
                text("take that of before, or ", option("force"), " to start anew"));
  }
}

NamedRows rows_of(const TraceBuffer& traces, std::size_t filled) {
  return {"traces", traces.receivers(), traces.samples(), filled};
}

void read_traces(const CheckpointReader& reader, std::size_t filled, const fs::path& file,
                 TraceBuffer& traces) {
  if (filled > traces.samples()) {
    throw Error(ErrorKind::data, text(shown(file), " has ", filled, " samples of ", traces.samples()),
                "it counts for nothing");
  }
  reader.read_rows(rows_of(traces, filled), traces.values());
}

}  // namespace

ShotCheckpoints::ShotCheckpoints(const fs::path& base) : files_(base) {
  if (Ranks::world().is_first()) notes_ = files_.look(is_head);
}

std::string ShotCheckpoints::other_shot(const Configuration& here) const {
  for (const Checkpoint& one : files_.both()) {
    if (one.head.is_null()) continue;
    const std::string other = differences(one.head["configuration"], here);
    if (!other.empty())
      return text("'", escaped(one.file.filename().native(), 40), "' is of another shot: ", other);
  }
  return "";
}

void ShotCheckpoints::check(const Configuration& here, bool force) {
  may_start_anew_ = force;
  if (const std::string other = other_shot(here); !force && !other.empty()) {
    throw Error(ErrorKind::cannot_create, other,
                text("take another ", option("output"), ", or ", option("force"), " to start anew"));
  }
  for (Checkpoint& one : files_.both()) {
    if (!one.head.is_null() && !differences(one.head["configuration"], here).empty()) one.head = nullptr;
  }
}

bool ShotCheckpoints::belong_to(const fs::path& output, const Configuration& here) const {
  const Checkpoint* const found = files_.newest();
  if (found == nullptr || !differences(found->head["configuration"], here).empty()) return false;
  return is_of({found->head["date"].get<std::string>(), hash_of(found->head["configuration"])}, output);
}

std::optional<int> ShotCheckpoints::step() const {
  const Checkpoint* const found = files_.newest();
  const int step = found == nullptr ? 0 : found->head["step"].get<int>();
  return step == 0 ? std::optional<int>() : step;
}

std::optional<std::string> ShotCheckpoints::date() const {
  const Checkpoint* const found = files_.newest();
  return found == nullptr ? std::optional<std::string>() : found->head["date"].get<std::string>();
}

const std::string& ShotCheckpoints::begin(Configuration configuration, const std::string& date) {
  configuration_ = std::move(configuration);
  date_ = this->date().value_or(date);
  if (Ranks::world().is_first()) files_.remove_uncounted();
  return date_;
}

bool ShotCheckpoints::restore(Propagator& propagator, TraceBuffer& traces, Watch& watch) {
  const hdf5::LibraryLock held;
  Ranks& ranks = Ranks::world();
  while (ranks.from_first(files_.newest() != nullptr)) {
    try {
      std::optional<CheckpointReader> reader;
      struct {
        int step = 0;
        std::size_t samples = 0;
        Watch::State watched;
      } head;
      ranks.on_first([&] {
        const auto& [file, found] = *files_.newest();
        check_lies_alike(found, propagator, file);
        reader.emplace(file);
        const Json& state = found["watch"];
        head = {found["step"].get<int>(),
                found["samples"].get<std::size_t>(),
                {static_cast<float>(state["reference"].get<double>()), state["is_settled"].get<bool>()}};
      });
      head = ranks.from_first(head);
      const auto read = [&](const FieldPart& part, std::size_t first, Reals& values) {
        reader->read_piece(array_of(part), first, values);
      };
      put_back(head.step, false, read, propagator);
      ranks.on_first([&] { read_traces(*reader, head.samples, files_.newest()->file, traces); });
      traces.set_filled(head.samples);
      watch.resume(head.watched);
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data && (error.kind() != ErrorKind::cannot_create || !may_start_anew_))
        throw;
      notes_.emplace_back(error.what());
      if (ranks.is_first()) files_.newest()->head = nullptr;
    }
  }
  return false;
}

void ShotCheckpoints::save(const Propagator& propagator, const TraceBuffer& traces, Watch& watch) {
  const hdf5::LibraryLock held;
  Ranks& ranks = Ranks::world();
  const Watch::State watched = watch.state(propagator);
  Json head = head_of_step(propagator.steps_done(), traces.filled(), watched);
  head["schedule"] = schedule_of(propagator);
  head["bytes of the state"] = state_bytes(propagator);
  head["order of values"] = order_of_values(propagator);
  std::optional<NewCheckpoint> checkpoint;
  ranks.on_first([&] {
    checkpoint.emplace(files_.room_for(bytes_to_keep(propagator, traces)), head);
    checkpoint->arrays().write_rows(rows_of(traces, traces.filled()), traces.values());
  });
  read_state(propagator, [&](const FieldPart& part, std::size_t first, const Reals& values) {
    checkpoint->arrays().write_piece(array_of(part), first, values);
  });
  ranks.on_first([&] { checkpoint->publish(); });
}

void ShotCheckpoints::save_identity() {
  const hdf5::LibraryLock held;
  NewCheckpoint(files_.both().front(), head_of_step(0, 0, {})).publish();
}

bool ShotCheckpoints::are_of(const fs::path& output) const {
  return is_of({date_, hash_of(configuration_)}, output);
}

Json ShotCheckpoints::head_of_step(int step, std::size_t samples, const Watch::State& watched) const {
  return {{"step", step},
          {"samples", samples},
          {"watch", {{"reference", watched.reference}, {"is_settled", watched.is_settled}}},
          {"date", date_},
          {"configuration", configuration_}};
}

void ShotCheckpoints::remove() {
  if (Ranks::world().is_first()) files_.remove();
}

}  // namespace minimod
