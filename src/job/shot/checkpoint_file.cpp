#include "src/job/shot/checkpoint_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>

#include <fcntl.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/io/gather_format.hpp"
#include "src/job/shot/checkpoint_writer.hpp"
#include "src/ranks/ranks.hpp"
#include "src/solver/fields/checkpoint.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

constexpr int checkpoint_version = 1;
constexpr std::string_view schema_beginning = "minimod.checkpoint/", seal_beginning = "minimod checkpoint ",
                           seal_end = ", crc32 of all behind this line: ";
constexpr std::size_t seal_bytes = 64;  // the first line, with its end
constexpr std::size_t longest_head = std::size_t{1} << 20;

std::string seal_text() {
  return text(seal_beginning, checkpoint_version, seal_end);
}

std::string seal_of(const fs::path& file) {
  std::string line = seal_text() + hexadecimal(crc32_of_file(file, seal_bytes));
  line.resize(seal_bytes - 1, ' ');
  return line + '\n';
}

/// Whether a file was a checkpoint before it was damaged: it is empty, or most of its seal is there.
bool was_checkpoint(const fs::path& file) {
  const std::string written = seal_text();
  std::string found(written.size(), '\0');
  std::ifstream(file, std::ios::binary).read(found.data(), static_cast<std::streamsize>(found.size()));
  std::size_t alike = 0;
  for (std::size_t i = 0; i < found.size(); ++i) alike += found[i] == written[i] ? 1 : 0;
  return alike > found.size() / 2 || fs::is_empty(file);
}

const FileKind checkpoint_kind{"a checkpoint of minimod", was_checkpoint};

/// The number behind `beginning`, 0 where the text is another.
int version_in(std::string_view text, std::string_view beginning) {
  int version = 0;
  if (!text.starts_with(beginning)) return 0;
  text.remove_prefix(beginning.size());
  return std::from_chars(text.data(), text.data() + text.size(), version).ec == std::errc() ? version : 0;
}

/// Error 73 for what a later version of the program may have written whole.
void refuse_newer(const fs::path& file, int version) {
  if (version <= checkpoint_version) return;
  throw Error(ExitCode::cannot_create,
              text(shown(file), " is a checkpoint of format ", version, "; this program knows format ",
                   checkpoint_version),
              "go on with the program that wrote it, or take another " + option("output"));
}

/// Whether a head has all that a checkpoint of this version has, each of its kind.
bool is_head(const Json& json) {
  using Type = Json::value_t;
  const auto has = [](const Json& object, const char* name, std::initializer_list<Type> types) {
    return object.contains(name) && std::ranges::find(types, object[name].type()) != types.end();
  };
  const auto has_count = [&](const char* name) {
    return has(json, name, {Type::number_unsigned}) &&
           json[name].get<std::uint64_t>() <= std::numeric_limits<int>::max();
  };
  return has_count("step") && has_count("samples") && has(json, "date", {Type::string}) &&
         has(json, "configuration", {Type::object}) && has(json, "watch", {Type::object}) &&
         has(json["watch"], "is_settled", {Type::boolean}) && json["watch"].contains("reference") &&
         json["watch"]["reference"].is_number();
}

/// What is no array of a whole checkpoint; null of any other file. Error 73 for one of a later version.
Json head_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string seal(seal_bytes, '\0'), head(longest_head, '\0');
  if (!stream.read(seal.data(), seal_bytes)) return nullptr;
  refuse_newer(file, version_in(seal, seal_beginning));
  stream.read(head.data(), longest_head);
  head.resize(std::min(head.find('\0'), head.size()));
  const auto json = Json::parse(head, nullptr, false);
  const bool names_schema = json.is_object() && json.contains("schema") && json["schema"].is_string();
  const int version = names_schema ? version_in(json["schema"].get<std::string>(), schema_beginning) : 0;
  refuse_newer(file, version);
  return seal == seal_of(file) && version == checkpoint_version && is_head(json) ? json : nullptr;
}

/// Puts `content` at `offset` of a file that is there.
void write_at(const fs::path& file, const std::string& content, off_t offset, const fs::path& target) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const bool is_written = descriptor >= 0 && ::pwrite(descriptor, content.data(), content.size(), offset) ==
                                                 static_cast<ssize_t>(content.size());
  const int error = errno;
  const bool is_closed = descriptor >= 0 && ::close(descriptor) == 0;
  if (!is_written || !is_closed) throw write_error(target, is_written ? errno : error);
}

std::string words_of(const Json& head) {
  return head.dump(-1, ' ', true) + '\n';
}

