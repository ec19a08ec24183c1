#include "src/job/geometry/acquisition.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

constexpr std::int64_t enough_receivers = 1 << 20;

std::vector<Point3> positions_of(const std::string& spec) {
  return parse_receivers(spec, enough_receivers).positions;
}

Outcome receivers_outcome(const std::string& spec, std::int64_t limit = enough_receivers) {
  return outcome_of([&] { (void)parse_receivers(spec, limit); });
}

TEST_CASE("a line of receivers has both ends", "[unit]") {
  const auto line = positions_of("line:0,100,10:300,100,40:4");
  CHECK(line == std::vector<Point3>{{0, 100, 10}, {100, 100, 20}, {200, 100, 30}, {300, 100, 40}});
  CHECK(positions_of("line:1,2,3:9,9,9:1") == std::vector<Point3>{{1, 2, 3}});
  CHECK(positions_of("line:0,0,0:0.3,0.3,0.3:7").back() == Point3{0.3, 0.3, 0.3});
}

TEST_CASE("a grid of receivers fills its box, x fastest", "[unit]") {
  const auto grid = positions_of("grid:0,0,5:20,10,5:3,2");
  CHECK(grid == std::vector<Point3>{{0, 0, 5}, {10, 0, 5}, {20, 0, 5}, {0, 10, 5}, {10, 10, 5}, {20, 10, 5}});
  CHECK(positions_of("grid:0,0,0:1,1,1:2,2,2").size() == 8);
  CHECK(positions_of("grid:3,4,5:9,9,9:1,1,1") == std::vector<Point3>{{3, 4, 5}});
}

TEST_CASE("wrong forms are errors of usage", "[unit]") {
  for (const char* const bad :
       {"line:", "line:0,0,0:1,1,1", "line:0,0,0:1,1,1:0", "line:0,0,0:1,1,1:-1", "line:0,0:1,1,1:3",
        "line:0,0,0:1,1,1:3:4", "line:0,0,0:1,1,1:1e3", "line:0,0,nan:1,1,1:3", "grid:0,0,0:1,1,1:3",
        "grid:0,0,0:1,1,1:3,0", "grid:0,0,0:1,1,1:3,3,3,3", "grid:0,0,0:1,1,1:,"}) {
    INFO(bad);
    const Outcome outcome = receivers_outcome(bad);
    CHECK(outcome.kind == ErrorKind::parameter);
    CHECK(outcome.message.size() <= longest_message);
  }
}

TEST_CASE("more receivers than fit are refused before they are allocated", "[unit]") {
  const Outcome line = receivers_outcome("line:0,0,0:1,1,1:1000000000");
  CHECK(line.kind == ErrorKind::resource);
  CHECK(line.says("2.4e+10 bytes"));
  CHECK(receivers_outcome("grid:0,0,0:1,1,1:2147483647,2147483647,2147483647").kind == ErrorKind::resource);
  CHECK(receivers_outcome("line:0,0,0:1,1,1:10", 240).kind == ErrorKind::none);
  CHECK(receivers_outcome("line:0,0,0:1,1,1:11", 240).kind == ErrorKind::resource);
  const TemporaryDirectory directory;
  CHECK(receivers_outcome(directory.write("r.csv", "1,2,3\n4,5,6\n"), 47).kind == ErrorKind::resource);
}

TEST_CASE("a receiver file in any common dress", "[unit]") {
  const TemporaryDirectory directory;
  const std::vector<Point3> expected = {{1, 2, 3}, {4.5, -5, 60}};
  for (const char* const content :
       {"1,2,3\n4.5,-5,60\n", "x,y,z\n1,2,3\n4.5,-5,60",
        "\xEF\xBB\xBFX [m], Y [m], Z [m]\r\n1,2,3\r\n4.5,-5,6e1\r\n\r\n",
        "# towed\n\n1\t2\t3 # first\n4.5\t-5\t60\n\n\n", "x_m y_m z_m\n  1 2   3\n4.5 -5 60 \n",
        "# x y z\nx,y,z\n1 , 2,\t3\n4.5,-5,60\n", "1;2;3\n4.5;-5;60\n", "y,z,x\n2,3,1\n-5,60,4.5\n",
        "\"X\";\"Y\";\"Z\"\n1;2;3\n4.5;-5;60\n"}) {
    INFO(content);
    CHECK(positions_of(directory.write("r.csv", content)) == expected);
  }
}

