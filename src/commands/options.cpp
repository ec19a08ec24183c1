#include "src/commands/options.hpp"

#include <iostream>
#include <limits>

#include <CLI/CLI.hpp>

#include "src/base/build_info.hpp"
#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

constexpr int int_max = std::numeric_limits<int>::max();
constexpr int longest_axis = 1'000'000;  // far more than any memory holds, and sums of such stay in an int
constexpr const char* run_group = "Run";
constexpr const char* model_group = "Model";
constexpr const char* survey_group = "Source and receivers";
constexpr const char* time_group = "Time";
constexpr const char* output_group = "Output";

int to_int(const std::string& value, const std::string& option, int min, int max = int_max) {
  return static_cast<int>(parse_integer(value, option, min, max));
}

DeviceOption parse_device(const std::string& value) {
  if (value == "auto") return {};
  if (value == "cpu") return {DeviceOption::Kind::cpu, 0};
  if (value == "cuda") return {DeviceOption::Kind::cuda, 0};
  if (value.rfind("cuda:", 0) == 0) {
    return {DeviceOption::Kind::cuda, to_int(value.substr(5), "--device cuda:", 0)};
  }
  throw Error(ExitCode::usage, text("--device is '", escaped(value), "'"), "give auto, cpu, cuda or cuda:N");
}

constexpr std::pair<Decomposition, const char*> decompositions[] = {
    {Decomposition::seven, "seven"}, {Decomposition::two, "two"}, {Decomposition::one, "one"}};
constexpr std::pair<BoundaryKind, const char*> boundaries[] = {
    {BoundaryKind::pml, "pml"}, {BoundaryKind::cpml, "cpml"}, {BoundaryKind::sponge, "sponge"}};
constexpr std::pair<Interpolation, const char*> interpolations[] = {
    {Interpolation::nearest, "nearest"}, {Interpolation::sinc, "sinc"}, {Interpolation::sinc8, "sinc8"}};
constexpr std::pair<BenchField, const char*> fields[] = {{BenchField::random, "random"},
                                                         {BenchField::source, "source"}};

/// The value of that name in a table of such.
template <class Choice, std::size_t Count>
Choice parse_choice(const std::pair<Choice, const char*> (&table)[Count], const std::string& value,
                    const std::string& option) {
  std::string names;
  for (std::size_t i = 0; i < Count; ++i) {
    if (value == table[i].second) return table[i].first;
    names += text(i == 0 ? "" : i + 1 == Count ? " or " : ", ", table[i].second);
  }
  throw Error(ExitCode::usage, text(option, " is '", escaped(value), "'"), text("give ", names));
}

template <class Choice, std::size_t Count>
std::string name_in(const std::pair<Choice, const char*> (&table)[Count], Choice choice) {
  for (const auto& [candidate, name] : table) {
    if (candidate == choice) return name;
  }
  return "";
}

const Schedule& parse_schedule(const std::string& value, const std::string& option) {
  if (const Schedule* found = find_schedule(value)) return *found;
  std::string names;
  for (const Schedule* schedule : all_schedules()) names += (names.empty() ? "" : ", ") + schedule->name();
  throw Error(ExitCode::usage, text(option, " is '", escaped(value), "'"), text("give one of ", names));
}

/// "A:B".
StepRange parse_step_range(const std::string& value, const std::string& option) {
  const auto ends = split(value, ':');
  if (ends.size() != 2) {
    throw Error(ExitCode::usage, text(option, " is '", escaped(value), "'"),
                "give the first step and the one behind the last as A:B");
  }
  const int begin = to_int(std::string(ends[0]), option, 0, int_max - 1);
  return {begin, to_int(std::string(ends[1]), option, begin + 1)};
}

/// "x0:x1,y0:y1,z0:z1"; an axis may be ":" for all of it.
Box3 parse_crop(const std::string& value) {
  const auto axes = split(value, ',');
  Box3 box;
  int* const ends[3][2] = {
      {&box.begin.x, &box.end.x}, {&box.begin.y, &box.end.y}, {&box.begin.z, &box.end.z}};
  bool right = axes.size() == 3;
  for (std::size_t axis = 0; right && axis < 3; ++axis) {
    const auto range = split(axes[axis], ':');
    right = range.size() == 2;
    if (!right || axes[axis] == ":") continue;
    *ends[axis][0] = to_int(std::string(range[0]), "--crop", 0);
    *ends[axis][1] = to_int(std::string(range[1]), "--crop", *ends[axis][0] + 1);
  }
  if (right) return box;
  throw Error(ExitCode::usage, text("--crop is '", escaped(value), "'"),
              "give the nodes to keep as X0:X1,Y0:Y1,Z0:Z1, a lone ':' for a whole axis");
}

