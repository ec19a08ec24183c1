/// Files that the program leaves: refused before it computes where they cannot be made, whole under their
/// name or not there at all, and never in place of a file of another kind.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/error.hpp"
#include "src/base/files/leftovers.hpp"
#include "src/base/json.hpp"

namespace minimod {

/// Kind of a file, which may be replaced by one like it.
struct FileKind {
  std::string name;  ///< with its article: "a shot gather"
  bool (*is)(const std::filesystem::path& file);
};

/// Whether the file's content begins so, blanks and ends of lines left out.
[[nodiscard]] bool begins_with(const std::filesystem::path& file, std::string_view beginning);

/// A record of the program: JSON whose first member is "schema": "minimod. …".
extern const FileKind json_record;

[[nodiscard]] bool is_utf8(std::string_view text);

/// Exit code 74.
[[nodiscard]] Error write_error(const std::filesystem::path& file, const std::string& what);
/// A write's failure by `error`, a value of errno, or by `what` where that is 0. Exit codes 74, 71
/// (limits.hpp).
[[nodiscard]] Error write_error(const std::filesystem::path& file, int error, const std::string& what = "");
/// The reason of a file that did not take all its bytes, where the system gives none.
inline constexpr const char* cut_short = "it is cut short";

/// Exit code 73, 74 or 77, as errno's value has it.
[[nodiscard]] Error create_error(const std::filesystem::path& file, int error);

/// Refuses a name that no file can have, and a folder that is not there. Error 73.
void check_place(const std::filesystem::path& file);

/// Refuses what check_place does, and what stands in the way of the new file: all that is no regular file; a
/// file, unless `overwrite`; one of another kind in any case. Errors: 73, 77.
void check_target(const std::filesystem::path& file, const FileKind& kind, bool overwrite);

/// Error 73 where a folder has the name of a file to be made.
void check_no_folder(const std::filesystem::path& file);

/// Checks, before anything is computed, that the file may and can be made; it makes its temporary file and
/// removes it. Errors: 73, 77.
void check_can_create(const std::filesystem::path& file, const FileKind& kind, bool overwrite);

/// Whether the file system has so many bytes left; true where that is not known.
[[nodiscard]] bool has_room(const std::filesystem::path& file, std::uintmax_t bytes);
/// Error 74 where the file system has fewer bytes left than the file takes; its folder need not be there.
void check_room(const std::filesystem::path& file, std::uintmax_t bytes, const std::string& remedy);

/// Error 73 where two of the files are one; empty names are none.
void check_distinct(const std::vector<std::filesystem::path>& files);

/// Opens a file for reading and writing that is the program's own and stays, such as a lock, and makes it
/// where there is none; the caller closes it. No link is followed to what may be another's. Errors: 73,
/// 74, 77.
[[nodiscard]] int open_own(const std::filesystem::path& file);
/// The same of one that is there, for reading alone where it may not be written; -1 where there is none.
[[nodiscard]] int open_own_if_there(const std::filesystem::path& file);

/// The name under which this process makes `target`: ".NAME.PID-HOST.tmp" beside it, HOST being the CRC-32 of
/// the machine's name.
[[nodiscard]] std::filesystem::path temporary_name(const std::filesystem::path& target);

/// Removes what processes of this machine have left of it that were killed over it.
void remove_dead_temporaries(const std::filesystem::path& target);
/// The same of all that they made in the folder.
void remove_dead_temporaries_in(const std::filesystem::path& folder);

/// An empty file next to `target`, which is removed unless it has been renamed to it.
class TemporaryFile {
 public:
  /// Follows no link and takes no file that is there already; removes those of processes of this machine that
  /// have died over the same target. Errors: 73, 77.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile(TemporaryFile&&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Puts the file on disk and gives it its name, or another in the same folder.
  void publish() { publish_as(target_); }
  void publish_as(const std::filesystem::path& target);
  /// The same under the target's name where nothing has it, even if it came into being just now; false where
  /// something has. A file system that cannot do that replaces what is there.
  [[nodiscard]] bool publish_new();
  /// Gives the file a name in the same folder that nothing has, without putting it on disk; false where
  /// something has it, nothing where the file system cannot do that. Errors: 73, 74, 77.
  [[nodiscard]] std::optional<bool> take_name(const std::filesystem::path& name);

 private:
  std::filesystem::path target_, path_;
  std::optional<Leftover> leftover_;  ///< until it is published
};

/// Gives a whole file of ours its last name, beside or below its folder, over what may be replaced there: a
/// call that is killed leaves the one name or the other. Errors: those of check_target, 74.
void rename_whole(const std::filesystem::path& file, const std::filesystem::path& target,
                  const FileKind& kind, bool overwrite);

/// Makes a folder with its parents, where there is none; what it made and is still empty goes with it.
class OutputFolder {
 public:
  /// Errors: 73, 77.
  explicit OutputFolder(const std::filesystem::path& folder);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder(OutputFolder&&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();

 private:
  void remove_empty() const;

  std::vector<std::filesystem::path> made_;  ///< the innermost first
  std::deque<Leftover> leftovers_;
};

/// Writes the file under a temporary name, puts it on disk and renames it. Errors: those of check_target, 74.
void write_text(const std::string& content, const std::filesystem::path& file, const FileKind& kind,
                bool overwrite);

/// The same of a record with the date (UTC) at its end, where it has none.
void write_record(const Json& record, const std::filesystem::path& file, bool overwrite);

}  // namespace minimod
