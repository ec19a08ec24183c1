/// Surveys before they run: what is shown of them, options from a file, and what is refused.
#include <algorithm>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "validation/cli/check_refusal.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

/// A folder with inputs, one for outputs, and a small model: 0 to 580 m along each axis.
struct Surveys {
  TemporaryDirectory inputs, folder;

  static std::vector<std::string> small(const std::string& command, const std::string& arguments) {
    return words(command + " --grid 40 --pml-width 5 --device cpu --kernel kokkos --steps 60 " + arguments);
  }
  /// Result of `minimod survey` at a rate that needs no measuring.
  [[nodiscard]] ProgramResult operator()(const std::string& arguments) const {
    return run_program(small("survey --rate 0.1", arguments), folder.path(), one_thread);
  }
  void refuses(const std::string& arguments, int exit_code, const std::string& says) const {
    check_refused((*this)(arguments), arguments, exit_code, says);
  }
  /// `content` as the file of options, beside none but these.
  void refuses_file(const std::string& content, int exit_code, const std::string& says) const {
    const std::string file = inputs.write("s.toml", content);
    check_refused(run_program({"survey", "--rate", "1", "--config", file}, folder.path(), one_thread),
                  content, exit_code, says);
  }
  void shows(const std::string& arguments, const std::vector<std::string>& lines) const {
    const ProgramResult result = (*this)(arguments);
    CAPTURE(arguments, result.out, result.err);
    CHECK(result.exit_code == 0);
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(result.out.find(line) != std::string::npos);
    }
    CHECK(folder.entries() == 0);
  }

 private:
  void check_refused(const ProgramResult& result, const std::string& given, int exit_code,
                     const std::string& says) const {
    CAPTURE(given);
    check_refusal(result, exit_code, says);
    CHECK(folder.entries() == 0);
  }
};

}  // namespace

TEST_CASE("A survey is shown without being run", "[cli]") {
  const Surveys survey;
  survey.shows("--sources line:100,300,40:500,300,40:5",
               {"shots     5 of 5, numbers 1 to 5", "sources   1 a shot, in x 100 to 500, y 300, z 40 m",
                "receivers 30 a shot, in x 0 to 580, y 300, z 0 m", "60 steps of ", "61 samples every ",
                "at 0.1 Gpt/s, as --rate says"});
  survey.shows(
      "--sources line:100,300,40:500,300,40:5 --shots 2::2 --receivers line:-80,0,-20:80,0,-20:9 "
      "--receivers-move",
      {"shots     2 of 5, numbers 2 to 4", "x 200 to 400", "9 a shot, in x 120 to 480, y 300, z 20 m",
       "moving with the source"});
  survey.shows("--source 100,100,100", {"shots     1 of 1, numbers 1", "in x 100, y 100, z 100 m"});
  const ProgramResult measured = run_program(
      Surveys::small("survey", "--sources line:100,300,40:500,300,40:5"), survey.folder.path(), one_thread);
  CHECK(measured.exit_code == 0);
  CHECK(measured.out.find("Gpt/s, measured now with 58 steps of kokkos") != std::string::npos);
}

TEST_CASE("Numbers may begin with a plus or be too small for a double, in options and files", "[cli]") {
  const Surveys survey;
  const std::string sources = survey.inputs.write("s.csv", "shot,x,y,z\n+3,+100,1.0E-400,+4.0E+01\n");
  const std::string receivers = survey.inputs.write("r.csv", "+1.0E+02;0;1.0E-400\n");
  const std::string wavelet =
      survey.inputs.write("w.txt", "0 +1.0E-400\n0.06 +1\n+12e-2 0\n+18e-2 -1.0E-400\n");
  const std::string options = survey.inputs.write("o.toml", "record-dt = +4e-3\npml-velocity = \"+2000\"\n");
  survey.shows(
      "--sources " + sources + " --receivers " + receivers + " --wavelet " + wavelet + " --config " +
          options + " --threads +1",
      {"shots     1 of 1, numbers 3", "in x 100, y 0, z 40 m", "receivers 1 a shot, in x 100, y 0, z 0 m"});
}

TEST_CASE("Each shot may have receivers of its own and several sources", "[cli]") {
  const Surveys survey;
  (void)survey.inputs.write("r_007.csv", "x,y,z\n100,100,20\n");
  (void)survey.inputs.write("r_009.csv", "x,y,z\n100,100,20\n200,100,20\n");
  const std::string sources =
      survey.inputs.write("s.csv", "shot;x;y;z;wavelet\n9;60;60;60;gaussian:f=5\n9;80;60;60;\n7;60;60;60;\n");
  const std::string files = (survey.inputs.path() / "r_%03d.csv").string();
  survey.shows("--sources " + sources + " --receivers " + files,
               {"shots     2 of 2, numbers 7 to 9", "sources   1 to 2 a shot", "receivers 1 to 2 a shot"});
  survey.shows("--sources " + sources + " --shots 9 --receivers " + files,
               {"shots     1 of 2, numbers 9", "sources   2 a shot"});
  survey.refuses("--sources " + sources + " --shots 8 --receivers " + files, 64, "has shots 7 to 9");
  survey.refuses("--sources " + sources + " --receivers r_%d.csv", 66, "r_7.csv");
  survey.refuses("--sources " + sources + " --receivers r_%s.csv", 64, "give one %d or %0Nd");
}

