#include "src/measure/report/machine_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "src/base/error.hpp"
#include "src/base/json.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/base/process/screen.hpp"
#include "src/device/device_option.hpp"

namespace minimod {

namespace {

void print_heading(const std::string& heading) {
  std::printf("\n%s\n\n", heading.c_str());
}

/// A line of a list; nothing where there is nothing to say.
void print_item(const std::string& name, const std::string& value) {
  if (!value.empty()) print_wrapped(text(name, ": ", value), "- ");
}

std::string gib(const Json& bytes) {
  return text(three_digits(bytes.get<double>() / (1 << 30)), " GiB");
}

/// "2 sockets"; empty of 0, which nobody knows.
std::string counted(const Json& count, const char* one, const char* many) {
  const int n = count.get<int>();
  return n == 0 ? "" : text(n, ' ', n == 1 ? one : many);
}

/// The parts that say something, with commas.
std::string with_commas(std::vector<std::string> parts) {
  std::erase(parts, "");
  return joined(parts);
}

/// The figure with what stands around it; empty where there is none.
std::string figure(const char* before, const Json& value, const char* unit) {
  return value.is_null() ? "" : text(before, value.get<double>(), unit);
}

std::string switched(const char* name, const Json& value) {
  return value.is_null() ? "" : text(name, value.get<bool>() ? " on" : " off");
}

void print_build(const Json& build) {
  print_heading("## Build");
  print_item("minimod",
             text(build["version"].get<std::string>(), ", commit ", build["git_hash"].get<std::string>()));
  const std::pair<const char*, const char*> names[] = {
      {"compiler", "compiler"},           {"CUDA compiler", "cuda_compiler"}, {"flags", "flags"},
      {"code for", "cuda_architectures"}, {"libraries", "libraries"},         {"MPI", "mpi"}};
  for (const auto& [name, key] : names) print_item(name, build[key].get<std::string>());
}

void print_host(const Json& host) {
  print_heading("## Machine");
  print_item("processor", with_commas({host["processor"].get<std::string>(),
                                       host["virtual_machine"].get<bool>() ? "virtual machine" : "",
                                       counted(host["sockets"], "socket", "sockets"),
                                       counted(host["cores"], "core", "cores"),
                                       counted(host["processors"], "hardware thread", "hardware threads"),
                                       text(host["processors_allowed"].get<int>(), " allowed")}));
  const Json& nodes = host["numa_nodes"];
  const std::string huge = host["huge_pages"].get<std::string>();
  print_item("memory",
             with_commas({gib(host["memory_bytes"]), counted(nodes.size(), "NUMA node", "NUMA nodes"),
                          huge.empty() ? "" : "huge pages " + huge}));
  for (const Json& node : nodes) {
    if (nodes.size() == 1) break;
    print_item("NUMA node",
               text("processors ", node["processors"].get<std::string>(), ", ", gib(node["memory_bytes"])));
  }
  const Json& clock = host["clock"];
  print_item("clock", clock.is_null()
                          ? "not told"
                          : text("governor ", clock["governor"].get<std::string>(), " of ",
                                 clock["driver"].get<std::string>(), ", ", clock["least_mhz"].get<double>(),
                                 " to ", clock["greatest_mhz"].get<double>(), " MHz"));
  print_item("system",
             with_commas({host["kernel"].get<std::string>(), host["c_library"].get<std::string>()}));
}

void print_gpu(const Json& device) {
  print_item(device["name"].get<std::string>(),
             with_commas({gib(device["memory_bytes"]),
                          counted(device["multiprocessors"], "multiprocessor", "multiprocessors"),
                          device.contains("architecture")
                              ? device["architecture"].get<std::string>()
                              : "compute capability " + device["compute_capability"].get<std::string>(),
                          device["driver"].get<std::string>()}));
  const Json& state = device["state"];
  if (state.contains("why_not"))
    return print_item("its driver's settings", state["why_not"].get<std::string>());
  print_item("its driver", with_commas({state["driver"].get<std::string>(),
                                        figure("power cap ", state["power_cap_watts"], " W"),
                                        figure("clock up to ", state["most_clock_mhz"], " MHz"),
                                        figure("memory's up to ", state["most_memory_clock_mhz"], " MHz"),
                                        switched("ECC", state["ecc"]), switched("MIG", state["mig"]),
                                        switched("persistence", state["persistence"])}));
  print_item("now", with_commas({figure("", state["clock_mhz"], " MHz"),
                                 figure("memory ", state["memory_clock_mhz"], " MHz"),
                                 figure("", state["watts"], " W"),
                                 figure("", state["celsius"], " degrees Celsius")}));
}

/// A row of a table, whose first two columns are words.
void print_cells(const std::array<std::string, 8>& cells) {
  constexpr int widths[] = {6, 28, 7, 7, 7, 5, 7, 7};
  for (std::size_t i = 0; i < cells.size(); ++i)
    std::printf(i < 2 ? "| %-*s " : "| %*s ", widths[i], cells[i].c_str());
  std::printf("|\n");
  std::fflush(stdout);
}

}  // namespace

void print_facts(const Json& report) {
  std::printf("# %s\n", command("report").c_str());
  print_build(report["build"]);
  print_host(report["machine"]);
  print_heading("## Devices");
  for (const Json& device : report["devices"]) {
    if (device.contains("why_not")) {
      print_item(text(device["kind"].get<std::string>(), ' ', device["index"].get<int>()),
                 device["why_not"].get<std::string>());
    } else if (device["kind"] == gpu_kind) {
      print_gpu(device);
    } else {
      print_item("CPU", with_commas({device["name"].get<std::string>(),
                                     counted(device["threads"], "thread", "threads"),
                                     device["cpu_level"].get<std::string>()}));
    }
  }
  print_item("no GPU", report["no_gpu"].get<std::string>());
  std::fflush(stdout);
}

void print_device_heading(const Json& device, std::size_t number) {
  print_heading(text("## Measured: ", device["name"].get<std::string>(), " (device ", number, ')'));
}

void print_ceilings(const Json& device) {
  for (const auto& [name, ceiling] : device["ceilings"].members()) {
    print_item(text('`', name, '`'),
               text(three_digits(ceiling["rate"].get<double>()), ' ', ceiling["unit"].get<std::string>()));
  }
}

void print_rates_head() {
  std::printf("\n");
  print_cells({"grid", "kernel (auto)", "Gpt/s", "least", "most", "runs", "ceiling", "Mpt/J"});
  std::printf("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
}

void print_rate(const Json& row) {
  const std::string grid = text(row["n"][0].get<int>(), "^3");
  if (row.contains("why_not")) return print_cells({grid, "left out: " + row["why_not"].get<std::string>()});
  const std::string kernel = text('`', row["kernels"]["inner"].get<std::string>(), '`');
  if (!row["verified"].get<bool>()) return print_cells({grid, kernel + " is wrong"});
  const Json& rate = row["gpt_per_s"];
  const Json joules = row["power"].is_null() ? Json() : row["power"]["mpt_per_j"];
  print_cells({grid, kernel, three_digits(rate["median"].get<double>()),
               three_digits(rate["min"].get<double>()), three_digits(rate["max"].get<double>()),
               text(row["runs"].size()), text(std::lround(100 * row["share_of_ceiling"].get<double>()), " %"),
               joules.is_null() ? "-" : three_digits(joules.get<double>())});
}

void print_energy(const Json& device) {
  if (!device.contains("energy")) return;
  const Json& energy = device["energy"];
  std::printf("\n");
  print_item("energy", energy["how"].is_null() ? text("not told: ", energy["why_not"].get<std::string>())
                                               : energy["how"].get<std::string>());
}

}  // namespace minimod
