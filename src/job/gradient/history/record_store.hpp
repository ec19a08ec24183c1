/// Records of a shot's steps, which come first to last, and go back last to first.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/device/backend.hpp"

namespace minimod {

enum class RecordPlace {
  device,
  host,  ///< in memory of the host from which a GPU copies beside its launches
  disk,  ///< in a file without a name
};

/// Records on the device at once where they are not kept there: those of some steps have drives, and take
/// several steps to be copied.
inline constexpr int records_at_once = 4;

/// Launches see a record in the device's memory. Where it is not kept there, its copy goes on beside the
/// launches of the next ones.
class RecordStore {
 public:
  RecordStore() = default;
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;
  virtual ~RecordStore() = default;

  /// Where the launches that follow are to put record `i`.
  [[nodiscard]] virtual std::byte* begin(int i) = 0;
  /// Behind these launches. Error 74.
  virtual void keep(int i) = 0;
  /// Behind the last record. Error 74.
  virtual void turn_round() = 0;
  /// Where the launches that follow find record `i`: the last, or that before the one released.
  [[nodiscard]] virtual std::byte* fetch(int i) = 0;
  /// Behind these launches. Error 74.
  virtual void release(int i) = 0;
};

/// A store for records of so many bytes. Errors: 71; on disk those of ScratchFile in `folder`.
[[nodiscard]] std::unique_ptr<RecordStore> make_record_store(Backend& backend, std::vector<std::size_t> bytes,
                                                             RecordPlace place, const std::string& folder);

}  // namespace minimod
