#include "src/io/checkpoint/checkpoint_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;
using IsHead = CheckpointPair::IsHead;

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
  throw Error(ErrorKind::cannot_create,
              text(shown(file), " is a checkpoint of format ", version, "; this program knows format ",
                   checkpoint_version),
              "go on with the program that wrote it, or take another " + option("output"));
}

bool has_step(const Json& head) {
  return is_count(head, "step");
}

/// Head of a whole checkpoint, which has all but arrays; null of any other file. Error 73 for one of a later
/// version.
Json head_of(const fs::path& file, IsHead is_head) {
  std::ifstream stream(file, std::ios::binary);
  std::string seal(seal_bytes, '\0'), head(longest_head, '\0');
  if (!stream.read(seal.data(), seal_bytes)) return nullptr;
  refuse_newer(file, version_in(seal, seal_beginning));
  stream.read(head.data(), longest_head);
  head.resize(std::min(head.find('\0'), head.size()));
  const auto json = Json::read(head);
  const bool names_schema = json["schema"].is_string();
  const int version = names_schema ? version_in(json["schema"].get<std::string>(), schema_beginning) : 0;
  refuse_newer(file, version);
  return seal == seal_of(file) && version == checkpoint_version && has_step(json) && is_head(json) ? json
                                                                                                   : nullptr;
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
  return head.dump_ascii() + '\n';
}

Json with_schema(const Json& head) {
  Json whole = {{"schema", text(schema_beginning, checkpoint_version)}};
  whole.update(head);
  return whole;
}

/// Bytes in front of the HDF5 data.
std::size_t bytes_in_front(const Json& head) {
  return seal_bytes + words_of(head).size() + 1;
}

}  // namespace

bool is_count(const Json& head, const char* name) {
  return head[name].is_unsigned() && head[name].get<std::uint64_t>() <= std::numeric_limits<int>::max();
}

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

CheckpointPair::CheckpointPair(const fs::path& base) {
  for (const fs::path& file : checkpoint_names(base)) checkpoints_.push_back({file, nullptr});
}

std::vector<std::string> CheckpointPair::look(IsHead is_head) {
  std::vector<std::string> notes;
  for (Checkpoint& one : checkpoints_) {
    std::error_code ignored;
    if (fs::symlink_status(one.file, ignored).type() == fs::file_type::not_found) continue;
    check_target(one.file, checkpoint_kind, true);
    one.head = head_of(one.file, is_head);
    if (one.head.is_null())
      notes.push_back(text("the checkpoint ", shown(one.file), " is damaged: it counts for nothing"));
  }
  return notes;
}

Checkpoint* CheckpointPair::newest() {
  const auto step_of = [](const Checkpoint& one) {
    return one.head.is_null() ? -1 : one.head["step"].get<int>();
  };
  const auto found = std::ranges::max_element(checkpoints_, {}, step_of);
  return found->head.is_null() ? nullptr : &*found;
}
const Checkpoint* CheckpointPair::newest() const {
  return const_cast<CheckpointPair*>(this)->newest();
}

Checkpoint& CheckpointPair::room_for(std::size_t bytes) {
  Checkpoint& one = newest() == &checkpoints_[0] ? checkpoints_[1] : checkpoints_[0];
  if (!has_room(one.file, bytes) && newest() != nullptr) ::unlink(one.file.c_str());  // the newest stays
  check_room(one.file, bytes, "make room");
  return one;
}

void CheckpointPair::remove_uncounted() {
  for (const Checkpoint& one : checkpoints_) {
    if (one.head.is_null()) ::unlink(one.file.c_str());
  }
}

void CheckpointPair::remove() {
  for (const Checkpoint& one : checkpoints_) {
    ::unlink(one.file.c_str());
    remove_dead_temporaries(one.file);  // leftovers of a process that was killed while it wrote
  }
}

NewCheckpoint::NewCheckpoint(Checkpoint& place, const Json& head)
    : place_(&place),
      head_(with_schema(head)),
      temporary_(place.file),
      arrays_(temporary_.path(), place.file, bytes_in_front(head_)) {}

void NewCheckpoint::publish() {
  arrays_.close();
  write_at(temporary_.path(), words_of(head_), seal_bytes, place_->file);
  write_at(temporary_.path(), seal_of(temporary_.path()), 0, place_->file);
  temporary_.publish();
  place_->head = std::move(head_);
}

}  // namespace minimod
