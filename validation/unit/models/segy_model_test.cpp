#include <bit>
#include <cmath>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/unit/models/segy_model_file.hpp"

namespace minimod {
namespace {

constexpr int format_ibm = 1;

/// The IBM single of a float32, rounded towards zero.
std::uint32_t ibm_bits(float value) {
  if (value == 0) return 0;
  int exponent = 0;
  double fraction = std::frexp(std::abs(value), &exponent);
  int hexadecimal = (exponent + 256 + 3) / 4 - 64;
  fraction = std::ldexp(fraction, exponent - 4 * hexadecimal);
  return (value < 0 ? 0x80000000U : 0U) | static_cast<std::uint32_t>(hexadecimal + 64) << 24 |
         static_cast<std::uint32_t>(std::ldexp(fraction, 24));
}

TEST_CASE("a SEG-Y section", "[unit]") {
  const TemporaryDirectory directory;
  const VelocityModel model = load(directory.write("a.sgy", section(7, 5).bytes()));
  CHECK(model.n == Extent3{7, 1, 5});
  CHECK(model.spacing == Point3{12.5, 12.5, 5});
  CHECK(model.v == marked_values({7, 1, 5}));
  SegyFile revised = section(7, 5);
  revised.revision = 1;
  revised.extra_headers = 2;
  CHECK(load(directory.write("a.SEGY", revised.bytes())).v == model.v);
}

TEST_CASE("a SEG-Y volume, with its traces in any order", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{4, 3, 5};
  SegyFile file = volume(n);
  const VelocityModel model = load(directory.write("a.sgy", file.bytes()));
  CHECK(model.n == n);
  CHECK(model.spacing == Point3{12.5, 20, 5});
  CHECK(model.v == marked_values(n));
  std::swap(file.traces[1], file.traces[10]);
  CHECK(load(directory.write("b.sgy", file.bytes())).v == model.v);
  file.ensemble = 0;
  file.traces.pop_back();
  CHECK(outcome_of_loading(directory.write("c.sgy", file.bytes())).says("do not fill"));
  file.traces.push_back(file.traces.front());
  CHECK(outcome_of_loading(directory.write("c.sgy", file.bytes())).says("do not fill"));
}

TEST_CASE("x of a SEG-Y volume is where its x coordinate grows", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{4, 3, 5};
  SegyFile file = volume(n);
  for (SegyTrace& trace : file.traces) std::swap(trace.inline_number, trace.crossline_number);
  const VelocityModel model = load(directory.write("a.sgy", file.bytes()));
  CHECK(model.n == n);
  CHECK(model.spacing == Point3{12.5, 20, 5});
  CHECK(model.v == marked_values(n));
}

TEST_CASE("a SEG-Y section across a survey stays a section", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = section(4, 3);
  for (int i = 0; i < 4; ++i) {
    file.traces[i].x = 30 * i;
    file.traces[i].y = 40 * i;
    file.traces[i].inline_number = file.traces[i].crossline_number = i;
  }
  const VelocityModel model = load(directory.write("a.sgy", file.bytes()));
  CHECK(model.n == Extent3{4, 1, 3});
  CHECK(model.spacing == Point3{5, 5, 5});
}

TEST_CASE("SEG-Y coordinates must be even, or the spacing be given", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = section(6, 3);
  file.traces[3].x += 1;  // rounding
  CHECK(load(directory.write("a.sgy", file.bytes())).spacing.x == 12.5);
  file.traces[3].x += 40;
  ModelSpec spec;
  spec.source = directory.write("a.sgy", file.bytes());
  CHECK(outcome_of_loading(spec).says("trace 4"));
  spec.spacing = Point3{10, 10, 4};
  CHECK(load_model(spec).spacing == Point3{10, 10, 4});
  for (SegyTrace& trace : file.traces) trace.x = 0;
  CHECK(outcome_of_loading(directory.write("b.sgy", file.bytes())).says("--model-spacing"));
  SegyFile no_interval = section(6, 3);
  no_interval.interval = 0;
  CHECK(outcome_of_loading(directory.write("c.sgy", no_interval.bytes())).says("--model-spacing"));
}

TEST_CASE("a SEG-Y file in feet is a model in metres", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = volume({4, 3, 5});
  file.system = 2;
  ModelSpec spec;
  spec.source = directory.write("a.sgy", file.bytes());
  CHECK(outcome_of_loading(spec).says("--velocity-unit ft/s"));
  spec.unit = "ft/s";
  const VelocityModel model = load_model(spec);
  CHECK(std::abs(model.spacing.x - 3.81) < 1e-12);
  CHECK(std::abs(model.spacing.y - 6.096) < 1e-12);
  CHECK(std::abs(model.spacing.z - 1.524) < 1e-12);
  CHECK(std::abs(model.v_min - 304.8F) < 1e-4F);
  file.system = 3;
  CHECK(outcome_of_loading(directory.write("b.sgy", file.bytes())).says("measurement system 3"));
}

TEST_CASE("SEG-Y coordinates that are angles are refused, or not read", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = section(6, 3);
  for (const int lengths : {0, 1}) {
    file.coordinate_units = lengths;
    CHECK(outcome_of_loading(directory.write("a.sgy", file.bytes())).kind == ErrorKind::none);
  }
  for (const int angles : {2, 3, 4}) {
    file.coordinate_units = angles;
    ModelSpec spec;
    spec.source = directory.write("a.sgy", file.bytes());
    CHECK(outcome_of_loading(spec).says("coordinate units"));
    spec.spacing = Point3{10, 10, 5};
    CHECK(load_model(spec).cut.coordinates.origin == Point3{});
  }
}

TEST_CASE("a SEG-Y delay is the depth of the first sample", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = section(6, 3);
  file.delay = 1500;
  CHECK(load(directory.write("a.sgy", file.bytes())).cut.coordinates.origin.z == 1500);
  file.delay_scalar = -10;
  CHECK(load(directory.write("a.sgy", file.bytes())).cut.coordinates.origin.z == 150);
  std::string bytes = file.bytes();
  put_big_endian(bytes, 3600 + 252 + 108, 2, 1400);
  CHECK(outcome_of_loading(directory.write("a.sgy", bytes)).says("at 140 m in trace 2 and at 150 m"));
}

TEST_CASE("the depth step of a SEG-Y file is its interval in thousandths", "[unit]") {
  const TemporaryDirectory directory;
  CHECK(load(directory.write("a.sgy", section(6, 3).bytes())).spacing.z == 5);
  std::string bytes = section(6, 3).bytes();
  put_big_endian(bytes, 3600 + 116, 2, 5000);
  CHECK(outcome_of_loading(directory.write("a.sgy", bytes)).kind == ErrorKind::none);
  put_big_endian(bytes, 3600 + 116, 2, 4000);
  CHECK(outcome_of_loading(directory.write("a.sgy", bytes)).says("4000 in trace 1"));
  SegyFile file = section(6, 3);
  file.interval = 0;
  bytes = file.bytes();
  for (std::size_t trace = 0; trace < 6; ++trace) put_big_endian(bytes, 3600 + 252 * trace + 116, 2, 7500);
  CHECK(load(directory.write("a.sgy", bytes)).spacing.z == 7.5);
  file.interval = 10;  // metres, or milliseconds
  CHECK(outcome_of_loading(directory.write("a.sgy", file.bytes())).says("differs by more than 100"));
}

TEST_CASE("a SEG-Y model that seems to be in time is refused", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = volume({4, 3, 5});  // traces 12.5 and 20 m apart
  const auto says = [&](int interval, int kind, const std::string& what) {
    file.interval = interval;
    file.kind = kind;
    const Outcome outcome = outcome_of_loading(directory.write("a.sgy", file.bytes()));
    return what.empty() ? outcome.kind == ErrorKind::none
                        : outcome.kind == ErrorKind::data && outcome.says(what) &&
                              outcome.says("--segy-header domain=depth");
  };
  for (const int interval : {250, 500, 1000, 2000, 4000, 8000}) {
    CAPTURE(interval);
    for (const int kind : {0, 1}) CHECK(says(interval, kind, "which looks like time"));
    for (const int kind : {25, 130}) CHECK(says(interval, kind, ""));
  }
  file.revision = 2;
  for (const int interval : {4000, 5000}) {
    CHECK(says(interval, 0, interval == 4000 ? "which looks like time" : ""));
    CHECK(says(interval, 1, "kind 1 (bytes 29-30), whose samples are in time"));
    CHECK(says(interval, 25, ""));
  }
  file.revision = 1;
  for (const int interval : {1250, 3000, 5000, 6250, 7500, 10'000, 12'500, 16'000, 20'000, 25'000}) {
    CAPTURE(interval);
    for (const int kind : {0, 1}) CHECK(says(interval, kind, ""));
    for (const int kind : {22, 23}) CHECK(says(interval, kind, "(bytes 29-30)"));
  }
  CHECK(says(4000, 0, "4000 and traces 20 m apart, which looks like time (4 ms)"));
  ModelSpec spec;
  spec.source = (directory.path() / "a.sgy").string();
  spec.segy.in_depth = true;
  CHECK(load_model(spec).spacing == Point3{12.5, 20, 4});
  spec.segy = {};
  spec.spacing = Point3{12.5, 20, 4};
  CHECK(load_model(spec).spacing == Point3{12.5, 20, 4});
}

TEST_CASE("fine SEG-Y models in depth have traces that are about as near", "[unit]") {
  const TemporaryDirectory directory;
  for (const int tenths : {10, 20, 40, 80}) {  // tenths of a metre: the steps of depth, of x and twice it
    CAPTURE(tenths);
    for (const int factor : {1, 2}) {
      SegyFile file = section(6, 9);
      file.interval = 100 * tenths;
      for (int i = 0; i < 6; ++i) file.traces[i].x = factor * tenths * i;
      CHECK(load(directory.write("a.sgy", file.bytes())).spacing.z == tenths / 10.0);
    }
  }
}

TEST_CASE("a SEG-Y model is no deeper than rock is known", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = section(3, 2500);
  file.interval = 40'000;
  CHECK(outcome_of_loading(directory.write("a.sgy", file.bytes())).kind == ErrorKind::none);
  file.interval = 40'100;
  CHECK(outcome_of_loading(directory.write("a.sgy", file.bytes()))
            .says("km deep by its sample interval of 40100"));
}

TEST_CASE("SEG-Y traces numbered against their coordinate are turned", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{4, 3, 5};
  SegyFile file = volume(n);
  for (SegyTrace& trace : file.traces) {
    trace.crossline_number = -trace.crossline_number;
    trace.inline_number = -trace.inline_number;
  }
  const VelocityModel model = load(directory.write("a.sgy", file.bytes()));
  CHECK(model.v == marked_values(n));
  CHECK(model.spacing == Point3{12.5, 20, 5});
  CHECK(model.cut.coordinates.origin == Point3{});
  CHECK(model.cut.notes.size() == 3);

  SegyFile line = section(7, 5);
  std::ranges::reverse(line.traces);
  CHECK(load(directory.write("b.sgy", line.bytes())).v == marked_values({7, 1, 5}));
}

/// x of the file turned towards its y by the angle of 3, 4, 5, and shifted.
void turn(SegyFile& file) {
  for (SegyTrace& trace : file.traces) {
    const int x = trace.x, y = trace.y;
    trace.x = 4500000 + (4 * x - 3 * y) / 5;
    trace.y = 42000000 + (3 * x + 4 * y) / 5;
  }
}

TEST_CASE("a SEG-Y grid that lies obliquely keeps its place", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{4, 3, 5};
  SegyFile file = volume(n);
  turn(file);
  const VelocityModel model = load(directory.write("a.sgy", file.bytes()));
  CHECK(model.n == n);
  CHECK(model.v == marked_values(n));
  CHECK(std::abs(model.spacing.x - 12.5) < 1e-9);
  CHECK(std::abs(model.spacing.y - 20) < 1e-9);
  const FileCoordinates place = model.cut.coordinates;
  CHECK(place.origin == Point3{450000, 4200000, 0});
  const SegyTrace& last = file.traces.back();
  const Point3 p = place.to_model({last.x / 10.0, last.y / 10.0, 0});
  CHECK(std::abs(p.x - 37.5) < 1e-6);
  CHECK(std::abs(p.y - 40) < 1e-6);
  const Point3 back = place.to_file(p);
  CHECK(std::abs(back.x - last.x / 10.0) < 1e-6);
  CHECK(std::abs(back.y - last.y / 10.0) < 1e-6);
}

TEST_CASE("spacings of a SEG-Y grid are round within the rounding of its coordinates", "[unit]") {
  const TemporaryDirectory directory;
  const Extent3 n{12, 9, 3};
  for (const double h : {20.0, 12.5, 6.25, 18.75, 7.5, 25.0, 33.3}) {
    for (const double degrees : {0.0, 11.0, 33.0, 44.9, 90.0, 200.0}) {
      for (const int parts : {1, 10, 100}) {  // parts of a metre
        CAPTURE(h, degrees, parts);
        if (parts == 1 && (h < 10 || std::fmod(h, 2.5) != 0))
          continue;  // 8 steps between whole metres leave 0.2 m open
        SegyFile file = volume(n);
        file.scalar = -parts;
        file.interval = static_cast<int>(std::lround(1000 * h));
        const double c = std::cos(degrees / 57.29577951308232), s = std::sin(degrees / 57.29577951308232);
        for (int i = 0; i < n.x * n.y; ++i) {
          const double x = h * (i % n.x), y = h * (i / n.x);
          SegyTrace& trace = file.traces[static_cast<std::size_t>(i)];
          trace.x = static_cast<int>(std::lround(parts * (431'000.4 + c * x - s * y)));
          trace.y = static_cast<int>(std::lround(parts * (4'512'000.3 + s * x + c * y)));
        }
        const Point3 found = load(directory.write("a.sgy", file.bytes())).spacing;
        CHECK(found == Point3{h, h, h});
      }
    }
  }
}

TEST_CASE("spacings of a SEG-Y grid that are not round stay as they are", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = section(41, 3);
  for (int i = 0; i < 41; ++i) file.traces[static_cast<std::size_t>(i)].x = 199 * i;
  CHECK(load(directory.write("a.sgy", file.bytes())).spacing.x == 19.9);
  for (int i = 0; i < 41; ++i)
    file.traces[static_cast<std::size_t>(i)].x = static_cast<int>(std::lround(199.9 * i));
  CHECK(load(directory.write("a.sgy", file.bytes())).spacing.x == 19.99);
  file = section(2, 3);
  file.traces[1].x = 194;
  CHECK(load(directory.write("a.sgy", file.bytes())).spacing.x == 19.4);
}

TEST_CASE("a SEG-Y volume without coordinates says what it guessed", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = volume({4, 3, 5});
  for (SegyTrace& trace : file.traces) trace.x = trace.y = 0;
  ModelSpec spec;
  spec.source = directory.write("a.sgy", file.bytes());
  spec.spacing = Point3{12.5, 20, 5};
  const VelocityModel model = load_model(spec);
  CHECK(model.v == marked_values({4, 3, 5}));
  REQUIRE(model.cut.notes.size() == 1);
  CHECK(model.cut.notes[0].find("crosslines") != std::string::npos);
}

TEST_CASE("a sheared SEG-Y grid is refused", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = volume({4, 3, 5});
  for (SegyTrace& trace : file.traces) trace.x += trace.y / 4;
  CHECK(outcome_of_loading(directory.write("a.sgy", file.bytes())).says("75.9638 degrees"));
}

TEST_CASE("IBM floats have known values", "[unit]") {
  const TemporaryDirectory directory;
  SegyFile file = section(1, 1);
  file.format = format_ibm;
  // 118.625 is the textbook example; 0x44008001 begins with zeros, which a normalized fraction does not.
  file.traces[0].samples = {0x4276a000, 0x43100000, 0x435c0000, 0x441FFFFF, 0x44008001, 0x435DC000};
  ModelSpec spec;
  spec.source = directory.write("a.sgy", file.bytes());
  spec.spacing = Point3{1, 1, 1};
  CHECK(load_model(spec).v == std::vector<float>{118.625F, 256, 1472, 8191.99609375F, 128.00390625F, 1500});
  file.traces[0].samples = {0x4276a000, 0xc276a000};
  spec.source = directory.write("a.sgy", file.bytes());
  CHECK(outcome_of_loading(spec).says("velocity -118.625 at node (x, y, z) = (0, 0, 1)"));
  file.traces[0].samples = {0x7fffffff, 0};  // beyond float32
  spec.source = directory.write("a.sgy", file.bytes());
  CHECK(outcome_of_loading(spec).says("the first of 2 "));

  file = section(3, 20);
  for (SegyTrace& trace : file.traces) {
    for (auto& bits : trace.samples) bits = ibm_bits(std::bit_cast<float>(bits));
  }
  file.format = format_ibm;
  CHECK(load(directory.write("b.sgy", file.bytes())).v == marked_values({3, 1, 20}));
}

TEST_CASE("a SEG-Y file cut anywhere is refused", "[unit]") {
  const TemporaryDirectory directory;
  for (const std::string& bytes : {section(5, 3).bytes(), volume({3, 3, 2}).bytes()}) {
    for (std::size_t size = 0; size < bytes.size(); size += size < 3590 ? 359 : 1) {
      INFO(size);
      CHECK(outcome_of_loading(directory.write("a.sgy", bytes.substr(0, size))).kind == ErrorKind::data);
    }
  }
}

TEST_CASE("SEG-Y headers that contradict the file are refused", "[unit]") {
  const TemporaryDirectory directory;
  const auto code_with = [&](const std::function<void(std::string&)>& change) {
    std::string bytes = section(5, 3).bytes();
    change(bytes);
    return outcome_of_loading(directory.write("a.sgy", bytes)).kind;
  };
  CHECK(code_with([](std::string&) {}) == ErrorKind::none);
  CHECK(code_with([](std::string& b) { b += "x"; }) == ErrorKind::data);
  CHECK(code_with([](std::string& b) { put_big_endian(b, 3220, 2, 0); }) == ErrorKind::data);
  CHECK(code_with([](std::string& b) { put_big_endian(b, 3220, 2, 4); }) == ErrorKind::data);
  CHECK(code_with([](std::string& b) { put_big_endian(b, 3224, 2, 2); }) == ErrorKind::data);
  CHECK(code_with([](std::string& b) { put_big_endian(b, 3500, 1, 3); }) == ErrorKind::data);
  CHECK(code_with([](std::string& b) { put_big_endian(b, 3504, 2, 1); }) == ErrorKind::data);
  CHECK(code_with([](std::string& b) { put_big_endian(b, 3504, 2, 0xffff); }) == ErrorKind::data);
  CHECK(code_with([](std::string& b) { put_big_endian(b, 3600 + 252 + 114, 2, 2); }) == ErrorKind::data);
  CHECK(code_with([](std::string& b) { b = std::string(b.size(), '\xff'); }) == ErrorKind::data);
}

}  // namespace
}  // namespace minimod