/// What stands in front of the HDF5 data takes.
std::size_t bytes_in_front(const Json& head) {
  return seal_bytes + words_of(head).size() + 1;
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
    throw Error(ExitCode::cannot_create,
                text(shown(file), " is of ", option("schedule"), " ",
                     there.is_string() ? there.get<std::string>() : "another", ", and this run has ",
                     schedule_of(propagator)),
                text("take kernel and schedule of before, or ", option("force"), " to start anew"));
  }
  const Json bytes = state_bytes(propagator);
  if (head.value("bytes of the state", bytes) != bytes) {
    throw Error(ExitCode::cannot_create, shown(file) + " is of another " + option("decomposition"),
                text("take that of before, or ", option("force"), " to start anew"));
  }
}

void read_traces(const hdf5::Handle& opened, std::size_t filled, const fs::path& file, TraceBuffer& traces) {
  if (filled > traces.samples()) {
    throw Error(ExitCode::data, text(shown(file), " has ", filled, " samples of ", traces.samples()),
                "it counts for nothing");
  }
  const hdf5::Handle dataset =
      hdf5::open_shaped_dataset(opened, "/traces", {traces.receivers(), filled}, file);
  const std::size_t thickness = hdf5::slab_thickness(dataset);
  with_real(traces.values().precision(), [&]<class Real>() {
    std::vector<Real> rows;
    for (std::size_t first = 0; first < traces.receivers(); first += thickness) {
      const std::size_t count = std::min(thickness, traces.receivers() - first);
      rows.resize(count * filled);
      hdf5::read_slab(dataset, first, count, rows, file);
      for (std::size_t r = 0; r < count; ++r) {
        std::copy_n(
            rows.begin() + static_cast<std::ptrdiff_t>(r * filled), filled,
            traces.values().of<Real>().begin() + static_cast<std::ptrdiff_t>((first + r) * traces.samples()));
      }
    }
  });
  traces.set_filled(filled);
}

}  // namespace

CheckpointNames checkpoint_names(const fs::path& base) {
  return {fs::path(base) += ".0.h5", fs::path(base) += ".1.h5"};
}

std::uint64_t bytes_of_checkpoints(const fs::path& base) {
  std::uint64_t bytes = 0;
  for (const fs::path& file : checkpoint_names(base)) {
    std::error_code none;
    const std::uintmax_t size = fs::file_size(file, none);
    if (!none) bytes += size;
  }
  return bytes;
}

CheckpointFiles::CheckpointFiles(const fs::path& base) {
  for (const fs::path& file : checkpoint_names(base)) {
    Generation& one = generations_.emplace_back(Generation{file, nullptr});
    std::error_code ignored;
    if (!Ranks::world().is_first()) continue;
    if (fs::symlink_status(one.file, ignored).type() == fs::file_type::not_found) continue;
    check_target(one.file, checkpoint_kind, true);
    one.head = head_of(one.file);
    if (one.head.is_null())
      notes_.push_back(text("the checkpoint ", shown(one.file), " is damaged: it counts for nothing"));
  }
}

std::string CheckpointFiles::other_shot(const Configuration& here) const {
  for (const Generation& one : generations_) {
    if (one.head.is_null()) continue;
    const std::string other = differences(one.head["configuration"], here);
    if (!other.empty())
      return text("'", escaped(one.file.filename().native(), 40), "' is of another shot: ", other);
  }
  return "";
}

void CheckpointFiles::check(const Configuration& here, bool force) {
  may_start_anew_ = force;
  if (const std::string other = other_shot(here); !force && !other.empty()) {
    throw Error(ExitCode::cannot_create, other,
                text("take another ", option("output"), ", or ", option("force"), " to start anew"));
  }
  for (Generation& one : generations_) {
    if (!one.head.is_null() && !differences(one.head["configuration"], here).empty()) one.head = nullptr;
  }
}

bool CheckpointFiles::belong_to(const fs::path& output, const Configuration& here) const {
  const Generation* const found = newest();
  if (found == nullptr || !differences(found->head["configuration"], here).empty()) return false;
  return is_of({found->head["date"], hash_of(found->head["configuration"])}, output);
}

const CheckpointFiles::Generation* CheckpointFiles::newest() const {
  const auto step_of = [](const Generation& one) {
    return one.head.is_null() ? -1 : one.head["step"].get<int>();
  };
  const auto found = std::ranges::max_element(generations_, {}, step_of);
  return found->head.is_null() ? nullptr : &*found;
}

CheckpointFiles::Generation& CheckpointFiles::oldest() {
  return newest() == &generations_[0] ? generations_[1] : generations_[0];
}

std::optional<int> CheckpointFiles::step() const {
  const Generation* const found = newest();
  const int step = found == nullptr ? 0 : found->head["step"].get<int>();
  return step == 0 ? std::optional<int>() : step;
}

std::optional<std::string> CheckpointFiles::date() const {
  const Generation* const found = newest();
  return found == nullptr ? std::optional<std::string>() : found->head["date"].get<std::string>();
}

