/// The files that a call leaves: where they go, and that no other file is lost for them.
#include <algorithm>
#include <map>
#include <regex>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/io/gather/gather.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;
namespace fs = std::filesystem;

namespace {

const std::string short_run = "--device cpu --grid 30 --pml-width 5 --steps 3 ";

ProgramResult run(const std::vector<std::string>& arguments, const TemporaryDirectory& folder) {
  return run_program(arguments, folder.path(), one_thread);
}

ProgramResult run(const std::string& arguments, const TemporaryDirectory& folder) {
  return run(words(arguments), folder);
}

/// Names and contents of the files of a folder and its folders.
std::map<std::string, std::string> contents(const TemporaryDirectory& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    std::ostringstream content;
    if (entry.is_regular_file()) content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    all[entry.path().string()] = content.str();
  }
  return all;
}

/// Refused in one line before anything is computed, and nothing in the folder has changed.
void check_kept(const std::vector<std::string>& arguments, const TemporaryDirectory& folder,
                const std::string& says = "") {
  const auto before = contents(folder);
  const ProgramResult result = run(arguments, folder);
  CAPTURE(arguments, result.out, result.err);
  CHECK(result.exit_code == 73);
  CHECK(result.err.rfind("minimod: error: ", 0) == 0);
  CHECK(result.err.find(says) != std::string::npos);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK(result.err.size() <= 241);
  CHECK(result.out.empty());
  CHECK(contents(folder) == before);
}

void check_kept(const std::string& arguments, const TemporaryDirectory& folder,
                const std::string& says = "") {
  check_kept(words(arguments), folder, says);
}

/// Times and samples of a smooth pulse.
std::string wavelet_text() {
  std::string lines;
  for (int i = 0; i < 100; ++i)
    lines += text(i * 1e-3, ' ', i > 20 && i < 80 ? (i - 20) * (80 - i) : 0, '\n');
  return lines;
}

bool is_record(const fs::path& file) {
  return nlohmann::json::parse(std::ifstream(file), nullptr, false).contains("schema");
}

std::vector<std::string> with(const std::string& arguments, const std::string& option,
                              const std::string& value) {
  std::vector<std::string> all = words(arguments);
  all.push_back(option);
  all.push_back(value);
  return all;
}

}  // namespace

TEST_CASE("A record replaces a record with --force, and no file without it", "[cli]") {
  const TemporaryDirectory folder;
  for (const char* command :
       {"--device cpu --grid 30 --pml-width 5 --steps 3 --output record",
        "bench --kernel kokkos --device cpu --grid 30 --steps 1 --repeats 1 --csv b.csv",
        "verify stability --device cpu"}) {
    const std::string call = std::string(command) + " --json record.json";
    CAPTURE(call);
    REQUIRE(run(call, folder).exit_code == 0);
    check_kept(call, folder, "--force");
    const auto written = fs::last_write_time(folder.path() / "record.json");
    CHECK(run(call + " --force", folder).exit_code == 0);
    CHECK(fs::last_write_time(folder.path() / "record.json") > written);
    CHECK(is_record(folder.path() / "record.json"));
    fs::remove(folder.path() / "record.json");
  }
}

TEST_CASE("A record never replaces a foreign file, --force or not", "[cli]") {
  const TemporaryDirectory folder;
  static_cast<void>(folder.write("notes.json", "{\"schema\": \"mine\"}\n"));
  static_cast<void>(folder.write("empty.json", ""));
  for (const char* command : {"--device cpu --grid 30 --pml-width 5 --steps 3 --json ",
                              "bench --kernel kokkos --device cpu --grid 30 --steps 1 --repeats 1 --json ",
                              "bench --kernel kokkos --device cpu --grid 30 --steps 1 --repeats 1 --csv ",
                              "verify stability --device cpu --json "}) {
    for (const char* file : {"notes.json", "empty.json"}) {
      check_kept(command + std::string(file), folder, file);
      check_kept(command + std::string(file) + " --force", folder, "exists and is not a");
    }
  }
  static_cast<void>(folder.write("stability.json", "mine"));
  check_kept("verify stability --device cpu --plot .", folder, "stability.json");
  static_cast<void>(folder.write("tables.txt", "mine"));
  check_kept("roofline --kernel kokkos --device cpu --grid 30 --no-counters", folder, "tables.txt");
}

