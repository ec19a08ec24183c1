#include "src/io/gather_format.hpp"

#include <fstream>
#include <iterator>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/file_suffix.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/shot_bytes.hpp"
#include "src/job/survey/shot_output.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

const FileKind counts_kind{"a file of counts",
                           [](const fs::path& file) { return begins_with(file, "shot"); }};

void write_counts(const ShotGather& gather, int shot, const FormatOptions&, const fs::path& file,
                  bool overwrite) {
  write_text(text("shot ", shot, ": ", gather.receivers.size(), '\n'), file, counts_kind, overwrite);
}

/// All that a new format is: a row.
const GatherFormat counts{
    .name = "counts",
    .title = "counts",
    .remark = "of receivers alone",
    .suffix = ".count",
    .is_named = [](const fs::path& file) { return small_suffix(file) == ".count"; },
    .kind = &counts_kind,
    .write = write_counts,
    .bytes = [](const GatherSize& size) { return 100 * size.receivers; },
    .is_of = [](const ShotIdentity&, const fs::path& file) { return file.extension() == ".count"; },
    .limits = {.time_step = [](double) { return 0.25e-3; }, .steps_are = "quarters of a millisecond"}};

ShotOptions counted(const fs::path& folder) {
  ShotOptions options;
  options.output.gather = folder.string();
  options.output.formats = {&counts, &segy_gathers};
  options.grid.grid = Extent3{60, 60, 60};
  options.time.steps = 8;
  return options;
}

TEST_CASE("Names, suffixes and lists of formats follow from their rows", "[unit]") {
  const GatherFormats& all = gather_formats();
  REQUIRE(all.front() == &hdf5_gathers);
  for (const GatherFormat* format : all) {
    CAPTURE(format->name);
    CHECK(parse_formats(format->name, "") == GatherFormats{format});
    CHECK(format_named_by(text("a", format->suffix)) == format);
  }
  CHECK(parse_formats("segy,hdf5", "") == GatherFormats{&hdf5_gathers, &segy_gathers});
  CHECK(format_named_by("a.SEGY") == &segy_gathers);
  CHECK(format_named_by("a.su") == nullptr);
  const Outcome wrong = outcome_of([] { (void)parse_formats("hdf5,sgy", "--format"); });
  CHECK(wrong.code == ExitCode::usage);
  CHECK(wrong.message ==
        "--format is 'sgy'; give " + names_of(all).replace(names_of(all).find(','), 1, " or "));
}

TEST_CASE("A made-up format is planned for, named, checked and written by its row", "[unit]") {
  const TemporaryDirectory folder;
  const ShotOptions options = counted(folder.path());
  const RunPlan plan = make_plan(options);
  CHECK(plan.problem.dt == 0.25e-3);
  CHECK(plan.notes.front().starts_with("for counts the time step is quarters of a millisecond: 250 us"));
  CHECK(gather_bytes(plan, {&counts}, 7, 1) == 700);
  CHECK(gather_bytes(plan, {&counts, &segy_gathers}, 7, 1) ==
        700 + gather_bytes(plan, {&segy_gathers}, 7, 1));
  {
    const ShotOutputs outputs(options);
    CHECK(outputs.first() == folder.path() / "shot_gather.count");
    CHECK(outputs.files().back().path == folder.path() / "shot_gather.sgy");
    std::ofstream(outputs.first()) << "something else";
    CHECK(outcome_of([&] { outputs.check([](const auto&) { return true; }); }).code ==
          ExitCode::cannot_create);
  }
  ShotGather gather;
  gather.receivers.resize(3);
  fs::create_directory(folder.path() / "shots");
  OutputOptions output = options.output;
  output.formats = {&counts};
  write_shot(gather, 17, folder.path(), output);
  std::ifstream file(folder.path() / "shots" / "shot_00017.count");
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == "shot 17: 3\n");
}

}  // namespace
}  // namespace minimod
