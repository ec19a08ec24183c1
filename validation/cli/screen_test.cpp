/// Output as a person sees it: lines that fit a terminal of 100 columns, reasons said once, figures with
/// their units.
#include "src/base/process/screen.hpp"

#include <set>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Output of a call whose lines all fit; it ends with 0, or else with `other`.
std::string fitting_output(const std::string& arguments, const std::filesystem::path& folder, int other = 0) {
  const ProgramResult result = run_program(words(arguments), folder, one_thread);
  CAPTURE(arguments, result.err);
  CHECK((result.exit_code == 0 || result.exit_code == other));
  CHECK(lines_of(result.out).size() > 3);
  for (const std::string& line : lines_of(result.out)) {
    CAPTURE(line);
    CHECK(columns_of(line) <= 100);
  }
  return result.out;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("The help of every command fits 100 columns", "[cli]") {
  const TemporaryDirectory folder;
  for (const char* command : {"", "run ", "kernels ", "info ", "bench ", "heat ", "roofline ", "verify "}) {
    fitting_output(std::string(command) + "--help", folder.path());
  }
  fitting_output("verify --list", folder.path());
  fitting_output("heat --emulate --kernel all --iterations 1 --repeats 1", folder.path());
}

TEST_CASE("The list of the kernels fits, and says once why shapes do not run", "[cli]") {
  const TemporaryDirectory folder;
  const std::string table = fitting_output("kernels", folder.path());
  const auto record = nlohmann::json::parse(run_program({"kernels", "--json"}, folder.path()).out);
  std::set<std::string> reasons;
  for (const auto& kernel : record["kernels"]) {
    for (const char* place : {"cpu", "cuda"}) reasons.insert(kernel[place]["why_not"].get<std::string>());
  }
  reasons.erase("");
  CHECK(!reasons.empty());
  for (const std::string& reason : reasons) {
    CAPTURE(reason);
    CHECK(count(table, ") " + reason + "\n") == 1);
  }
  CHECK(lines_of(table).size() == 1 + record["kernels"].size() + reasons.size());
}

TEST_CASE("The table of bench fits, and no speed reads as 0", "[cli]") {
  const TemporaryDirectory folder;
  const std::string out = fitting_output(
      "bench --kernel all --device cpu --schedule sequence --grid 25 --pml-width 5 --steps 2 --repeats 3",
      folder.path());
  int rows = 0;
  for (const std::string& line : lines_of(out)) {
    std::istringstream cells(line);
    std::string name;
    cells >> name;
    if (name != "reference" && name != "kokkos") continue;
    ++rows;
    CAPTURE(line);
    // Seconds and Gpt/s, then those of the inner box and of the PML.
    for (int column = 0; column < 6; ++column) {
      double value = 0;
      CHECK((cells >> value && value > 0));
    }
  }
  CHECK(rows == 2);
  CHECK(out.find("registers") == std::string::npos);  // a CPU's launch has no registers
}

TEST_CASE("The tables of roofline fit, on the screen and in their file", "[cli]") {
  const TemporaryDirectory folder;
  const std::string out = fitting_output(
      "roofline --device cpu --kernel kokkos,reference --schedule sequence --grid 30 --pml-width 5 --field "
      "random --no-counters",
      folder.path());
  CHECK(count(out, "\nkokkos") >= 2 * 7);  // seven kernels, in more than one table
  for (const char* column : {"least    median      most", "Gpt/s", "FLOP/pt", "AI DRAM*", "fp32  bound by"}) {
    CAPTURE(column);
    CHECK(count(out, column) == 1);
  }
  std::ostringstream file;
  file << std::ifstream(folder.path() / "tables.txt").rdbuf();
  CHECK(lines_of(file.str()).size() > 20);
  for (const std::string& line : lines_of(file.str())) CHECK(columns_of(line) <= 100);
}

TEST_CASE("The figures of verify fit, and have their units", "[cli]") {
  const TemporaryDirectory folder;
  // Whether the figures pass is the cases' own test.
  const std::string out = fitting_output(
      "verify stability original dispersion --device cpu --json record.json", folder.path(), 65);
  const auto record = read_json(folder.path() / "record.json");
  REQUIRE(record["cases"].size() > 10);
  for (const auto& figure : record["cases"]) {
    const std::string full_name = figure["name"], unit = figure["unit"];
    const std::string name = full_name.substr(full_name.find('/') + 1);
    CAPTURE(name);
    CHECK(!unit.empty());
    bool shown = false;
    for (const std::string& line : lines_of(out)) {
      shown |= line.starts_with("  " + name + ' ') && line.find(' ' + unit + ' ') != std::string::npos;
    }
    CHECK(shown);
  }
  REQUIRE(record["left_out"].size() == 4);
  CHECK(count(out, record["left_out"][0]["why"]) == 1);
}