TEST_CASE("A record never replaces what the run reads, or the run's own gather", "[cli]") {
  const TemporaryDirectory folder;
  std::string wavelet;
  for (int i = 0; i < 100; ++i)
    wavelet += text(i * 1e-3, ' ', i > 20 && i < 80 ? (i - 20) * (80 - i) : 0, '\n');
  const std::vector<float> model(40 * 40 * 40, 2000.0F);
  static_cast<void>(folder.write("w.txt", wavelet_text()));
  static_cast<void>(folder.write("r.csv", "x,y,z\n100,100,0\n"));
  static_cast<void>(
      folder.write("m.bin", {reinterpret_cast<const char*>(model.data()), model.size() * sizeof(float)}));
  const std::string shot =
      "--device cpu --model m.bin --model-dims 40,40,40 --model-spacing 20 --pml-width 5 --steps 3 "
      "--wavelet w.txt --receivers r.csv --allow-dispersion ";
  for (const char* file : {"m.bin", "w.txt", "r.csv"}) {
    check_kept(shot + "--json " + file, folder, file);
    check_kept(shot + "--force --json " + file, folder, file);
  }
  const std::string around = "../" + folder.path().filename().string() + "/shot_gather.h5";
  for (const std::string& name : {std::string("shot_gather.h5"), std::string("./shot_gather.h5"), around}) {
    check_kept(shot + "--json " + name, folder, "are one file");
    check_kept(shot + "--force --json " + name, folder, "are one file");
  }
  check_kept(shot + "--output g.h5 --json g.h5", folder, "are one file");
  check_kept("bench --kernel kokkos --device cpu --grid 30 --json b --csv ./b", folder, "are one file");
  check_kept("verify stability --device cpu --plot . --json stability.json", folder, "are one file");
  CHECK(run(shot, folder).exit_code == 0);
  check_kept(shot + "--force --output other --json shot_gather.h5", folder, "is not a record");
}

TEST_CASE("A record never goes where no regular file is", "[cli]") {
  const TemporaryDirectory folder;
  REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0666) == 0);
  fs::create_symlink("/dev/null", folder.path() / "link");
  fs::create_symlink("nowhere", folder.path() / "dangling");
  fs::create_directory(folder.path() / "folder");
  std::vector<std::string> names = {"pipe", "link", "dangling", "folder"};
  if (mknod((folder.path() / "device").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0)
    names.emplace_back("device");
  for (const std::string& name : names) {
    CAPTURE(name);
    struct stat before {};
    struct stat after {};
    const fs::path place = folder.path() / name;
    REQUIRE(lstat(place.c_str(), &before) == 0);
    for (const char* force : {"", "--force "}) {
      check_kept(short_run + force + "--json " + name, folder, name);
      check_kept("bench --kernel kokkos --device cpu --grid 30 --steps 1 --repeats 1 " + std::string(force) +
                     "--csv " + name,
                 folder, name);
    }
    REQUIRE(lstat(place.c_str(), &after) == 0);
    CHECK(before.st_mode == after.st_mode);
    CHECK(before.st_ino == after.st_ino);
  }
}

TEST_CASE("A link planted at the temporary name of a file is not followed", "[cli]") {
  const TemporaryDirectory folder;
  const std::string victim = folder.write("victim", "mine");
  // The process keeps its number when it becomes the program.
  const auto plant = [&] {
    one_thread();
    for (const char* name : {"r.json", "b.json", "b.csv", "shot_gather.h5"}) {
      for (const char* dot : {".", ""}) {
        const std::string temporary = temporary_name(name).filename();
        fs::create_symlink(victim, folder.path() / (*dot == '.' ? temporary : temporary.substr(1)));
      }
    }
  };
  CHECK(run_program(words(short_run + "--json r.json"), folder.path(), plant).exit_code == 0);
  CHECK(run_program(words("bench --kernel kokkos --device cpu --grid 30 --steps 1 --repeats 1 --json b.json "
                          "--csv b.csv"),
                    folder.path(), plant)
            .exit_code == 0);
  CHECK(contents(folder)[victim] == "mine");
  for (const char* name : {"r.json", "b.json"}) {
    CHECK(fs::is_regular_file(fs::symlink_status(folder.path() / name)));
    CHECK(is_record(folder.path() / name));
  }
}

