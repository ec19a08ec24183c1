/// Options that mean nothing without another, or beside another: refused, never passed over.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cli/run_program.hpp"

using namespace minimod;

namespace {

using Words = std::vector<const char*>;

/// Each command with each of the options.
void check_partner(const Words& commands, const Words& options, const std::string& says) {
  const TemporaryDirectory folder;
  for (const char* command : commands) {
    for (const char* option : options) {
      CAPTURE(command, option);
      const ProgramResult result =
          run_program(words(std::string(command) + " " + option), folder.path(), one_thread);
      CAPTURE(result.out, result.err);
      CHECK(result.exit_code == 64);
      CHECK(result.err.find(says) != std::string::npos);
      CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
      CHECK(result.err.size() <= 241);
      CHECK(result.out.empty());
      CHECK(folder.entries() == 0);
    }
  }
}

}  // namespace

TEST_CASE("What only surveys hear is refused without sources, and what only a shot hears with them",
          "[cli]") {
  check_partner({"", "run", "section", "survey"},
                {"--shots 7", "--receivers-move", "--receivers-move --receivers line:0,0,0:100,0,0:3",
                 "--workers 2", "--worker 0/2", "--ranks-per-shot 2"},
                " is given without --sources");
  const char* const survey = "--sources line:100,100,100:150,100,100:2";
  check_partner({survey}, {"--profile-range 0:2", "--json r.json"}, " is given with --sources");
  check_partner({survey}, {"--receivers-move"}, "--receivers-move is given without --receivers");
  check_partner({survey}, {"--transport mpi", "--share-gpu", "--slabs 100,100"},
                "--ranks-per-shot 2 or more");
}

TEST_CASE("Options of a run are refused without their partner", "[cli]") {
  check_partner({"", "bench", "stencil run zhang_7"}, {"--transport mpi", "--share-gpu", "--slabs 100,100"},
                "give --ranks 2 or more");
  check_partner({"verify"}, {"--transport mpi", "--share-gpu"}, "give --ranks 2 or more");
  check_partner({"", "verify", "heat", "survey"}, {"--emulate"}, "--emulate is given without --kernel");
  check_partner({"--pml-width 0"}, {"--pml-velocity 3000", "--pml-alpha 0.1", "--pml-kernel reference"},
                "is given with --pml-width 0");
  check_partner({""}, {"--snapshot-box :,:,:", "--snapshot-stride 2"}, "is given without --snapshot-every");
  check_partner({""}, {"--reverse"}, "--reverse is given without --inject");
  check_partner({""}, {"--segy-floats ibm"}, "no SEG-Y file is asked for");
  check_partner({""},
                {"--model-dims 2,2,2", "--model-axes z,y,x", "--model-spacing 3",
                 "--crop :,:,:", "--decimate 2", "--segy-header x=181", "--coordinates file"},
                "is given with a model that is no file");
  check_partner({""}, {"--extrude 3"}, "the model is not a 2-D section");
}

TEST_CASE("Options of other commands are refused without their partner", "[cli]") {
  check_partner({"bench", "verify", "heat", "tune --kernel gmem"}, {"--force"},
                "--force is given without --");
  check_partner({"verify --list"}, {"--json x.json", "--plot p", "--force", "green", "--ranks 2"},
                "--list is given with ");
  check_partner({"tune --from r.json"},
                {"--limit 3", "--candidates x*", "--exhaustive", "--grid 64", "--steps 3", "--repeats 3",
                 "--order 4", "--precision double", "--equation jacobi", "--output o.json", "--force"},
                " is given with --from");
  check_partner({"tune --kernel smem_partial --emulate --grid 24"}, {"--cutoff 5 --limit 2"},
                "--cutoff is given, and all 2 candidates run");
  check_partner({"stencil verify zhang_7"},
                {"--repeats 3", "--unverified", "--write f.h5", "--slices k=3", "--force"},
                "give it to stencil run");
  check_partner({"stencil list", "stencil info zhang_7"},
                {"--repeats 3", "--unverified", "--force", "--slabs 3,3", "--transport mpi", "--share-gpu"},
                "runs no kernel");
  check_partner({"merge survey -o a.h5"}, {"--segy-floats ibm"}, "--segy-floats is given with an HDF5 file");
  check_partner({"roofline --profile-range 0:2"}, {"--strict", "--no-counters", "--output r"},
                "--profile-range is given with ");
}
