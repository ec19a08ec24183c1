#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/unit/models/segy_model_file.hpp"

namespace minimod {
namespace {

constexpr Extent3 points{4, 3, 5};  // 12.5 and 20 m apart, coordinates in tenths of a metre

/// A volume of which nothing says how its traces are arranged.
SegyFile silent_volume() {
  SegyFile file = volume(points);
  for (SegyTrace& trace : file.traces) {
    trace.x = trace.y = trace.inline_number = trace.crossline_number = 0;
    trace.record_number = trace.ensemble_number = 0;
  }
  return file;
}

/// A volume that has only its places.
SegyFile volume_on_map() {
  SegyFile file = volume(points);
  for (SegyTrace& trace : file.traces) trace.inline_number = trace.crossline_number = 0;
  return file;
}

bool says_one_section(const VelocityModel& model) {
  const auto& notes = model.cut.notes;
  return notes.size() == 1 && notes[0].find("one section") != std::string::npos;
}

class SegyLoader {
 public:
  /// With the file, and distances of nodes where its own do not count.
  ModelSpec spec(const SegyFile& file, std::optional<Point3> spacing = {}) {
    ModelSpec spec;
    spec.source = directory_.write("a.sgy", file.bytes());
    spec.spacing = spacing;
    return spec;
  }
  /// Whether it is the volume, node by node.
  bool is_volume(const ModelSpec& spec) {
    const VelocityModel model = load_model(spec);
    return model.n == points && model.v == marked_values(points) && model.spacing == Point3{12.5, 20, 5};
  }
  bool is_volume(const SegyFile& file) { return is_volume(spec(file)); }