TEST_CASE("A name that is not UTF-8, or too long, is refused before the run", "[cli]") {
  const TemporaryDirectory folder;
  for (const std::string& name : {std::string("a\xff"), std::string(250, 'x'), std::string(5000, 'x')}) {
    check_kept(with(short_run, "--json", name), folder);
    check_kept(with(short_run, "--output", name + ".h5"), folder);
    check_kept(with("bench --kernel kokkos --device cpu --grid 30 --steps 1", "--json", name), folder);
    check_kept(with("bench --kernel kokkos --device cpu --grid 30 --steps 1", "--csv", name), folder);
    check_kept(with("verify stability --device cpu", "--json", name), folder);
  }
  check_kept(with(short_run, "--output", "a\xff"), folder, "UTF-8");
  check_kept(with(short_run, "--output", std::string(300, 'x')), folder, "name too long");
  check_kept(with("roofline --kernel kokkos --device cpu --grid 30", "--output", "a\xff"), folder, "UTF-8");
  // Each file that is read has a place in the gather.
  static_cast<void>(folder.write("w\xff.txt", wavelet_text()));
  check_kept(with(short_run + "--allow-dispersion", "--wavelet", "w\xff.txt"), folder,
             "'w\\xff.txt' is not in UTF-8");
  static_cast<void>(folder.write("r\xff.csv", "x,y,z\n100,100,0\n"));
  check_kept(with(short_run, "--receivers", "r\xff.csv"), folder, "UTF-8");
  const std::vector<float> model(40 * 40 * 40, 2000.0F);
  static_cast<void>(
      folder.write("m\xff.bin", {reinterpret_cast<const char*>(model.data()), model.size() * sizeof(float)}));
  check_kept(with("--device cpu --model-dims 40,40,40 --model-spacing 20 --pml-width 5 --steps 3", "--model",
                  "m\xff.bin"),
             folder, "UTF-8");
  // UTF-8 itself is fine.
  CHECK(run(with(short_run, "--output", "größe/Δt.h5"), folder).exit_code == 0);
  CHECK(fs::exists(folder.path() / "größe" / "Δt.h5"));
}

TEST_CASE("A folder that --output names is made with its parents, and a file has its name", "[cli]") {
  const TemporaryDirectory folder;
  CHECK(run(short_run + "--output a/b/c", folder).exit_code == 0);
  CHECK(fs::exists(folder.path() / "a/b/c/shot_gather.h5"));
  const auto named = run(short_run + "--output shots/1.h5 --json shots/1.json", folder);
  CHECK(named.exit_code == 0);
  CHECK(named.out.find("\ngather shots/1.h5\n") != std::string::npos);
  CHECK(read_gather(folder.path() / "shots/1.h5").samples == 4);
  CHECK(is_record(folder.path() / "shots/1.json"));
  check_kept(short_run + "--output shots/1.h5", folder, "--force");
  CHECK(run(short_run + "--output shots/1.h5 --force", folder).exit_code == 0);
  fs::create_directory(folder.path() / "folder.h5");
  CHECK(run(short_run + "--output folder.h5", folder).exit_code == 0);
  CHECK(fs::exists(folder.path() / "folder.h5" / "shot_gather.h5"));
  CHECK(run("roofline --kernel kokkos --device cpu --grid 30 --pml-width 5 --no-counters --output reports/1",
            folder)
            .exit_code == 0);
  CHECK(is_record(folder.path() / "reports/1/roofline.json"));
}

TEST_CASE("A run that is refused leaves no folder", "[cli]") {
  const TemporaryDirectory folder;
  static_cast<void>(folder.write("file", "mine"));
  check_kept(short_run + "--output a/b/c --json missing/r.json", folder, "missing");
  check_kept(short_run + "--output file/b", folder, "file");
  check_kept("roofline --kernel kokkos --device cpu --output file/b", folder, "file");
  CHECK(run("--device cpu --grid 8000 --output a/b", folder).exit_code == 71);
  CHECK(folder.entries() == 1);
}

TEST_CASE("The pages' runs work one after the other", "[cli]") {
  const TemporaryDirectory folder;
  fs::create_symlink(MINIMOD_SOURCE_DIR "/models", folder.path() / "models");
  std::ostringstream pages;
  pages << std::ifstream(MINIMOD_SOURCE_DIR "/README.md").rdbuf();
  for (const char* const top : {"src", "models", "kernels"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MINIMOD_SOURCE_DIR) / top)) {
      if (entry.path().filename() == "README.md") pages << std::ifstream(entry.path()).rdbuf();
    }
  }
  const std::string joined = std::regex_replace(pages.str(), std::regex("\\\\\n *"), "");
  int runs = 0;
  std::istringstream lines(joined);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("    ./minimod --", 0) != 0) continue;
    // A tenth of a second of it: the files are the same.
    line = std::regex_replace(line.substr(14), std::regex(" --(tmax|steps|record-dt) [^ ]*| +#.*"), "");
    line = std::regex_replace(line, std::regex("--snapshot-every [^ ]*"), "--snapshot-every 1steps");
    line += " --steps 2 --device cpu";
    if (line.find("--config") != std::string::npos) {
      line += " --shots 1:3";
    } else if (line.find("--model") == std::string::npos) {
      line = std::regex_replace(line, std::regex("(^| )--grid [^ ]*"), "") + " --grid 40";
    }
    CAPTURE(line);
    const ProgramResult result = run(line, folder);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    ++runs;
  }
  CHECK(runs >= 10);
}