TEST_CASE("A note about many wavelets or files is a line, with their number and the worst", "[cli]") {
  const Surveys survey;
  std::string sources = "x,y,z,wavelet\n";
  for (int shot = 1; shot <= 20; ++shot) {
    // The jump is e^-(pi f t0)^2: over 0.1 % up to the tenth.
    sources += text(100 + 20 * shot, ",300,40,\"gaussian:f=5,t0=", 0.1623 + 0.0005 * shot, "\"\n");
    (void)survey.inputs.write(text("r_", shot, ".csv"), "id,x,y,z\n1,300,300,20\n");
  }
  const ProgramResult result = survey("--sources " + survey.inputs.write("s.csv", sources) + " --receivers " +
                                      (survey.inputs.path() / "r_%d.csv").string());
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 4);
  CHECK(result.err.find("minimod: the echo of a pml of 5 points is expected at ") != std::string::npos);
  CHECK(result.err.find(
            "10 of 20 wavelets, worst 'gaussian:f=5,t0=0.1628': the wavelet starts with a jump of ") !=
        std::string::npos);
  CHECK(result.err.find(
            "r_1.csv' x, y and z are read; left out: id; the same in 20 of 20 files of receivers") !=
        std::string::npos);
}

TEST_CASE("Surveys that are wrong are refused in a line that names shot or place", "[cli]") {
  const Surveys survey;
  const std::string line = "--sources line:100,300,40:500,300,40:5 ";
  survey.refuses("--sources line:100,300,40:600,300,40:5", 65,
                 "shot 5: 1 outside the model: source (600, 300, 40)");
  survey.refuses(line + "--receivers line:0,0,0:-200,0,0:2 --receivers-move", 65,
                 "shot 1: 1 outside the model: receiver 1 (-100, 300, 40)");
  survey.refuses("--free-surface --sources line:100,300,40:500,300,0:5", 65, "shot 5: the source at z = 0 m");
  survey.refuses(line + "--receivers line:0,0,0:1,1,1:1000000000", 71, "2.4e+10 bytes");
  survey.refuses("--sources line:0,0,0:1,1,1:1000000000", 71, "4e+11 bytes");
  survey.refuses("--sources line:0,0,0:1,1,1:90000 --receivers line:0,0,0:1,1,1:90000", 71,
                 "1.944e+11 bytes");
  survey.refuses(line + "--shots 5:3", 64, "--shots");
  survey.refuses(line + "--shots 0:7", 64, "has shots 1 to 5; stay in 1:6");
  survey.refuses(line + "--shots 6", 64, "has shots 1 to 5");
  for (const char* const bad : {"x", "-1", "1:2:3:4", "0::0", "1e1", "0x1", ","}) {
    survey.refuses(line + "--shots " + bad, 64, "--shots");
  }
  survey.refuses("--shots 1:2", 64, "--shots is given without --sources");
  survey.refuses("--receivers-move", 64, "--receivers-move is given without --sources");
  survey.refuses(line + "--receivers-move", 64, "--receivers-move is given without --receivers");
  survey.refuses(line + "--source 1,1,1", 64, "--source and --sources");
  survey.refuses("--sources none.csv", 66, "none.csv");
  survey.refuses("--sources .", 66, ".");
  survey.refuses("--sources " + survey.inputs.write("a.csv", "x,y,z,shot\n1,2,3,-1\n"), 65,
                 "a.csv:2:7: '-1'");
  survey.refuses("--sources " + survey.inputs.write("b.csv", "x,y,z,wavelet\n1,2,3,w.txt\n"), 66, "w.txt");
  survey.refuses("--sources " + survey.inputs.write("c.csv", ""), 65, "holds no numbers");
  survey.refuses(line + "--rate 0", 64, "--rate");
  survey.refuses(line + "--plot map.png", 69, "./minimod survey");
}