 private:
  TemporaryDirectory directory_;
};

TEST_CASE("lines of a SEG-Y volume are found on its map", "[unit]") {
  SegyLoader loader;
  SegyFile file = volume_on_map();
  const std::vector<SegyTrace> traces = file.traces;
  CHECK(loader.is_volume(file));
  CHECK(loader.is_volume(loader.spec(file, Point3{12.5, 20, 5})));
  std::reverse(file.traces.begin(), file.traces.end());
  CHECK(loader.is_volume(file));
  file.traces = traces;
  std::reverse(file.traces.begin() + points.x, file.traces.begin() + 2 * points.x);  // to and fro
  CHECK(loader.is_volume(file));
  file.traces = traces;
  std::ranges::stable_sort(file.traces, {}, &SegyTrace::x);  // line by line of the other direction
  CHECK(loader.is_volume(file));
  file.traces = traces;
  std::shuffle(file.traces.begin() + 2, file.traces.end(), std::mt19937(1));
  CHECK(loader.is_volume(file));
}

TEST_CASE("lines of a SEG-Y volume are found obliquely, and where coordinates are whole metres", "[unit]") {
  SegyLoader loader;
  const Extent3 n{40, 17, 2};
  for (const double degrees : {0.0, 17.0, 45.0, 90.0, 121.0}) {
    CAPTURE(degrees);
    const double c = std::cos(degrees / 57.29577951308232), s = std::sin(degrees / 57.29577951308232);
    SegyFile file = volume(n);
    file.scalar = 1;
    for (int i = 0; i < n.x * n.y; ++i) {
      SegyTrace& trace = file.traces[static_cast<std::size_t>(i)];
      const double x = 25.0 * (i % n.x), y = 12.5 * (i / n.x);
      trace = {static_cast<int>(std::lround(431'000 + c * x - s * y)),
               static_cast<int>(std::lround(4'512'000 + s * x + c * y)), 0, 0, trace.samples};
    }
    const VelocityModel model = load_model(loader.spec(file));
    const bool along_x = degrees < 46;
    CHECK(model.n == (along_x ? n : Extent3{n.y, n.x, n.z}));
    CHECK(model.spacing == (along_x ? Point3{25, 12.5, 5} : Point3{12.5, 25, 5}));
  }
}

TEST_CASE("lines of a SEG-Y volume are found by older numbers, or by words that are named", "[unit]") {
  SegyLoader loader;
  SegyFile file = silent_volume();
  for (std::size_t i = 0; i < file.traces.size(); ++i) {
    file.traces[i].record_number = 100 + static_cast<int>(i) / points.x;
    file.traces[i].ensemble_number = 1 + static_cast<int>(i) % points.x;
  }
  const std::optional<Point3> spacing = Point3{12.5, 20, 5};
  CHECK(loader.is_volume(loader.spec(file, spacing)));
  for (SegyTrace& trace : file.traces) std::swap(trace.x, trace.record_number);  // at 181 now
  ModelSpec spec = loader.spec(file, spacing);
  CHECK(says_one_section(load_model(spec)));
  spec.segy.inline_number = 181;
  spec.segy.crossline_number = 21;
  CHECK(loader.is_volume(spec));
  spec.segy.inline_number = 9;
  CHECK(outcome_of_loading(spec).says("several lines"));
  // Coordinates at other places, too.
  file = volume_on_map();
  for (SegyTrace& trace : file.traces) {
    std::swap(trace.x, trace.inline_number);
    std::swap(trace.y, trace.crossline_number);
  }
  spec = loader.spec(file);
  spec.segy.x = 189;
  spec.segy.y = 193;
  spec.segy.inline_number = spec.segy.crossline_number = 1;
  CHECK(outcome_of_loading(spec).says("several lines"));
  spec.segy.inline_number = 193;
  spec.segy.crossline_number = 189;
  CHECK(loader.is_volume(spec));
}

TEST_CASE("several lines of SEG-Y are no section, unless somebody says so", "[unit]") {
  SegyLoader loader;
  const auto refused = [&](const SegyFile& file) {
    const Outcome outcome = outcome_of_loading(loader.spec(file, Point3{12.5, 20, 5}));
    return outcome.kind == ErrorKind::data && outcome.says("--model-dims NX,NY,NZ") &&
           (outcome.says("several lines") || outcome.says("do not fill"));
  };
  SegyFile file = volume_on_map();
  file.ensemble = 0;
  file.traces.erase(file.traces.begin() + 6);
  CHECK(refused(file));
  CHECK(outcome_of_loading(loader.spec(file, Point3{1, 1, 1})).says("(trace 5 turns back)"));
  file = volume_on_map();
  for (SegyTrace& trace : file.traces) trace.y += trace.x == 125 ? 30 : 0;  // crooked lines
  CHECK(refused(file));
  file = silent_volume();
  for (std::size_t i = 0; i < file.traces.size(); ++i)
    file.traces[i].crossline_number = static_cast<int>(i) % 4;
  CHECK(refused(file));
  file = volume_on_map();
  file.coordinate_units = 2;  // angles
  CHECK(refused(file));

  ModelSpec spec = loader.spec(file, Point3{12.5, 20, 5});
  spec.dims = Extent3{12, 1, 5};
  CHECK(load_model(spec).n == Extent3{12, 1, 5});
  spec.dims = points;
  CHECK(loader.is_volume(spec));
  spec.dims = Extent3{3, 4, 5};
  CHECK(outcome_of_loading(spec).says("--model-dims says 3 x 4 x 5"));
  spec.dims = Extent3{6, 2, 5};
  CHECK(outcome_of_loading(spec).says("turns back at trace 5"));
  spec.dims = Extent3{5, 2, 5};
  CHECK(outcome_of_loading(spec).says("12 traces, --model-dims says 5 x 2"));
}

TEST_CASE("rows of a SEG-Y volume that says nothing are those of --model-dims", "[unit]") {
  SegyLoader loader;
  ModelSpec spec = loader.spec(silent_volume(), Point3{12.5, 20, 5});
  const VelocityModel section = load_model(spec);
  CHECK(section.n == Extent3{12, 1, 5});
  CHECK(says_one_section(section));
  spec.dims = points;
  CHECK(loader.is_volume(spec));
  spec.dims = Extent3{4, 3, 6};
  CHECK(outcome_of_loading(spec).says("--model-dims says 4 x 3 x 6"));
  // Numbers that fill a rectangle are not overruled.
  spec = loader.spec(volume(points));
  spec.dims = Extent3{12, 1, 5};
  CHECK(outcome_of_loading(spec).says("holds 4 x 3 x 5 nodes"));
}

TEST_CASE("SEG-Y lines that bend are sections, with the spacing given", "[unit]") {
  SegyLoader loader;
  SegyFile file = section(9, 3);
  for (int i = 0; i < 9; ++i) {
    file.traces[static_cast<std::size_t>(i)].x = static_cast<int>(std::lround(1000 * std::sin(0.15 * i)));
    file.traces[static_cast<std::size_t>(i)].y = static_cast<int>(std::lround(1000 * std::cos(0.15 * i)));
  }
  CHECK(outcome_of_loading(loader.spec(file)).says("--model-spacing"));
  CHECK(load_model(loader.spec(file, Point3{15, 15, 5})).n == Extent3{9, 1, 3});
}

}  // namespace
}  // namespace minimod