/// The table of options: each stands once, with the function that reads its value.
class OptionTable {
 public:
  OptionTable(CLI::App& app, Options& options) : app_(app), options_(options) {}

  void add_run() {
    add_kernel();
    add_run_options();
    add_device();
    add_emulate();
    add_schedule();
    add_domain();
    add_model_options();
    add_survey_options();
    add_steps();
    add_time_options();
    add_json();
    add_output_options();
    add_warmup();
    add_profile_range();
  }

  void add_bench() {
    add_kernel();
    add_device();
    add_schedule();
    add_domain();
    add_steps();
    add_bench_options();
    add_field("what the kernels work on: random or source, a developed wavefield (random)");
    add_warmup();
    add_json();
  }

  void add_roofline() {
    add_kernel();
    add_device();
    add_schedule();
    add_domain();
    add_field("what the kernels work on: random or source, a developed wavefield (source)");
    add_warmup();
    add_profile_range();
    add_roofline_options();
  }

  void add_verify() {
    Options& o = options_;
    app_.add_option("CASE", o.cases, "cases to run, or all (the light ones)");
    add_kernel();
    add_device();
    add_emulate();
    add_schedule();
    add_json();
    value("--plot", "DIR", output_group, "write curves, which the launcher draws",
          [&o](const auto& v, const auto&) { o.plot = v; });
    flag("--list", output_group, "list the cases instead", o.list);
  }

 private:
  template <class Read>
  void value(const char* name, const char* type, const char* group, const char* help, Read read) {
    const std::string option = std::string(name).substr(std::string_view(name).find("--"));
    app_.add_option_function<std::string>(
            name, [read, option](const std::string& given) { read(given, option); }, help)
        ->type_name(type)
        ->group(group);
  }
  void flag(const char* name, const char* group, const char* help, bool& target) {
    app_.add_flag(name, target, help)->group(group);
  }

  void add_kernel() {
    value("-k,--kernel", "NAME", run_group,
          "code shape of all kernels, or auto (minimod kernels lists them; bench and roofline: all, or a "
          "list of names and patterns)",
          [&o = options_](const auto& v, const auto&) { o.kernel = v; });
    value("--pml-kernel", "NAME", run_group, "code shape of the six PML kernels (that of --kernel)",
          [&o = options_](const auto& v, const auto&) { o.pml_kernel = v; });
  }

  void add_device() {
    value("--device", "DEVICE", run_group, "auto, cpu, cuda or cuda:N",
          [&o = options_](const auto& v, const auto&) { o.device = parse_device(v); });
  }

  void add_emulate() {
    flag("--emulate", run_group, "without a GPU, play its threads on the host (slow, for study)",
         options_.emulate);
  }

  void add_schedule() {
    value(
        "--schedule", "S", run_group,
        "sequence (one launch after the other), beside (PML beside the inner box) or two-steps (inner box in "
        "launches of two steps); without it, what the kernel is made for",
        [&o = options_](const auto& v, const auto& name) { o.schedule = &parse_schedule(v, name); });
  }

  void add_run_options() {
    value("--pml-velocity", "V", run_group, "V_max of the layer's profile in m/s (the model's)",
          [&o = options_](const auto& v, const auto& name) { o.pml_velocity = parse_positive(v, name); });
  }

  void add_domain() {
    Options& o = options_;
    value("--decomposition", "D", run_group,
          "launches of a step: seven (inner box, six PML regions), two (inner box, the rest) or one",
          [&o](const auto& v, const auto& name) { o.decomposition = parse_choice(decompositions, v, name); });
    value("-g,--grid", "N|NX,NY,NZ", run_group, "points of the grid, PML included (200)",
          [&o](const auto& v, const auto& name) { o.grid = parse_extent(v, name); });
    value("--spacing", "H|HX,HY,HZ", run_group, "spacing in m (20, or the model file's)",
          [&o](const auto& v, const auto& name) { o.spacing = parse_spacing(v, name); });
    value("--boundary", "B", run_group,
          "pml (the Minimod form, kernels of its own), cpml (convolutional, reflects less) or sponge (pml)",
          [&o](const auto& v, const auto& name) { o.boundary = parse_choice(boundaries, v, name); });
    flag("--free-surface", run_group, "u = 0 on the plane z = 0, with nothing above it", o.free_surface);
    value("--pml-width", "N", run_group,
          "points of the absorbing layer on each face (27, at most a third of an axis)",
          [&o](const auto& v, const auto& name) { o.pml_width = to_int(v, name, 0, longest_axis); });
  }

