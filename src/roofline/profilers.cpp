#include "src/roofline/profilers.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>

#include "src/base/error.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/base/parse.hpp"
#include "src/roofline/child_process.hpp"

namespace minimod {

namespace {

constexpr double short_limit = 20;  ///< seconds, of a question to a tool
constexpr const char* probe_metric = "smsp__inst_executed.sum";
constexpr const char* perf_events = "cycles,instructions,cache-references,cache-misses";

/// The first line with `part`, without what is around it.
std::string line_with(const std::string& output, const std::string& part) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != std::string::npos) return escaped(line, 120);
  }
  return "";
}

/// For what ncu writes. Error 69.
TemporaryDirectory folder_of_log() {
  try {
    return {};
  } catch (const std::system_error& failure) {
    throw Error(ErrorKind::unavailable, text("no folder for temporary files: ", failure.code().message()),
                "set TMPDIR to a folder that you may write to");
  }
}

struct NcuRun {
  ChildResult result;
  std::string log;
};

/// Profile of `command`, with clocks and caches as they are, between cudaProfilerStart and cudaProfilerStop.
NcuRun run_ncu(const std::string& ncu, const std::vector<std::string>& metrics,
               const std::vector<std::string>& command, double limit) {
  const TemporaryDirectory folder = folder_of_log();
  const std::string log = (folder.path() / "log").string();
  std::vector<std::string> all{ncu};
  for (const std::string_view word : split("--csv --page raw --print-units base --clock-control none "
                                           "--cache-control none --profile-from-start off",
                                           ' ')) {
    all.emplace_back(word);
  }
  all.insert(all.end(), {"--metrics", joined(metrics, ","), "--log-file", log});
  all.insert(all.end(), command.begin(), command.end());
  NcuRun run{run_child(all, limit), ""};
  std::ostringstream content;
  content << std::ifstream(log).rdbuf();
  run.log = content.str();
  return run;
}

/// Why ncu gave no counters, and what helps.
void explain(CounterAccess& access, const NcuRun& run, double limit) {
  const std::string said = run.result.output + run.log;
  if (said.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    access.why = "this user may not read the GPU's counters (ERR_NVGPUCTRPERM)";
    access.fix =
        "run as root, or in a container with --cap-add=SYS_ADMIN, or have the administrator put 'options "
        "nvidia NVreg_RestrictProfilingToAdminUsers=0' into /etc/modprobe.d/ and load the driver again";
  } else if (run.result.timed_out) {
    access.why = text("ncu did not end within ", limit, " s");
    access.fix = "is another profiler or DCGM using the counters? (dcgmi profile --pause)";
  } else if (said.find("already in use") != std::string::npos ||
             said.find("ERR_NVGPUCTR") != std::string::npos) {
    access.why = "another profiler or DCGM uses the GPU's counters";
    access.fix = "end it, or dcgmi profile --pause";
  } else {
    std::string line = line_with(said, "minimod: error:");  // error of the run that ncu looked at
    if (line.empty()) line = line_with(said, "==ERROR==");
    access.why = line.empty() ? text("ncu ended with ", run.result.exit_code, " and no counters") : line;
    access.fix = "try ncu by itself on this program";
  }
}

/// `what` provides the tool; `ask` fills what is known of its counters.
CounterAccess probed(const std::string& tool, const char* missing, const char* fix, const char* what,
                     const std::function<void(CounterAccess&)>& ask) {
  CounterAccess access;
  access.tool = tool;
  if (tool.empty()) {
    access.why = missing;
    access.fix = fix;
    return access;
  }
  try {
    ask(access);
  } catch (const Error& failure) {
    access.why = failure.what();
    access.fix = text("repair the installation of ", what);
  }
  return access;
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
  return probed(ncu, "there is no ncu on PATH or under /usr/local/cuda",
                "install Nsight Compute (it comes with CUDA's toolkit) or put its ncu on PATH",
                "Nsight Compute", [&](CounterAccess& access) {
                  access.version = line_with(run_child({ncu, "--version"}, short_limit).output, "Version");
                  const NcuRun run = run_ncu(ncu, {probe_metric}, command, limit);
                  const bool has_table = run.log.find("\"ID\"") != std::string::npos;
                  const auto kernels = has_table ? parse_ncu(run.log).kernels : std::vector<KernelCounters>{};
                  access.usable = !kernels.empty() && kernels.front().readings.count(probe_metric) > 0;
                  if (!access.usable) explain(access, run, limit);
                });
}

CounterAccess probe_perf(const std::string& perf, double limit) {
  return probed(
      perf, "there is no perf on PATH", "install the system's linux-perf or linux-tools", "perf",
      [&](CounterAccess& access) {
        access.version = line_with(run_child({perf, "--version"}, limit).output, "perf");
        access.usable = count_with_perf(perf, {"true"}, limit).count("instructions") > 0;
        if (access.usable) return;
        access.why = "perf cannot count instructions here";
        access.fix =
            "on a machine of your own: sysctl kernel.perf_event_paranoid=2; virtual machines often have no "
            "counters";
      });
}

CollectedCounters collect_with_ncu(const std::string& ncu, const std::vector<std::string>& metrics,
                                   const std::vector<std::string>& command, double limit) {
  const NcuRun run = run_ncu(ncu, metrics, command, limit);
  CollectedCounters collected;
  CounterAccess failure;
  try {
    CounterTable table = parse_ncu(run.log);
    collected.kernels = std::move(table.kernels);
    for (KernelCounters& kernel : collected.kernels) {  // ncu adds the average, least and greatest of a sum
      std::erase_if(kernel.readings, [&](const auto& reading) {
        return std::ranges::find(metrics, reading.first) == metrics.end();
      });
    }
    if (!table.complete) collected.note = "ncu's table is cut off";
  } catch (const Error&) {
    explain(failure, run, limit);
    collected.note = failure.why;
  }
  if (run.result.timed_out) collected.note = text("ncu was stopped after ", limit, " s");
  return collected;
}

CounterReadings count_with_perf(const std::string& perf, const std::vector<std::string>& command,
                                double limit) {
  std::vector<std::string> all{perf, "stat", "-x", ",", "-e", perf_events, "--"};
  all.insert(all.end(), command.begin(), command.end());
  const ChildResult result = run_child(all, limit);
  return result.exit_code == 0 && !result.timed_out ? parse_perf(result.output) : CounterReadings{};
}

}  // namespace minimod
