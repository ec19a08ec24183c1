/// The sources of a survey and the files of its receivers, as a user writes them.
#include "src/job/geometry/source_list.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/job/geometry/receiver_files.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

constexpr std::int64_t enough = 1 << 20;

SourceList sources_of(const std::string& spec) {
  return parse_sources(spec, "ricker:f=10", enough);
}

TEST_CASE("sources on a line or a grid are a shot each", "[unit]") {
  const auto shots = sources_of("line:0,100,10:300,100,10:4").shots;
  REQUIRE(shots.size() == 4);
  CHECK(shots[2].id == 3);
  REQUIRE(shots[2].sources.size() == 1);
  CHECK(shots[2].sources[0].position == Point3{200, 100, 10});
  CHECK(shots[2].sources[0].wavelet == "ricker:f=10");
  CHECK(sources_of("grid:0,0,5:20,10,5:3,2").shots.size() == 6);
}

TEST_CASE("a file of sources in any common dress", "[unit]") {
  const TemporaryDirectory directory;
  for (const char* const content :
       {"1,2,3\n4.5,-5,60\n", "x,y,z\r\n1,2,3\r\n4.5,-5,60",
        "\xEF\xBB\xBF# towed\nx_m\ty_m\tz_m\n1\t2\t3  \n\n4.5 -5 60", "shot;x;y;z\n2;4.5;-5;60\n1;1;2;3\n",
        "x,y,z,wavelet\n1,2,3,\n4.5,-5,60,\"\"\n"}) {
    INFO(content);
    const auto shots = sources_of(directory.write("s.csv", content)).shots;
    REQUIRE(shots.size() == 2);
    CHECK(shots[0].id == 1);
    CHECK(shots[1].id == 2);
    CHECK(shots[0].sources[0].position == Point3{1, 2, 3});
    CHECK(shots[1].sources[0].position == Point3{4.5, -5, 60});
    CHECK(shots[1].sources[0].wavelet == "ricker:f=10");
  }
}

TEST_CASE("a column groups sources into shots, another gives them wavelets", "[unit]") {
  const TemporaryDirectory directory;
  const SourceList list = sources_of(directory.write(
      "s.csv",
      "shot,x,y,z,boat,wavelet\n12,0,0,5,A,\"ricker:f=8,t0=0.2\"\n12,100,0,5,B,w.txt\n3,50,0,5,A,\n"));
  REQUIRE(list.shots.size() == 2);
  CHECK(list.shots[0].id == 3);
  CHECK(list.shots[0].sources[0].wavelet == "ricker:f=10");
  CHECK(list.shots[1].id == 12);
  REQUIRE(list.shots[1].sources.size() == 2);
  CHECK(list.shots[1].sources[0].wavelet == "ricker:f=8,t0=0.2");
  CHECK(list.shots[1].sources[1].wavelet == "w.txt");
  CHECK(list.note.ends_with("x, y, z, wavelet, shot and amplitude are read; left out: boat"));
}

TEST_CASE("a column has what a source's wavelet is multiplied by", "[unit]") {
  const TemporaryDirectory directory;
  const auto shots =
      sources_of(directory.write("s.csv", "amplitude;x;y;z;shot\n-0.5;1;2;3;1\n;1;2;4;1\n2e3;1;2;5;1\n"))
          .shots;
  REQUIRE(shots.size() == 1);
  REQUIRE(shots[0].sources.size() == 3);
  CHECK(shots[0].sources[0].amplitude == -0.5);
  CHECK(shots[0].sources[1].amplitude == 1);
  CHECK(shots[0].sources[2].amplitude == 2e3);
  CHECK(sources_of("line:0,0,0:1,1,1:2").shots[1].sources[0].amplitude == 1);
  for (const char* const bad : {"0", "-0", "nan", "inf", "loud", "1e999"}) {
    const Outcome outcome = outcome_of(
        [&] { (void)sources_of(directory.write("s.csv", text("x,y,z,amplitude\n1,2,3,", bad, "\n"))); });
    CAPTURE(bad, outcome.message);
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says(text("s.csv:2:7: '", bad, "' is no amplitude of a source")));
  }
}

TEST_CASE("a wrong file of sources is named with line and column", "[unit]") {
  const TemporaryDirectory directory;
  const auto read = [&](std::string_view content) {
    return outcome_of([&] { (void)sources_of(directory.write("s.csv", content)); });
  };
  CHECK(read("").kind == ErrorKind::data);
  CHECK(read("x,y,z,shot\n").says("holds no numbers"));
  CHECK(read("x,y,z\n1,2\n").says("s.csv:2:1: has 2 columns, not 3"));
  CHECK(read("x,y,z\n1,2,nan\n").says("s.csv:2:5: 'nan'"));
  CHECK(read("x,y,z,shot,shot\n1,2,3,4,5\n").says("s.csv:1:1: not one column is named shot"));
  for (const char* const bad : {"-1", "1.5", "one", "", "99999999999", "nan"}) {
    const Outcome outcome = read(text("x,y,z,shot\n1,2,3,", bad, "\n"));
    CAPTURE(bad, outcome.message);
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says(text("s.csv:2:7: '", bad, "' is no number of a shot")));
  }
  CHECK(read("x,y,z,shot\n1,2,3,0\n1,2,4,1\n1,2,5,0\n")
            .says("s.csv:4:7: shot 0 has been given from line 2 on; put the sources"));
  CHECK(read("shot,x,y,z\n0,1,2,3\n0,1,2,3\n").says("s.csv:3:1: shot 0 has this source twice"));
  CHECK(read("x,y,z,wavelet\n1,2,3,ricker:g=1\n").says("s.csv:2:7: "));
  CHECK(read("x,y,z,wavelet\n1,2,3,ricker:g=1\n").kind == ErrorKind::data);
  CHECK(read("x,y,z,wavelet\n1,2,3,\"ricker:f=1,t0=2\n").kind == ErrorKind::data);
  CHECK(read("x,y,z,wavelet\n1,2,3,a\"b\n").says("s.csv:2:7: 'a\"b' has a double quote within"));
  CHECK(read(std::string(1 << 20, '1')).says("is longer than 4096 characters"));
  CHECK(outcome_of([&] { (void)sources_of(directory.path() / "none.csv"); }).kind ==
        ErrorKind::missing_input);
  CHECK(outcome_of([&] { (void)sources_of("line:0,0,0:1,1,1:1000000000"); }).says("4e+11 bytes"));
  CHECK(outcome_of([&] { (void)sources_of("line:0,0,0:1,1,1"); }).kind == ErrorKind::parameter);
}

TEST_CASE("a name of a file a shot has one place for its number", "[unit]") {
  CHECK(FilePattern("r_%05d.csv").name(17) == "r_00017.csv");
  CHECK(FilePattern("r_%d.csv").name(0) == "r_0.csv");
  CHECK(FilePattern("%02d").name(12345) == "12345");
  for (const char* const bad : {"r_%s.csv", "r_%5d.csv", "r_%0d.csv", "r_%00d", "%d_%d", "r_%", "r_%0",
                                "%n%d", "%05ld", "%d%%", "%*d", "%015d"}) {
    CAPTURE(bad);
    CHECK(outcome_of([&] { (void)FilePattern(bad); }).kind == ErrorKind::parameter);
  }
}

}  // namespace
}  // namespace minimod
