/// The journal of a survey: shots that are planned and those that are done, in files that only grow.
///
/// Two runs that share a survey, as `--worker 0/2` and `--worker 1/2` begin them (survey_run.cpp):
///
///     FolderLock lock(folder, 0);                  FolderLock lock(folder, 1);
///     Journal journal(folder, 0);                  Journal journal(folder, 1);
///     journal.plan({1, 2, 3, 4, 5, 6})             journal.plan({1, 2, 3, 4, 5, 6})
///     journal.is_done(1, …), (3, …), (5, …)        journal.is_done(2, …), (4, …), (6, …)
///
/// Each has processes that compute what is left (worker.hpp). One of these writes a shot's files, reads their
/// sizes and checksums (finished_shot) and tells its parent, which alone adds the line:
///
///     journal.add(finished)  // journal.0          journal.add(finished)  // journal.1
///
///     {"planned":[1,2,3,4,5,6]} 0f5c3a11
///     {"shot":1,"configuration":"5ad1c3f0","files":[{"name":"shots/shot_00001.h5",…}]} 91c7e2aa
///
/// A run alone writes `journal`. Whoever comes next reads all of them, whichever way the survey is shared
/// then: what any run was asked for is planned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
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
  std::string configuration;  ///< hash of the configuration
  std::vector<FinishedFile> files;
};

/// A finished shot's files in `folder` under these names. Errors: those of InputFile.
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
  /// Lines for those of the numbers that none has as planned, on disk when this returns. Error 74.
  void plan(const std::vector<int>& ids);
  /// Numbers of the shots that any run was asked for; none in the journal of a program that did not keep
  /// them.
  [[nodiscard]] const std::set<int>& planned() const { return planned_; }
  /// Whether some line says so, and every file is there with that size and checksum.
  [[nodiscard]] bool is_done(int id, const std::string& configuration) const;
  /// Finished shots of its lines, by their numbers.
  [[nodiscard]] const std::multimap<int, FinishedShot>& shots() const { return shots_; }

 private:
  void read(const std::filesystem::path& file);
  void hear(const std::string& said);
  void append(const std::string& lines);

  std::filesystem::path folder_, file_;
  std::multimap<int, FinishedShot> shots_;
  std::set<int> planned_;
};

}  // namespace minimod
