/// Shapes that are compiled when asked for: the code that comes of it, and what is kept of it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/compiled/compiled_shape.hpp"
#include "kernels/registry.hpp"
#include "kernels/rings/equation_ring.hpp"
#include "kernels/whole/whole_planners.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "validation/shapes/device_shapes.hpp"
#include "validation/shapes/field_set.hpp"
#include "validation/unit/base/expect_error.hpp"
#include "validation/unit/kernels/gpu_target.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

const SmallDomain odd_domain{{37, 29, 23}, 5};

NamedShape named(const std::string& name) {
  return parse_shape_name(name).value();
}

/// One step of all seven launches.
template <class Real = float>
FieldSet<Real> after_a_step(const LaunchPlanners& planners, int radius = stencil_radius) {
  FieldSet<Real> f(odd_domain.n, odd_domain.pml_width, 7, radius);
  run_once(planners.inner, f.args(f.regions.inner));
  for (int region = 0; region < 6; ++region) run_once(planners.pml, f.args(f.regions.pml[region], region));
  return f;
}

LaunchPlanners planners_of(const HostFunctions& functions, int radius = stencil_radius,
                           Precision precision = Precision::float32, Equation equation = Equation::wave) {
  const auto planner = [&](int formula) {
    return planner_of_host_function(functions[formula], radius, precision, equation);
  };
  LaunchPlanners planners;
  planners.inner = planner(0);
  planners.pml = planner(1);
  return planners;
}

/// Difference of an iteration of Jacobi's by a shape from the reference's.
template <class Real>
double difference_of_iteration(const NamedShape& shape, int radius, const CodeCache& cache) {
  constexpr Precision precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
  const auto after = [&](const LaunchPlanners& planners) {
    FieldSet<Real> f({37, 26, 29}, 0, 7, radius);
    run_once(planners.inner, f.args_of_all());
    return f;
  };
  const auto functions =
      compile_for_host(host_source(shape, radius, precision, Equation::jacobi), host_compiler(), cache);
  return after(planners_of(functions, radius, precision, Equation::jacobi))
      .difference_of_u_next(after(find_shape("reference", radius, precision, Equation::jacobi).host));
}

