#include "src/device/power/rapl.hpp"

#include <algorithm>
#include <fstream>

#include "src/base/error.hpp"

namespace minimod {

namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const fs::path& file) {
  double number = 0;
  return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

/// A counter of µJ, which begins anew behind its range.
class Counter {
 public:
  explicit Counter(const fs::path& folder)
      : file_(folder / "energy_uj"), range_(number_in(folder / "max_energy_range_uj").value_or(0)) {}

  [[nodiscard]] bool is_readable() const { return number_in(file_).has_value(); }

  /// Joules since some moment.
  [[nodiscard]] double read() {
    const double now = number_in(file_).value_or(last_);
    if (now < last_) passed_ += range_;
    last_ = now;
    return 1e-6 * (passed_ + now);
  }

 private:
  fs::path file_;
  double range_, last_ = 0, passed_ = 0;
};

/// Whether a folder's counter is one of a whole processor, or of the memory beside it: what cores take is in
/// the former, and intel-rapl-mmio tells the same anew.
bool is_counted(const fs::path& folder) {
  if (!folder.filename().string().starts_with("intel-rapl:")) return false;
  std::string name;
  std::ifstream(folder / "name") >> name;
  return name.starts_with("package") || name == "dram";
}

class Rapl final : public PowerSource {
 public:
  Rapl(const fs::path& power, const fs::path& cores) : clock_(cores / "cpu0/cpufreq/scaling_cur_freq") {
    std::error_code none;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(power, none)) {
      if (is_counted(entry.path())) folders.push_back(entry.path());
    }
    if (folders.empty()) {
      why_none_ = text("there is no counter of energy (", power.string(), "/intel-rapl:*)");
      return;
    }
    std::ranges::sort(folders);
    for (const fs::path& folder : folders) counters_.emplace_back(folder);
    if (std::ranges::all_of(counters_, &Counter::is_readable)) return;
    counters_.clear();
    why_none_ = text("this user may not read ", (folders.front() / "energy_uj").string());
  }

  [[nodiscard]] PowerState read() override {
    PowerState state;
    if (!counters_.empty()) {
      double joules = 0;
      for (Counter& counter : counters_) joules += counter.read();
      state.joules = joules;
    }
    if (const auto khz = number_in(clock_)) state.clock_mhz = *khz * 1e-3;
    return state;
  }

  [[nodiscard]] std::string how() const override {
    return counters_.empty() ? "" : text("RAPL, ", counters_.size(), " counters of processors and memory");
  }
  [[nodiscard]] std::string why_no_energy() const override { return why_none_; }
  [[nodiscard]] std::vector<std::string> names_of(std::uint64_t /*throttled*/) const override { return {}; }

 private:
  fs::path clock_;
  std::vector<Counter> counters_;
  std::string why_none_;
};

}  // namespace

std::unique_ptr<PowerSource> make_rapl(const fs::path& power, const fs::path& cores) {
  return std::make_unique<Rapl>(power, cores);
}

}  // namespace minimod
