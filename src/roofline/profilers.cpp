#include "src/roofline/profilers.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/roofline/child_process.hpp"

namespace minimod {

namespace {

constexpr double short_limit = 20;  ///< seconds, of a question to a tool
constexpr const char* probe_metric = "smsp__inst_executed.sum";
constexpr const char* perf_events = "cycles,instructions,cache-references,cache-misses";

/// A file that ncu writes, removed with the object.
class LogFile {
 public:
  LogFile() {
    std::error_code failure;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
    if (failure) {
      throw Error(ExitCode::unavailable, text("no folder for temporary files: ", failure.message()),
                  "TMPDIR names it");
    }
    std::string name = (folder / "minimod_ncu.XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) {
      throw Error(ExitCode::unavailable, text("cannot make a file in ", escaped(folder.string())),
                  "set TMPDIR to a folder that you may write to");
    }
    close(descriptor);
    path_ = name;
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] std::string name() const { return path_.string(); }
  [[nodiscard]] std::string content() const {
    std::ostringstream all;
    all << std::ifstream(path_).rdbuf();
    return all.str();
  }

 private:
  std::filesystem::path path_;
};

/// The first line with `part`, without what is around it.
std::string line_with(const std::string& output, const std::string& part) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != std::string::npos) return escaped(line, 120);
  }
  return "";
}

std::vector<std::string> ncu_command(const std::string& ncu, const std::vector<std::string>& metrics,
                                     const std::string& log, const std::vector<std::string>& command) {
  std::string list;
  for (const std::string& metric : metrics) list += (list.empty() ? "" : ",") + metric;
  std::vector<std::string> all{ncu,
                               "--csv",
                               "--page",
                               "raw",
                               "--print-units",
                               "base",
                               "--clock-control",
                               "none",
                               "--cache-control",
                               "none",
                               "--profile-from-start",
                               "off",
                               "--metrics",
                               list,
                               "--log-file",
                               log};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

/// Why ncu gave no counters, and what helps.
void explain(CounterAccess& access, const ChildResult& result, const std::string& said, double limit) {
  if (said.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    access.why = "this user may not read the GPU's counters (ERR_NVGPUCTRPERM)";
    access.fix =
        "run as root, or in a container with --cap-add=SYS_ADMIN, or have the administrator put 'options "
        "nvidia NVreg_RestrictProfilingToAdminUsers=0' into /etc/modprobe.d/ and load the driver again";
  } else if (result.timed_out) {
    access.why = text("ncu did not end within ", limit, " s");
    access.fix = "is another profiler or DCGM using the counters? (dcgmi profile --pause)";
  } else if (said.find("already in use") != std::string::npos ||
             said.find("ERR_NVGPUCTR") != std::string::npos) {
    access.why = "another profiler or DCGM uses the GPU's counters";
    access.fix = "end it, or dcgmi profile --pause";
  } else {
    std::string line = line_with(said, "minimod: error:");  // of the run that ncu looked at
    if (line.empty()) line = line_with(said, "==ERROR==");
    access.why = line.empty() ? text("ncu ended with ", result.exit_code, " and no counters") : line;
    access.fix = "try ncu by itself on this program";
  }
}

}  // namespace

std::string find_ncu() {
  std::vector<std::string> folders{"/usr/local/cuda/bin"};
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const home = std::getenv(name)) folders.push_back(text(home, "/bin"));
  }
  return find_program("ncu", folders);
}

CounterAccess probe_ncu(const std::string& ncu, const std::vector<std::string>& command, double limit) {
  CounterAccess access;
  access.tool = ncu;
  if (ncu.empty()) {
    access.why = "there is no ncu on PATH or under /usr/local/cuda";
    access.fix = "install Nsight Compute (it comes with CUDA's toolkit) or put its ncu on PATH";
    return access;
  }
  try {
    access.version = line_with(run_child({ncu, "--version"}, short_limit).output, "Version");
    const LogFile log;
    const ChildResult result = run_child(ncu_command(ncu, {probe_metric}, log.name(), command), limit);
    const std::string written = log.content();
    const bool has_table = written.find("\"ID\"") != std::string::npos;
    const auto kernels = has_table ? parse_ncu(written).kernels : std::vector<KernelCounters>{};
    access.usable = !kernels.empty() && kernels.front().readings.count(probe_metric) > 0;
    if (!access.usable) explain(access, result, result.output + written, limit);
  } catch (const Error& failure) {
    access.why = failure.what();
    access.fix = "repair the installation of Nsight Compute";
  }
  return access;
}

CounterAccess probe_perf(const std::string& perf, double limit) {
  CounterAccess access;
  access.tool = perf;
  if (perf.empty()) {
    access.why = "there is no perf on PATH";
    access.fix = "install the system's linux-perf or linux-tools";
    return access;
  }
  try {
    access.version = line_with(run_child({perf, "--version"}, limit).output, "perf");
    access.usable = count_with_perf(perf, {"true"}, limit).count("instructions") > 0;
  } catch (const Error& failure) {
    access.why = failure.what();
    access.fix = "repair the installation of perf";
    return access;
  }
  if (!access.usable) {
    access.why = "perf cannot count instructions here";
    access.fix =
        "on a machine of your own: sysctl kernel.perf_event_paranoid=2; virtual machines often have no "
        "counters";
  }
  return access;
}

CollectedCounters collect_with_ncu(const std::string& ncu, const std::vector<std::string>& metrics,
                                   const std::vector<std::string>& command, double limit) {
  const LogFile log;
  const ChildResult result = run_child(ncu_command(ncu, metrics, log.name(), command), limit);
  CollectedCounters collected;
  CounterAccess failure;
  try {
    CounterTable table = parse_ncu(log.content());
    collected.kernels = std::move(table.kernels);
    for (KernelCounters& kernel : collected.kernels) {  // ncu adds the average, least and greatest of a sum
      std::erase_if(kernel.readings, [&](const auto& reading) {
        return std::ranges::find(metrics, reading.first) == metrics.end();
      });
    }
    if (!table.complete) collected.note = "ncu's table is cut off";
  } catch (const Error&) {
    explain(failure, result, result.output + log.content(), limit);
    collected.note = failure.why;
  }
  if (result.timed_out) collected.note = text("ncu was stopped after ", limit, " s");
  return collected;
}

CounterReadings count_with_perf(const std::string& perf, const std::vector<std::string>& command,
                                double limit) {
  std::vector<std::string> all{perf, "stat", "-x", ",", "-e", perf_events, "--"};
  all.insert(all.end(), command.begin(), command.end());
  const ChildResult result = run_child(all, limit);
  return result.exit_code == 0 && !result.timed_out ? parse_perf(result.output) : CounterReadings{};
}

GpuState gpu_state(const std::string& pci_bus_id) {
  const std::string tool = find_program("nvidia-smi");
  if (tool.empty()) return {};
  const ChildResult result = run_child(
      {tool, "--id=" + pci_bus_id, "--query-gpu=clocks.sm,clocks.mem,temperature.gpu,driver_version",
       "--format=csv,noheader,nounits"},
      short_limit);
  bool complete = true;
  const auto records = parse_csv(result.output, complete);
  if (result.exit_code != 0 || records.empty() || records[0].size() != 4) return {};
  const auto field = [&](int column) {
    const std::string& value = records[0][column];
    return value.substr(std::min(value.find_first_not_of(' '), value.size()));
  };
  const auto number = [&](int column) { return to_base_units(field(column), "").value_or(0); };
  return {number(0), number(1), number(2), escaped(field(3), 40)};
}

}  // namespace minimod