/// A compiler that compiles once, and then makes what it made then; `calls` counts.
class RepeatingCompiler {
 public:
  explicit RepeatingCompiler(const TemporaryDirectory& folder) : folder_(folder.path()) {
    const std::string made = (folder_ / "made").string(), log = (folder_ / "calls").string();
    path_ = folder.write("compiler", "#!/bin/sh\necho call >> " + log + "\nfor out; do :; done\n[ -e " +
                                         made + " ] || " + host_compiler() + " \"$@\" || exit 1\n[ -e " +
                                         made + " ] || cp \"$out\" " + made + "\ncp " + made + " \"$out\"\n");
    fs::permissions(path_, fs::perms::owner_all);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::ptrdiff_t calls() const {
    std::ifstream log(folder_ / "calls");
    return std::count(std::istreambuf_iterator<char>(log), {}, '\n');
  }

 private:
  fs::path folder_;
  std::string path_;
};

std::string bytes_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_content(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("Tiles that are not built in give the reference's field", "[shapes]") {
  const TemporaryDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  const FieldSet<float> expected = after_a_step(find_shape("reference").host);
  std::set<HostFunctions::value_type> loaded;
  for (const char* name : {"gmem_16x4x2", "st_reg_fixed_db_24x20", "in_plane_full_48x12_r1x3_v2"}) {
    CAPTURE(name);
    const auto functions = compile_for_host(host_source(named(name), stencil_radius, Precision::float32),
                                            host_compiler(), cache);
    for (const auto function : functions) CHECK(loaded.insert(function).second);
    const FieldSet<float> f = after_a_step(planners_of(functions));
    CHECK(f.difference_of_u_next(expected) <= 1e-6);
    CHECK(relative_difference(f.phi, expected.phi) <= 1e-6);
    if (find_shape(name).sums == "star") CHECK(same_bits(f.phi, expected.phi));
  }
}

TEST_CASE("Families of shapes give the reference's field with stencils of other orders", "[shapes]") {
  const TemporaryDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  for (const auto& [name, radius] : {std::pair{"st_reg_shft_16x16", 1},
                                     {"st_semi_16x16", 2},
                                     {"semi_8x8x8", 3},
                                     {"smem_partial_32x8", 5},
                                     {"in_plane_horizontal_32x8_r1x1", 1},
                                     {"in_plane_full_32x16_r1x2_v2", 6},
                                     {"gmem_column_32x4x8", 7},
                                     {"st_window_32x8x16", 1},
                                     {"st_window_16x16x8", 3},
                                     {"st_window_32x8x16", 6},
                                     {"st_window_16x8x32", 8},
                                     {"coarsened_16x16x16", 8}}) {
    CAPTURE(name, radius);
    const CodeShape& shape = find_shape(name, radius);
    CHECK(shape.radius == radius);
    const FieldSet<float> expected = after_a_step(find_shape("reference", radius).host, radius);
    const auto functions =
        compile_for_host(host_source(named(name), radius, Precision::float32), host_compiler(), cache);
    const FieldSet<float> f = after_a_step(planners_of(functions, radius), radius);
    CHECK(f.difference_of_u_next(expected) <= 1e-6);
    CHECK(relative_difference(f.phi, expected.phi) <= 1e-6);
    if (shape.sums == "star") CHECK(same_bits(f.phi, expected.phi));
    CHECK(difference_of_iteration<float>(named(name), radius, cache) <= 1e-6);
  }
}

TEST_CASE("Families of shapes give the reference's field in double", "[shapes]") {
  const TemporaryDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  for (const auto& [name, radius] : {std::pair{"gmem_column_32x4x8", 2},
                                     {"smem_u_8x8x8", 4},
                                     {"smem_eta_3_8x8x8", 4},
                                     {"semi_8x8x8", 2},
                                     {"coarsened_16x16x16", 4},
                                     {"st_reg_fixed_db_16x16", 6},
                                     {"st_semi_16x16", 4},
                                     {"smem_partial_32x8", 2},
                                     {"st_window_16x16x16", 1},
                                     {"st_window_32x8x16", 4},
                                     {"st_window_16x8x32", 7},
                                     {"in_plane_full_32x16_r1x2_v2", 6}}) {
    CAPTURE(name, radius);
    const CodeShape& shape = find_shape(name, radius, Precision::float64);
    CHECK(shape.precision == Precision::float64);
    const LaunchPlanners right = find_shape("reference", radius, Precision::float64).host;
    const auto expected = after_a_step<double>(right, radius);
    const auto functions =
        compile_for_host(host_source(named(name), radius, Precision::float64), host_compiler(), cache);
    const LaunchPlanners planners = planners_of(functions, radius, Precision::float64);
    const auto f = after_a_step<double>(planners, radius);
    CHECK(f.difference_of_u_next(expected) <= 1e-14);
    CHECK(relative_difference(f.phi, expected.phi) <= 1e-14);
    if (shape.sums == "star" && !shape.needs.eta_field) CHECK(same_bits(f.phi, expected.phi));
    CHECK(difference_of_iteration<double>(named(name), radius, cache) <= 1e-14);
  }
}

TEST_CASE("What was compiled is kept, and what is damaged or another's is made anew", "[shapes]") {
  const TemporaryDirectory folder;
  const fs::path kept = folder.path() / "cache";
  const CodeCache cache(kept);
  const RepeatingCompiler compiler(folder);
  const ShapeSource source = host_source(named("gmem_5x3x7"), stencil_radius, Precision::float32);
  const auto compile = [&] {
    const auto functions = compile_for_host(source, compiler.path(), cache);
    CHECK(functions[0] != nullptr);
    REQUIRE(std::distance(fs::directory_iterator(kept), {}) == 1);
  };
  compile();
  compile();
  CHECK(compiler.calls() == 1);
  const fs::path entry = fs::directory_iterator(kept)->path();
  CHECK(fs::status(entry).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  const std::string good = bytes_in(entry);

  std::ptrdiff_t calls = 1;
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  std::string other_key = good;
  other_key[good.size() - 100] ^= 1;
  for (const std::string& damaged : {std::string(), std::string("text"), flipped, other_key, good + '\n',
                                     good.substr(0, good.size() - 1), good.substr(1)}) {
    write_content(entry, damaged);
    compile();
    CHECK(compiler.calls() == ++calls);
    CHECK(bytes_in(entry) == good);
  }
  fs::permissions(entry, fs::perms::group_write, fs::perm_options::add);
  compile();
  CHECK(compiler.calls() == ++calls);
  if (geteuid() == 0) {
    REQUIRE(chown(entry.c_str(), 65534, 65534) == 0);
    compile();
    CHECK(compiler.calls() == ++calls);
  }
  const std::string elsewhere = folder.write("elsewhere", good);
  fs::remove(entry);
  fs::create_symlink(elsewhere, entry);
  compile();
  CHECK(compiler.calls() == ++calls);
  CHECK_FALSE(fs::is_symlink(entry));
  compile();
  CHECK(compiler.calls() == calls);
}

TEST_CASE("The key of compiled code changes with all that it follows from", "[shapes]") {
  const ShapeSource source = host_source(named("gmem_5x3x7"), stencil_radius, Precision::float32);
  CHECK(source.key("c++ -O1") ==
        host_source(named("gmem_5x3x7"), stencil_radius, Precision::float32).key("c++ -O1"));
  CHECK(source.key("c++ -O1") != source.key("c++ -O2"));
  CHECK(source.key("c++") != host_source(named("gmem_5x3x8"), stencil_radius, Precision::float32).key("c++"));
  ShapeSource changed = source;
  changed.headers["kernels/update.hpp"] = "";
  CHECK(source.key("c++") != changed.key("c++"));
  CHECK(source.headers.contains("kernels/stencil.hpp"));
  CHECK_FALSE(source.headers.contains("kernels/shapes/in_plane.hpp"));
}

TEST_CASE("A compiler that is not there, or that refuses, is an error of one line", "[shapes]") {
  const TemporaryDirectory folder;
  const ShapeSource source = host_source(named("gmem_5x3x7"), stencil_radius, Precision::float32);
  const CodeCache cache(folder.path() / "cache"), nowhere("");
  const Outcome none =
      outcome_of([&] { static_cast<void>(compile_for_host(source, "/nowhere/c++", nowhere)); });
  CHECK(none.kind == ErrorKind::unavailable);
  CHECK(none.says("gmem_5x3x7 is not built in, and cannot be compiled: '/nowhere/c++'"));
  CHECK(none.message.size() <= longest_message);

  const std::string refusing = folder.write("compiler", "#!/bin/sh\necho 'no such thing' >&2\nexit 1\n");
  fs::permissions(refusing, fs::perms::owner_all);
  const Outcome refused = outcome_of([&] { static_cast<void>(compile_for_host(source, refusing, cache)); });
  CHECK(refused.kind == ErrorKind::unavailable);
  CHECK(refused.says("what it says is in '" + (folder.path() / "cache" / "gmem_5x3x7.log").string()));
  CHECK(bytes_in(folder.path() / "cache" / "gmem_5x3x7.log").ends_with("no such thing\n"));
}

TEST_CASE("nvrtc takes the shapes' headers without a toolkit's beside it", "[shapes]") {
  const GpuTarget gpu = GpuTarget::h100();
  gpu.skip_without_compiler();
  const TemporaryDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  for (const auto& [name, radius, precision] : {std::tuple{"gmem_16x4x2", 4, Precision::float32},
                                                {"st_reg_fixed_db_24x20", 4, Precision::float32},
                                                {"st_window_24x6x5", 4, Precision::float32},
                                                {"st_window_32x16x64", 7, Precision::float64},
                                                {"gmem_256x1x1", 1, Precision::float64},
                                                {"in_plane_full_32x16_r1x2", 3, Precision::float64},
                                                {"st_semi_32x16", 8, Precision::float32}}) {
    CAPTURE(name, radius);
    CHECK(gpu.takes(device_source(named(name), radius, precision, Formula::pml), cache));
  }
  CHECK(gpu.takes(source_of_whole<TmaWholeOf<2>>(), cache));
  CHECK(gpu.takes(source_of_whole<TmaWholeChunksOf<1>>(), cache));
  CHECK(gpu.takes(source_of_whole<TmaWholeStep<50, 5, 4, 3, 3, 1>>(), cache));
  CHECK(gpu.takes(source_of_whole<TmaWholeStepChunksOf<2>>(), cache));
  CHECK(gpu.takes(source_of_whole<TmaWholeStep<16, 16, 3, 3, 3, 6>>(), cache));
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    for (const int radius : {1, 6, 8}) {
      CAPTURE(radius);
      for (const Formula formula : {Formula::inner, Formula::pml})
        CHECK(gpu.takes(ring_source(radius, precision, formula), cache));
      for (const Equation equation : {Equation::density, Equation::vti}) {
        const auto takes = [&](Formula formula, const EquationRingShape& shape) {
          return gpu.takes(equation_ring_source(equation, radius, precision, formula, shape), cache);
        };
        const EquationRingFacts facts = equation_ring_facts(equation, radius, precision);
        CHECK(takes(Formula::inner, facts.inner));
        CHECK(takes(Formula::pml, facts.layer));
        CHECK(takes(Formula::pml, facts.across_x));
      }
    }
  }
}

TEST_CASE("hiprtc takes a tile of each family, of other orders and in double precision", "[shapes]") {
  const GpuTarget gpu = GpuTarget::mi200();
  gpu.skip_without_compiler();
  const TemporaryDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  for (const char* const name : tiles_compiled_for_gpus) {
    for (const auto& [radius, precision] :
         {std::pair{stencil_radius, Precision::float32}, {2, Precision::float32}, {3, Precision::float64}}) {
      CAPTURE(name, radius);
      CHECK(gpu.takes(device_source(named(name), radius, precision, Formula::pml), cache));
    }
  }
}

TEST_CASE("Compilers of GPU code take the other equations, keep what they made, and refuse in one line",
          "[shapes]") {
  const bool is_amd = GENERATE(false, true);
  const GpuTarget gpu = is_amd ? GpuTarget::mi200() : GpuTarget::h100();
  gpu.skip_without_compiler();
  const TemporaryDirectory folder;
  const CodeCache cache(folder.path() / "cache");
  for (const Equation equation : {Equation::density, Equation::vti}) {
    for (const char* name : {"gmem_256x1x1", "smem_u_8x8x8"}) {
      CAPTURE(equation, name);
      CHECK(gpu.takes(device_source(named(name), 4, Precision::float32, Formula::mixed, equation), cache));
    }
  }
  const ShapeSource source =
      device_source(named("gmem_16x4x2"), stencil_radius, Precision::float32, Formula::pml);
  CHECK(gpu.compile(source, cache) == gpu.compile(source, cache));
  const ShapeSource wrong = make_device_source("wrong", "#error no such thing\n", "");
  const Outcome refused = outcome_of([&] { static_cast<void>(gpu.compile(wrong, cache)); });
  CHECK(refused.kind == ErrorKind::unavailable);
  CHECK(refused.says("does not compile the kernel wrong for"));
  CHECK(bytes_in(folder.path() / "cache" / "wrong.log").find("no such thing") != std::string::npos);
  if (is_amd) return;  // hiprtc 5.2 ends the process at a GPU that it does not know
  const Outcome unknown =
      outcome_of([&] { static_cast<void>(GpuCompiler::nvrtc().compile(source, "sm_13", cache)); });
  CHECK(unknown.kind == ErrorKind::unavailable);
  CHECK(unknown.says("for sm_13"));
}