TEST_CASE("A run that is stopped before it computes takes the folder that it made with it", "[cli]") {
  const TemporaryDirectory folder;
  ProgramRun shot(words("--device cpu --grid 60 --steps 100000000 --output shots/1.h5"), folder.path(),
                  one_thread);
  while (shot.out().find("memory") == std::string::npos) usleep(10000);
  CHECK(fs::is_directory(folder.path() / "shots"));
  shot.send(SIGINT);  // while the device's rates are measured
  CHECK(shot.wait().exit_code == 75);
  CHECK(folder.entries() == 0);
}

TEST_CASE("The suffix of an output is read as that of an input, in either case", "[cli]") {
  const TemporaryDirectory folder;
  for (const char* const name : {"a.SGY", "b.SEGY", "r.hdf5", "R.H5", "s.Hdf5"}) {
    CAPTURE(name);
    CHECK(run(short_run + "--snapshot-every 2steps --output " + name, folder).exit_code == 0);
    CHECK(fs::is_regular_file(folder.path() / name));
  }
  CHECK(fs::is_regular_file(folder.path() / "r.snapshots.h5"));
  CHECK(fs::is_regular_file(folder.path() / "R.snapshots.xdmf"));
  CHECK(run(short_run + "--format hdf5,segy --output both.HDF5", folder).exit_code == 0);
  CHECK(fs::is_regular_file(folder.path() / "both.HDF5"));
  CHECK(fs::is_regular_file(folder.path() / "both.sgy"));
  CHECK(run("section --grid 30 --pml-width 5 --output sections.HDF5", folder).exit_code == 0);
  CHECK(fs::is_regular_file(folder.path() / "sections.HDF5"));
  CHECK(run("section --grid 30 --pml-width 5 --output v1.5", folder).exit_code == 0);
  CHECK(fs::is_regular_file(folder.path() / "v1.5" / "sections.h5"));
  const std::string shots = "--dt 3e-3 --sources line:100,100,100:200,100,100:2 ";
  CHECK(run(short_run + shots + "--output survey", folder).exit_code == 0);
  for (const char* const name : {"all.HDF5", "all.SEGY"}) {
    CHECK(run(std::string("merge survey --output ") + name, folder).exit_code == 0);
    CHECK(fs::is_regular_file(folder.path() / name));
  }
  fs::create_directory(folder.path() / "old.dat");  // a folder that is there is one, whatever its name
  CHECK(run(short_run + "--output old.dat", folder).exit_code == 0);
  CHECK(fs::is_regular_file(folder.path() / "old.dat" / "shot_gather.h5"));
}

TEST_CASE("An output with the suffix of another format makes no folder", "[cli]") {
  const TemporaryDirectory folder;
  const std::string shots = "--sources line:100,100,100:200,100,100:2 ", small = "--grid 30 --pml-width 5 ";
  const std::pair<std::string, const char*> refused[] = {
      {short_run + "--output x.su",
       "says Seismic Unix, not HDF5 or SEG-Y; give FILE.h5, FILE.sgy or a folder"},
      {short_run + "--output g.RSF", "says Madagascar"},
      {short_run + "--output a/b.npy --format segy", "says NumPy"},
      {short_run + "--output shot.bin", "says raw numbers"},
      {short_run + shots + "--output x.nc", "a survey has a folder"},
      {short_run + shots + "--output y.HDF5", "a survey has a folder"},
      {"merge survey --output x.su",
       "says Seismic Unix, not HDF5 or SEG-Y; give --output FILE.h5 or FILE.sgy"},
      {"merge survey --output x", "says no format"},
      {"section " + small + "--output s.SGY", "sections are HDF5; give FILE.h5 or a folder"},
      {"section " + small + "--output s.zarr", "says Zarr"},
      {"stencil run laplacian --device cpu --grid 8 --steps 1 --write out.sgy", "give FILE.h5 or FILE.hdf5"},
      {"stencil run laplacian --device cpu --grid 8 --steps 1 --write out", "give FILE.h5 or FILE.hdf5"}};
  for (const auto& [call, says] : refused) {
    const ProgramResult result = run(call, folder);
    CAPTURE(call, result.err);
    CHECK(result.exit_code == 64);
    CHECK(result.err.find(says) != std::string::npos);
    CHECK(std::ranges::count(result.err, '\n') == 1);
  }
  CHECK(folder.entries() == 0);
}