  void add_bench_options() {
    Options& o = options_;
    value("--repeats", "N", run_group, "runs of each shape after a warm-up run (5)",
          [&o](const auto& v, const auto& name) { o.repeats = to_int(v, name, 1); });
    value("--csv", "FILE", output_group, "write a table, a shape a line",
          [&o](const auto& v, const auto&) { o.csv = v; });
  }

  void add_field(const char* help) {
    value("--field", "FIELD", run_group, help,
          [&o = options_](const auto& v, const auto& name) { o.field = parse_choice(fields, v, name); });
  }

  void add_warmup() {
    value("--warmup", "N", time_group, "first steps, which the measured speed leaves out",
          [&o = options_](const auto& v, const auto& name) { o.warmup = to_int(v, name, 0); });
  }

  void add_profile_range() {
    value("--profile-range", "A:B", time_group,
          "switch a profiler that waits for it on before step A and off before step B",
          [&o = options_](const auto& v, const auto& name) { o.profile_range = parse_step_range(v, name); });
  }

  void add_roofline_options() {
    Options& o = options_;
    flag("--no-counters", run_group, "do not ask a profiler for hardware counters", o.no_counters);
    flag("--strict", run_group, "exit with 65 when a figure fails a check", o.strict);
    value("-o,--output", "DIR", output_group,
          "folder of the report, replaced where there is one (the current)",
          [&o](const auto& v, const auto&) { o.output = v; });
  }

  void add_model_options() {
    Options& o = options_;
    value("-m,--model", "MODEL", model_group,
          "file.h5[:/dataset], file.sgy, file.bin, constant:V or layered:V0@Z0,V1@Z1,... (constant:2000)",
          [&o](const auto& v, const auto&) { o.model.source = v; });
    value("--model-dims", "NX,NY,NZ", model_group, "points of a raw file",
          [&o](const auto& v, const auto& name) { o.model.dims = parse_extent(v, name); });
    value("--model-axes", "AXES", model_group, "axes of the file from the fastest, such as zyx",
          [&o](const auto& v, const auto&) { o.model.axes = v; });
    value("--model-spacing", "H|HX,HY,HZ", model_group, "spacing of the file in m, where it does not say",
          [&o](const auto& v, const auto& name) { o.model.spacing = parse_spacing(v, name); });
    value("--velocity-unit", "UNIT", model_group, "m/s or km/s, where the file does not say (m/s)",
          [&o](const auto& v, const auto&) { o.model.unit = v; });
    value("--crop", "X0:X1,Y0:Y1,Z0:Z1", model_group, "nodes of the file to keep (half-open)",
          [&o](const auto& v, const auto&) { o.model.crop = parse_crop(v); });
    value("--decimate", "N|NX,NY,NZ", model_group, "keep every N-th node",
          [&o](const auto& v, const auto& name) {
            const Extent3 n = parse_extent(v, name);
            o.model.decimate = {n.x, n.y, n.z};
          });
    value("--extrude", "NY", model_group,
          "points along y that a 2-D section is extended to (two PML widths and one)",
          [&o](const auto& v, const auto& name) { o.extrude = to_int(v, name, 1, longest_axis); });
  }

  void add_survey_options() {
    Options& o = options_;
    value("-s,--source", "X,Y,Z", survey_group,
          "in m from the first node of the inner box, z down (the centre)",
          [&o](const auto& v, const auto& name) { o.source = parse_point(v, name); });
    value("-w,--wavelet", "WAVELET", survey_group,
          "ricker:f=F[,t0=T], gaussian:f=F[,t0=T] or a file (ricker:f=10)",
          [&o](const auto& v, const auto&) { o.wavelet = v; });
    value("-r,--receivers", "RECEIVERS", survey_group,
          "line:X0,Y0,Z0:X1,Y1,Z1:N, grid:X0,Y0,Z0:X1,Y1,Z1:NX,NY,NZ or file.csv (a line along x at z = 0)",
          [&o](const auto& v, const auto&) { o.receivers = v; });
    value("--interpolation", "I", survey_group,
          "positions between nodes: nearest node, sinc (8 nodes an axis) or sinc8 (16) (nearest)",
          [&o](const auto& v, const auto& name) { o.interpolation = parse_choice(interpolations, v, name); });
    flag("--allow-dispersion", survey_group, "run with fewer than 4 points per wavelength",
         o.allow_dispersion);
  }

