/// Memory that the launches of a step share, and what they report in. Each step finds it zeroed. There is
/// memory for several steps, which are zeroed at once: on a small grid that would take a twentieth of each
/// step.
#pragma once

#include <optional>
#include <string>

#include "src/device/backend.hpp"

namespace minimod {

class Workspace {
 public:
  /// Error 71.
  Workspace(Backend& backend, std::size_t bytes)
      : backend_(&backend),
        memory_(backend, of_all_turns(bytes)),
        status_(backend, 1),
        rim_done_(backend, 1) {}
  [[nodiscard]] static std::vector<std::size_t> allocations(std::size_t bytes) {
    return {of_all_turns(bytes), sizeof(unsigned), sizeof(unsigned)};
  }
  /// Memory of another size, for `exchange`; nothing where that is the present one's. Error 71.
  [[nodiscard]] std::optional<DeviceArray<char>> memory_of(std::size_t bytes) const {
    if (of_all_turns(bytes) == memory_.size()) return std::nullopt;
    return DeviceArray<char>(*backend_, of_all_turns(bytes));
  }
  /// Exchanges the memory; the reports of launches stay.
  void exchange(std::optional<DeviceArray<char>> memory) {
    if (!memory) return;
    memory_ = std::move(*memory);
    turn_ = turns - 1;
  }

  /// Has the launches of a step find memory that is zero, before put_into.
  void renew() {
    turn_ = (turn_ + 1) % turns;
    if (turn_ == 0) zero(memory_.data(), memory_.size());
  }
  /// Zeroes what launches find that find the same at each step.
  void clear() const { zero(of_turn(), memory_.size() / turns); }
  /// Tells a launch where they are.
  void put_into(BlockArgs& args) const {
    args.workspace = of_turn();
    args.status = status_.data();
  }
  /// Where launches count what they have done of their rims.
  [[nodiscard]] unsigned* rim_done() const { return rim_done_.data(); }
  /// Behind one that counts so often there: when it has. Not before its end, where it does not count.
  [[nodiscard]] Ready when_rim_is_done(int counts) {
    if (counts == 0) return {};
    rims_ += static_cast<unsigned>(counts);
    return {rim_done_.data(), rims_};
  }
  /// Error 71 that names the shape when a launch has given up since the last call.
  void check(const std::string& shape) const;

 private:
  static constexpr int turns = 16;
  /// Each begins on a line.
  static std::size_t of_all_turns(std::size_t bytes) {
    constexpr std::size_t line = 128;
    return turns * round_up(bytes, line);
  }
  [[nodiscard]] char* of_turn() const { return memory_.data() + turn_ * (memory_.size() / turns); }
  void zero(char* from, std::size_t bytes) const {
    if (bytes > 0) backend_->clear(from, bytes);
  }

  Backend* backend_;
  DeviceArray<char> memory_;  ///< memory of all turns; those behind the present one are zero
  int turn_ = turns - 1;
  DeviceArray<unsigned> status_;    ///< not zero when a launch gave up
  DeviceArray<unsigned> rim_done_;  ///< never zeroed
  unsigned rims_ = 0;               ///< count of all launches so far there
};

}  // namespace minimod