TEST_CASE("Options stand in a file, and the command line wins", "[cli]") {
  const Surveys survey;
  const std::string file = survey.inputs.write("s.toml",
                                               "\xEF\xBB\xBF# a survey\r\n"
                                               "grid = [40, 40, 40]  # points\r\n"
                                               "pml-width = 5\r\n\r\n"
                                               "device = 'cpu'\r\nkernel = \"kokkos\"\r\n"
                                               "steps=60\r\n"
                                               "wavelet = \"ricker:f=8,t0=0.16\"\r\n"
                                               "free-surface = true\r\nallow-dispersion = false\r\n"
                                               "sources = \"line:100,300,40:500,300,40:5\"\r\n"
                                               "shots = \"1:3\"\r\n");
  const auto show = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"survey", "--rate", "1", "--config", file};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all, survey.folder.path(), one_thread);
  };
  const ProgramResult plain = show({});
  CAPTURE(plain.out, plain.err);
  CHECK(plain.exit_code == 0);
  CHECK(plain.out.find("shots     2 of 5") != std::string::npos);
  CHECK(plain.out.find("60 steps of ") != std::string::npos);
  const ProgramResult other = show({"--shots", "4:6", "--steps", "70", "--grid", "50"});
  CAPTURE(other.out, other.err);
  CHECK(other.out.find("shots     2 of 5, numbers 4 to 5") != std::string::npos);
  CHECK(other.out.find("grid      50 x 50 x 50") != std::string::npos);
  CHECK(other.out.find("70 steps of ") != std::string::npos);
  CHECK(show({"--shots", "x"}).exit_code == 64);
}

TEST_CASE("What shows a run takes all options of a run", "[cli]") {
  const Surveys survey;
  const std::string file = survey.inputs.write(
      "s.toml",
      "workers = 2\nworker = \"1/3\"\nranks-per-shot = 2\nshare-gpu = true\ntransport = \"staged\"\n"
      "slabs = [20, 20]\nsources = \"line:100,300,40:500,300,40:5\"\ngrid = 40\npml-width = 5\nsteps = 60\n");
  for (const char* const command : {"survey --rate 1", "section --output sections"}) {
    const ProgramResult result =
        run_program(words(text(command, " --config ", file)), survey.folder.path(), one_thread);
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 0);
  }
  const auto help_of = [&](const char* command) {
    return run_program({command, "--help"}, survey.folder.path(), one_thread).out;
  };
  const std::string survey_help = help_of("survey"), section_help = help_of("section");
  std::istringstream lines(help_of("run"));
  int options = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find("--");
    if (begin == std::string::npos || begin > 6) continue;
    const std::string option = line.substr(begin, line.find_first_of(" ,", begin) - begin);
    CAPTURE(option);
    ++options;
    CHECK(survey_help.find(option) != std::string::npos);
    CHECK(section_help.find(option) != std::string::npos);
  }
  CHECK(options > 50);
}

TEST_CASE("A file of options that is wrong is refused with its line", "[cli]") {
  const Surveys survey;
  survey.refuses_file("steps = 60\n\nstepps = 60\n", 65,
                      "s.toml:3: 'stepps' is no option; did you mean steps");
  survey.refuses_file("# steps = 1\nsteps = 60\nsteps = 70\n", 65, "s.toml:3: 'steps' is given twice");
  survey.refuses_file("steps = 60\n[time]\ndt = 1e-3\n", 65, "s.toml:2: 'time' is a table");
  survey.refuses_file("steps = 60\nsteps.x = 60\n", 65, "s.toml:");
  survey.refuses_file("\nsteps = \"many\"\n", 65, "s.toml:2: --steps");
  survey.refuses_file("free-surface = maybe\n", 65, "s.toml:1: 'free-surface' is neither true nor false");
  survey.refuses_file("config = \"b.toml\"\n", 65, "s.toml:1: 'config' is no option");
  survey.refuses_file("shots = \"5:3\"\n", 65, "s.toml:1: --shots");
  survey.refuses_file("help = true\n", 65, "s.toml:1: 'help' is no option");
  survey.refuses_file("steps\n", 65, "s.toml:1: ");
  survey.refuses_file(std::string(2 << 20, '#'), 65, "is larger than 64 KiB");
  survey.refuses("--config none.toml", 66, "none.toml");
  survey.refuses("--config .", 66, ".");
}

TEST_CASE("The sections of a survey have the positions of all its shots", "[cli]") {
  const Surveys survey;
  const ProgramResult result =
      run_program(Surveys::small("section",
                                 "--sources line:100,300,40:500,300,40:5 --shots 2:5 "
                                 "--receivers line:-80,0,0:80,0,0:3 --receivers-move"),
                  survey.folder.path(), one_thread);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto path = survey.folder.path() / "sections.h5";
  const hdf5::Handle file = hdf5::open_for_reading(path);
  CHECK(hdf5::shape_of(hdf5::open_float_dataset(file, "source", path)).dims == std::vector<hsize_t>{3, 3});
  // 120, 200 and 280 m and the same 100 and 200 m on: nine, of which none is another's.
  CHECK(hdf5::shape_of(hdf5::open_float_dataset(file, "receivers", path)).dims == std::vector<hsize_t>{9, 3});
}