TEST_CASE("columns beside x, y and z are left out by their names", "[unit]") {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("r.csv", "id,elevation,y_m,x_m,z_m\nA-7,abc,2,1,3\n,12,-5,4.5,60\n");
  const ReceiverList list = parse_receivers(file, enough_receivers);
  CHECK(list.positions == std::vector<Point3>{{1, 2, 3}, {4.5, -5, 60}});
  CHECK(list.note == "of '" + file + "' x, y and z are read; left out: id, elevation");
  CHECK(parse_receivers("line:0,0,0:1,1,1:2", enough_receivers).note.empty());
}

TEST_CASE("a wrong receiver file is named with line and column", "[unit]") {
  const TemporaryDirectory directory;
  const auto read = [&](std::string_view content) {
    return receivers_outcome(directory.write("r.csv", content));
  };
  CHECK(read("").kind == ErrorKind::data);
  CHECK(read("x,y,z\n").says("holds no numbers"));
  CHECK(read("1,2,3\n1,two,3\n").says("r.csv:2:3: 'two' is not a finite number"));
  CHECK(read("1,2,3\r\n\r\n1,2,nan\r\n").says("r.csv:3:5: 'nan'"));
  CHECK(read("1,2,3\n1,2\n").says("r.csv:2:1: has 2 columns, not 3"));
  CHECK(read("1,2,3,4\n").says("r.csv:1:1: has 4 columns, not 3"));
  CHECK(read("1,2,3\nx,y,z\n").says("r.csv:2:1: 'x'"));
  CHECK(read("x_km,y_km,z_km\n1,2,3\n").says("r.csv:1:1: not one column is named x"));
  CHECK(read("x,y,depth\n1,2,3\n").says("not one column is named z; give x,y,z in m"));
  CHECK(read("x,y,z,x\n1,2,3,4\n").says("not one column is named x"));
  CHECK(read("id,x,y,z\n1,2,3\n").says("r.csv:2:1: has 3 columns, not 4"));
  CHECK(read("id,x,y,z\nA,2,B,3\n").says("r.csv:2:5: 'B' is not a finite number"));
  CHECK(read("1,2,3\n1,2,\x1b[31m\n").says("\\x1b[31m"));
  CHECK(read("1,5;2;3\n").says("'1,5' is not a finite number"));
  CHECK(receivers_outcome(directory.path() / "none.csv").kind == ErrorKind::missing_input);
  CHECK(receivers_outcome(directory.path()).kind == ErrorKind::missing_input);
  CHECK(receivers_outcome("").kind == ErrorKind::missing_input);
}

TEST_CASE("positions go to the nearest node of the inner box", "[unit]") {
  const Index3 begin{27, 28, 29};
  const Point3 spacing{20, 10, 5};
  CHECK(nearest_node({0, 0, 0}, spacing, begin) == begin);
  CHECK(nearest_node({29, 15.1, -7}, spacing, begin) == Index3{28, 30, 28});
  CHECK(node_position({28, 30, 28}, spacing, begin) == Point3{20, 20, -5});
  CHECK(nearest_node({1e300, -1e300, 0}, spacing, begin).x > 1 << 29);
}

/// A shot with such sources, of no matter what wavelet.
ShotGeometry shot_of(const std::vector<Point3>& sources, std::vector<Point3> receivers) {
  ShotGeometry shot;
  for (const Point3& position : sources) shot.sources.push_back({position, ""});
  shot.receivers = std::move(receivers);
  return shot;
}

TEST_CASE("how far the nodes are is told in metres and in spacings", "[unit]") {
  const Moves moves =
      moves_to_nodes(shot_of({{6, 10, 5}}, {{0, 0, 0}, {18, 13, 1}, {40, 41, 0}}), {5, 10, 4});
  CHECK_THAT(moves.source, Catch::Matchers::WithinRel(std::sqrt(2.0), 1e-12));
  CHECK_THAT(moves.receivers, Catch::Matchers::WithinRel(std::sqrt(4 + 9 + 1.0), 1e-12));
  CHECK_THAT(moves.share, Catch::Matchers::WithinRel(0.4, 1e-12));
  CHECK(moves_to_nodes(shot_of({{0, 10, 40}}, {{5, 20, 4}}), {5, 10, 4}).share == 0);
}

