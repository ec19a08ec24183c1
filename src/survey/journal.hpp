/// Which shots of a survey are done: a line each in files that only grow.
///
/// A run of a survey, or a worker of it:
///
///     const FolderLock lock(folder, worker);               // alone, or beside workers of other numbers
///     Journal journal(folder, worker);                     // reads what all have written
///     for (shot : selected) {
///       CheckpointFiles checkpoints(folder / "checkpoints" / "shot_00017");
///       if (state_of(shot.id, configuration, journal, checkpoints) == ShotState::done) continue;
///       checkpoints.begin(configuration, date);
///       runner.run(plan, {…, &checkpoints, every});        // goes on by itself where there is a checkpoint
///       write(…, folder / "shots/shot_00017.h5", true);    // over what is damaged
///       journal.add(finished_shot(shot.id, hash_of(configuration), folder, {"shots/shot_00017.h5"}));
///       checkpoints.remove();
///     }
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minimod {

/// Number I of N workers that share a survey, from 0; nothing: a run that has it alone.
using WorkerNumber = std::optional<int>;

/// A file that a shot left.
struct FinishedFile {
  std::string name;  ///< in the survey's folder
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;
  friend bool operator==(const FinishedFile&, const FinishedFile&) = default;
};

struct FinishedShot {
  int id = 0;
  std::string configuration;  ///< its hash
  std::vector<FinishedFile> files;
};

/// What lies in `folder` under these names. Errors: those of InputFile.
[[nodiscard]] FinishedShot finished_shot(int id, const std::string& configuration,
                                         const std::filesystem::path& folder,
                                         const std::vector<std::string>& names);

class Journal {
 public:
  /// Reads `journal` and those of the workers, `journal.I`. A line that is torn or damaged says nothing; of
  /// several lines of a shot any counts. Errors: those of InputFile, 74 where one cannot be read.
  Journal(const std::filesystem::path& folder, const WorkerNumber& worker);

  /// A line, on disk when this returns. Error 74.
  void add(const FinishedShot& shot);
  /// Whether some line says so, and every file is there with that size and checksum.
  [[nodiscard]] bool is_done(int id, const std::string& configuration) const;
  /// What its lines say, by the numbers of the shots.
  [[nodiscard]] const std::multimap<int, FinishedShot>& shots() const { return shots_; }

 private:
  void read(const std::filesystem::path& file);

  std::filesystem::path folder_, file_;
  std::multimap<int, FinishedShot> shots_;
};

}  // namespace minimod
