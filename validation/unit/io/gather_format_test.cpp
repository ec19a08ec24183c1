#include "src/io/gather_format.hpp"

#include <fstream>
#include <iterator>

#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>

#include "src/base/files/file_suffix.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/commands/options/option_groups.hpp"
#include "src/job/outputs/outputs.hpp"
#include "src/job/outputs/shot_bytes.hpp"
#include "src/job/plan/survey_plan.hpp"
#include "src/job/survey/merge.hpp"
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

std::uint64_t bytes_of_counts(const GatherSize& size) {
  return 100 * size.receivers;
}

constexpr FormatOption count_options[] = {
    {"count-word", "", [](const std::string& value, const std::string& spelling) {
       if (value.empty()) throw Error(ErrorKind::parameter, spelling + " is empty", "give a word");
     }}};

/// A line a survey, in the word that is asked for.
void merge_counts(const SurveyFiles& survey, const FormatOptions& options, const fs::path& file,
                  bool overwrite) {
  const auto word = options.find("count-word");
  write_text(text("shot", word == options.end() ? "s" : word->second, ' ', survey.receivers(), '\n'), file,
             counts_kind, overwrite);
}

std::size_t join_counts(std::vector<ShotFile>& shots, const FormatOptions&, const fs::path& file,
                        bool overwrite) {
  for (ShotFile& shot : shots) shot.receivers = 3;
  write_text(text("shots joined: ", shots.size(), '\n'), file, counts_kind, overwrite);
  return 1;
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
    .read = read_hdf5_traces,
    .bytes = bytes_of_counts,
    .is_of = [](const ShotIdentity&, const fs::path& file) { return file.extension() == ".count"; },
    .options = count_options,
    .limits = {.time_step = [](double) { return 0.25e-3; }, .steps_are = "quarters of a millisecond"},
    .merger = {.kind = &counts_kind, .write = merge_counts, .join = join_counts}};

const GatherFormat &hdf5_gathers = *format_named_by("a.h5"), &segy_gathers = *format_named_by("a.sgy");
const GatherFormats with_counts = {&hdf5_gathers, &segy_gathers, &counts};

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Two receivers and two samples.
ShotGather small_shot() {
  ShotGather gather;
  gather.samples = 2;
  gather.record_dt = gather.wavelet_dt = 2e-3;
  gather.traces = std::vector<float>{1, 2, 3, 4};
  gather.receivers = gather.requested_receivers = {{1, 0, 0}, {2, 0, 0}};
  gather.sources = gather.requested_sources = {{0, 0, 0}};
  gather.wavelets = {{1, 0}};
  return gather;
}

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
  CHECK(wrong.kind == ErrorKind::parameter);
  CHECK(wrong.message ==
        "--format is 'sgy'; give " + names_of(all).replace(names_of(all).find(','), 1, " or "));
}

TEST_CASE("A made-up format is planned for, named, checked and written by its row", "[unit]") {
  const TemporaryDirectory folder;
  const ShotOptions options = counted(folder.path());
  const RunPlan plan = make_survey_plan(options).shared;
  CHECK(plan.time().dt == 0.25e-3);
  CHECK(plan.notes.front().starts_with("for counts the time step is quarters of a millisecond: 250 us"));
  CHECK(gather_bytes(plan.problem, {&counts}, 7, 1, false) == 700);
  CHECK(gather_bytes(plan.problem, {&counts, &segy_gathers}, 7, 1, false) ==
        700 + gather_bytes(plan.problem, {&segy_gathers}, 7, 1, false));
  {
    const ShotOutputs outputs(options);
    CHECK(outputs.first() == folder.path() / "shot_gather.count");
    CHECK(outputs.files().back().path == folder.path() / "shot_gather.sgy");
    std::ofstream(outputs.first()) << "something else";
    CHECK(outcome_of([&] { outputs.check([](const auto&) { return true; }); }).kind ==
          ErrorKind::cannot_create);
  }
  ShotGather gather;
  gather.receivers.resize(3);
  fs::create_directory(folder.path() / "shots");
  OutputOptions output = options.output;
  output.formats = {&counts};
  write_shot(gather, 17, folder.path(), output);
  CHECK(content_of(folder.path() / "shots" / "shot_00017.count") == "shot 17: 3\n");
}

TEST_CASE("A survey is merged to a made-up format, with its options, by its row", "[unit]") {
  const TemporaryDirectory folder;
  const fs::path shots = folder.path() / "shots";
  fs::create_directory(shots);
  for (const int shot : {3, 5}) write(small_shot(), shots / shot_file_name(shot), false);
  MergeOptions options{folder.path(), folder.path() / "all.count", {{"count-word", "of"}}};
  merge_survey(options, with_counts);
  CHECK(content_of(options.output) == "shotof 4\n");
  CHECK(outcome_of([&] { merge_survey(options, with_counts); }).says("--force"));
  options.of_formats = {{"segy-floats", "ibm"}};
  CHECK(outcome_of([&] { merge_survey(options, with_counts); }).says("is given with an counts file"));
  options = {folder.path(), folder.path() / "all.h5", {{"count-word", "of"}}};
  CHECK(outcome_of([&] { merge_survey(options, with_counts); }).says("give FILE.count"));
  options.output = folder.path() / "all.txt";
  CHECK(outcome_of([&] { merge_survey(options, with_counts); }).says("FILE.h5 or FILE.sgy or FILE.count"));
  fs::remove_all(shots);
  fs::create_directory(shots);
  std::ofstream(shots / "shot_00002.count") << "shot 2: 3\n";
  options = {folder.path(), folder.path() / "joined.count", {}};
  merge_survey(options, with_counts);
  CHECK(content_of(options.output) == "shots joined: 1\n");
}

TEST_CASE("Options of a made-up format are said, checked and missed by its row", "[unit]") {
  CHECK_FALSE(stray_option({{"count-word", "of"}}, {&counts}, with_counts));
  CHECK_FALSE(stray_option({}, {&hdf5_gathers}, with_counts));
  const auto stray = stray_option({{"count-word", "of"}}, {&hdf5_gathers}, with_counts);
  REQUIRE(stray);
  CHECK(stray->format == &counts);
  CHECK(stray->name == std::string("count-word"));
  FormatOptions said;
  CLI::App app;
  OptionTable table(app, "");
  add_format_options(table, said, {&counts});
  app.parse("--count-word of");
  CHECK(said == FormatOptions{{"count-word", "of"}});
  CHECK(outcome_of([&] {
          app.parse(std::vector<std::string>{"", "--count-word"});
        }).says("--count-word is empty"));
}

}  // namespace
}  // namespace minimod