TEST_CASE("positions are placed up to half a spacing beyond the outermost nodes", "[unit]") {
  const Box3 inner{{10, 10, 10}, {20, 20, 20}};  // 0 .. 90 m
  const Point3 h{10, 10, 10};
  const Placement placement = place(shot_of({{45, 50, 0}}, {{-4.99, 0, 0}, {90, 90, 94.99}}), h, inner);
  CHECK(placement.sources == std::vector<Index3>{{15, 15, 10}});
  CHECK(placement.receivers == std::vector<Index3>{{10, 10, 10}, {19, 19, 19}});
  for (const Point3 outside : {Point3{-5, 0, 0}, {95, 0, 0}, {0, -5.01, 0}, {0, 0, 1e300}, {0, -1e300, 0}}) {
    CHECK(outcome_of([&] {
            (void)place(shot_of({{0, 0, 0}}, {outside}), h, inner);
          }).kind == ErrorKind::data);
  }
}

TEST_CASE("all positions outside are in one error of one line", "[unit]") {
  const Box3 inner{{10, 10, 10}, {20, 20, 20}};
  const Point3 h{10, 10, 10};
  const Outcome two = outcome_of([&] {
    (void)place(shot_of({{-100, 0, 0}}, {{0, 0, 0}, {0, 200, 0}, {5, 5, 5}}), h, inner);
  });
  CHECK(two.message ==
        "2 outside the model: source (-100, 0, 0), receiver 1 (0, 200, 0); "
        "stay in x 0..90, y 0..90, z 0..90 m");
  const Outcome of_two = outcome_of([&] { (void)place(shot_of({{0, 0, 0}, {0, -9, 0}}, {}), h, inner); });
  CHECK(of_two.says("1 outside the model: source 1 (0, -9, 0); stay in"));
  const std::vector<Point3> far(1000000, Point3{-1.23456789e300, -1.23456789e300, -1.23456789e300});
  const Outcome many = outcome_of([&] {
    (void)place(shot_of({{0, 0, 0}}, far), {1234.567, 1234.567, 1234.567}, inner);
  });
  CHECK(many.says("1000000 outside the model: receiver 0 (-1.23457e+300"));
  CHECK(many.says(" more; stay in x 0..11111.1"));
  CHECK(many.message.size() <= longest_message);
}

TEST_CASE("receivers so many that all cores place them are placed as few are", "[unit]") {
  const Box3 inner{{10, 10, 10}, {20, 20, 20}};
  const Point3 h{10, 10, 10};
  std::vector<Point3> receivers(100'001);
  for (std::size_t i = 0; i < receivers.size(); ++i) receivers[i] = {static_cast<double>(i % 90), 13, 20};
  receivers[77'777].y = 15;
  const ShotGeometry shot = shot_of({{0, 0, 4}}, receivers);
  const Placement placement = place(shot, h, inner);
  REQUIRE(placement.receivers.size() == receivers.size());
  for (const std::size_t i : {std::size_t{0}, std::size_t{4096}, std::size_t{77'777}, receivers.size() - 1})
    CHECK(placement.receivers[i] == nearest_node(receivers[i], h, inner.begin));
  const Moves moves = moves_to_nodes(shot, h);
  CHECK(moves.source == 4);
  CHECK_THAT(moves.receivers, Catch::Matchers::WithinULP(std::sqrt(34.0), 2));
  CHECK(moves.share == 0.5);

  receivers[50'000].x = receivers[90'000].x = 1000;
  const Outcome outside = outcome_of([&] { (void)place(shot_of({{0, 0, 0}}, receivers), h, inner); });
  CHECK(outside.says(
      "2 outside the model: receiver 50000 (1000, 13, 20), receiver 90000 (1000, 13, 20); stay"));
}

}  // namespace
}  // namespace minimod