void CheckpointFiles::begin(Configuration configuration, std::string date) {
  configuration_ = std::move(configuration);
  date_ = std::move(date);
  for (const Generation& one : generations_) {
    if (one.head.is_null() && Ranks::world().is_first()) ::unlink(one.file.c_str());
  }
}

bool CheckpointFiles::restore(Backend& backend, Propagator& propagator, TraceBuffer& traces, Watch& watch) {
  const hdf5::Turn turn;
  Ranks& ranks = Ranks::world();
  while (ranks.from_first(newest() != nullptr)) {
    try {
      std::optional<hdf5::Handle> opened;
      struct {
        int step = 0;
        std::size_t samples = 0;
        Watch::State watched;
      } head;
      ranks.on_first([&] {
        const Json& found = newest()->head;
        check_lies_alike(found, propagator, newest()->file);
        opened.emplace(hdf5::open_for_reading(newest()->file));
        head = {found["step"], found["samples"], {found["watch"]["reference"], found["watch"]["is_settled"]}};
      });
      head = ranks.from_first(head);
      const auto read = [&](const FieldPart& part, std::size_t first, Reals& values) {
        const fs::path& file = newest()->file;
        const hdf5::Handle dataset = hdf5::open_shaped_dataset(*opened, "/" + part.name, {part.size}, file);
        with_real(values.precision(), [&]<class Real>() {
          hdf5::read_slab(dataset, first, values.size(), values.of<Real>(), file);
        });
      };
      put_back(backend, head.step, false, read, propagator);
      ranks.on_first([&] { read_traces(*opened, head.samples, newest()->file, traces); });
      traces.set_filled(head.samples);
      watch.resume(head.watched);
      return true;
    } catch (const Error& error) {
      if (error.code() != ExitCode::data && (error.code() != ExitCode::cannot_create || !may_start_anew_))
        throw;
      notes_.emplace_back(error.what());
      if (ranks.is_first())
        std::ranges::find(generations_, newest()->file, &Generation::file)->head = nullptr;
    }
  }
  return false;
}

void CheckpointFiles::save(Backend& backend, const Propagator& propagator, const TraceBuffer& traces,
                           Watch& watch) {
  const hdf5::Turn turn;
  Ranks& ranks = Ranks::world();
  const Watch::State watched = watch.state(propagator);
  Json head = head_of_step(propagator.steps_done(), traces.filled(), watched);
  head["schedule"] = schedule_of(propagator);
  head["bytes of the state"] = state_bytes(propagator);
  head["order of values"] = order_of_values(propagator);
  Generation& one = oldest();
  std::optional<TemporaryFile> temporary;
  std::optional<CheckpointWriter> writer;
  ranks.on_first([&] {
    const std::size_t bytes = bytes_to_keep(propagator, traces);
    if (!has_room(one.file, bytes) && newest() != nullptr) ::unlink(one.file.c_str());  // the newest stays
    check_room(one.file, bytes, "make room");
    temporary.emplace(one.file);
    writer.emplace(temporary->path(), one.file, bytes_in_front(head));
    writer->write_traces(traces);
  });
  read_state(backend, propagator, [&](const FieldPart& part, std::size_t first, const Reals& values) {
    writer->write_piece(part, first, values);
  });
  ranks.on_first([&] {
    writer->close();
    publish(*temporary, one, std::move(head));
  });
}

void CheckpointFiles::save_identity() {
  const hdf5::Turn turn;
  Json head = head_of_step(0, 0, {});
  TemporaryFile temporary(generations_[0].file);
  CheckpointWriter(temporary.path(), generations_[0].file, bytes_in_front(head)).close();
  publish(temporary, generations_[0], std::move(head));
}

bool CheckpointFiles::are_of(const fs::path& output) const {
  return is_of({date_, hash_of(configuration_)}, output);
}

Json CheckpointFiles::head_of_step(int step, std::size_t samples, const Watch::State& watched) const {
  return {{"schema", text(schema_beginning, checkpoint_version)},
          {"step", step},
          {"samples", samples},
          {"watch", {{"reference", watched.reference}, {"is_settled", watched.is_settled}}},
          {"date", date_},
          {"configuration", configuration_}};
}

void CheckpointFiles::publish(TemporaryFile& temporary, Generation& one, Json head) {
  write_at(temporary.path(), words_of(head), seal_bytes, one.file);
  write_at(temporary.path(), seal_of(temporary.path()), 0, one.file);
  temporary.publish();
  one.head = std::move(head);
}

void CheckpointFiles::remove() {
  if (!Ranks::world().is_first()) return;
  for (const Generation& one : generations_) {
    ::unlink(one.file.c_str());
    remove_dead_temporaries(one.file);  // of one that was killed while it wrote
  }
}

}  // namespace minimod
