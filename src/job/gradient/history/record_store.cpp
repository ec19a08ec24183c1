#include "src/job/gradient/history/record_store.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "src/base/files/scratch_file.hpp"

namespace minimod {

namespace {

class DeviceRecords final : public RecordStore {
 public:
  DeviceRecords(Backend& backend, const std::vector<std::size_t>& bytes) : places_(bytes.size() + 1) {
    std::partial_sum(bytes.begin(), bytes.end(), places_.begin() + 1);
    values_ = DeviceArray<std::byte>(backend, places_.back());
  }
  [[nodiscard]] std::byte* begin(int i) override { return fetch(i); }
  void keep(int /*i*/) override {}
  void turn_round() override {}
  [[nodiscard]] std::byte* fetch(int i) override {
    return values_.data() + places_[static_cast<std::size_t>(i)];
  }
  void release(int /*i*/) override {}

 private:
  std::vector<std::size_t> places_;
  DeviceArray<std::byte> values_;
};

/// Records are on the device by turns, and each turn has a buffer of the host's with copies of its own.
class StagedRecords final : public RecordStore {
 public:
  /// In memory of the host, where no folder is given.
  StagedRecords(Backend& backend, std::vector<std::size_t> bytes, const std::string& folder)
      : bytes_(std::move(bytes)), turns_(records_at_once) {
    std::size_t in_file = 0;
    std::vector<std::size_t> in_memory(turns_.size());
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      std::size_t& end = folder.empty() ? in_memory[i % turns_.size()] : in_file;
      places_.push_back(end);
      end += bytes_[i];
    }
    if (!folder.empty()) file_.emplace(folder, in_file);
    const std::size_t largest = std::ranges::max(bytes_);
    for (std::size_t k = 0; k < turns_.size(); ++k) {
      turns_[k].there = DeviceArray<std::byte>(backend, largest);
      turns_[k].here = backend.make_staging_buffer(std::max<std::size_t>(1, file_ ? largest : in_memory[k]));
    }
  }

  [[nodiscard]] std::byte* begin(int i) override {
    if (file_) settle(turn(i));
    return fetch(i);
  }
  void keep(int i) override {
    turn(i).here->take_from(turn(i).there.data(), place_here(i), bytes(i));
    turn(i).on_its_way = i;
  }
  void turn_round() override {
    for (Turn& each : turns_) settle(each);
    const int count = static_cast<int>(bytes_.size());
    for (int i = count - 1; i >= count - records_at_once; --i) bring(i);
  }
  [[nodiscard]] std::byte* fetch(int i) override {
    turn(i).here->lead_launches();
    return turn(i).there.data();
  }
  void release(int i) override {
    turn(i).here->follow_launches();
    bring(i - records_at_once);
  }

 private:
  struct Turn {
    DeviceArray<std::byte> there;
    std::unique_ptr<StagingBuffer> here;
    int on_its_way = -1;  ///< record that is copied to the host; −1: none
  };
  [[nodiscard]] Turn& turn(int i) { return turns_[static_cast<std::size_t>(i) % turns_.size()]; }
  [[nodiscard]] std::size_t bytes(int i) const { return bytes_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::size_t place(int i) const { return places_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::size_t place_here(int i) const { return file_ ? 0 : place(i); }

  /// Waits for a record that is on its way, and puts it into the file.
  void settle(Turn& of) {
    of.here->wait();
    const int i = std::exchange(of.on_its_way, -1);
    if (file_ && i >= 0) file_->write(place(i), {of.here->data(), bytes(i)});
  }
  /// Starts to copy a record, if there is such a one, to the device.
  void bring(int i) {
    if (i < 0) return;
    Turn& of = turn(i);
    if (file_) {
      of.here->wait();
      file_->read(place(i), {of.here->data(), bytes(i)});
    }
    of.here->give_to(of.there.data(), place_here(i), bytes(i));
  }

  std::vector<std::size_t> bytes_, places_;
  std::optional<ScratchFile> file_;
  std::vector<Turn> turns_;
};

}  // namespace

std::unique_ptr<RecordStore> make_record_store(Backend& backend, std::vector<std::size_t> bytes,
                                               RecordPlace place, const std::string& folder) {
  if (place == RecordPlace::device) return std::make_unique<DeviceRecords>(backend, bytes);
  return std::make_unique<StagedRecords>(backend, std::move(bytes),
                                         place == RecordPlace::disk ? folder : std::string());
}

}  // namespace minimod