  void add_steps() {
    value("--steps", "N", time_group, "time steps (1000)",
          [&o = options_](const auto& v, const auto& name) { o.steps = to_int(v, name, 1); });
  }

  void add_time_options() {
    Options& o = options_;
    value("--tmax", "T", time_group, "time to reach in s, instead of --steps",
          [&o](const auto& v, const auto& name) { o.tmax = parse_positive(v, name); });
    value("--dt", "DT", time_group, "time step in s, or auto: 0.8 of the stability limit",
          [&o](const auto& v, const auto& name) {
            if (v != "auto") o.dt = parse_positive(v, name);
          });
    value("--record-dt", "DT", time_group, "sampling of the gather in s, a multiple of the time step",
          [&o](const auto& v, const auto& name) { o.record_dt = parse_positive(v, name); });
  }

  void add_json() {
    value("--json", "FILE", output_group, "write the record",
          [&o = options_](const auto& v, const auto&) { o.json = v; });
  }

  void add_output_options() {
    Options& o = options_;
    value("-o,--output", "DIR", output_group, "folder of shot_gather.h5 (the current one)",
          [&o](const auto& v, const auto&) { o.output = v; });
    flag("--force", output_group, "overwrite an existing gather", o.force);
  }

  CLI::App& app_;
  Options& options_;
};

constexpr const char* footer =
    "The launcher adds: minimod test (build and run the tests), minimod plot GATHER -o PICTURE,\n"
    "minimod clean (remove what was built), and --no-install (refuse to install packages).";

/// The name of the first argument that no option has, with those nearest to it.
[[noreturn]] void refuse_unknown(const CLI::App& app, const std::vector<std::string>& rest) {
  std::vector<std::string> names;
  const CLI::App* chosen = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  for (const CLI::Option* option : chosen->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string unknown = rest.front().substr(0, rest.front().find('='));
  throw Error(ExitCode::usage, text("unknown argument '", escaped(unknown), "'"),
              text("did you mean ", nearest_names(unknown, names), "? (minimod --help lists all)"));
}

std::string one_line(std::string message) {
  for (char& c : message) c = c == '\n' ? ' ' : c;
  return escaped(message, 160);
}

}  // namespace

std::string field_name(BenchField field) {
  return name_in(fields, field);
}

std::string boundary_name(BoundaryKind kind) {
  return name_in(boundaries, kind);
}

std::string interpolation_name(Interpolation interpolation) {
  return name_in(interpolations, interpolation);
}

std::string decomposition_name(Decomposition decomposition) {
  return name_in(decompositions, decomposition);
}

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app("3-D acoustic wave propagation with a 25-point stencil, code shapes selected by name",
               "minimod");
  app.set_version_flag("--version", "minimod " + build_info().version);
  app.footer(footer);
  app.allow_extras();
  app.require_subcommand(0, 1);
  OptionTable(app, options).add_run();
  CLI::App* const kernels = app.add_subcommand("kernels", "list the code shapes and where they run here");
  CLI::App* const info = app.add_subcommand("info", "say what this build and this machine are");
  CLI::App* const bench = app.add_subcommand("bench", "verify code shapes and measure their speed");
  CLI::App* const roofline =
      app.add_subcommand("roofline", "measure ceilings and kernels of this machine: the roofline report");
  for (CLI::App* command : {kernels, info}) command->add_flag("--json", options.as_json, "for scripts");
  CLI::App* const verify = app.add_subcommand("verify", "prove the physics: cases with known answers");
  for (CLI::App* command : {kernels, info, bench, roofline, verify}) command->allow_extras();
  OptionTable(*bench, options).add_bench();
  OptionTable(*roofline, options).add_roofline();
  OptionTable(*verify, options).add_verify();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    app.exit(asked, std::cout);
    return std::nullopt;
  } catch (const CLI::ParseError& wrong) {
    throw Error(ExitCode::usage, one_line(wrong.what()), "minimod --help lists the options");
  }
  if (const auto rest = app.remaining(true); !rest.empty()) refuse_unknown(app, rest);
  if (app.got_subcommand(kernels)) options.command = Options::Command::kernels;
  if (app.got_subcommand(info)) options.command = Options::Command::info;
  if (app.got_subcommand(bench)) options.command = Options::Command::bench;
  if (app.got_subcommand(roofline)) options.command = Options::Command::roofline;
  if (app.got_subcommand(verify)) options.command = Options::Command::verify;
  return options;
}

}  // namespace minimod
