#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/survey/journal.hpp"
#include "src/io/survey/merged_file.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// A shot whose values say which it is.
ShotGather shot_of(int shot, std::size_t receivers, std::size_t sources) {
  constexpr std::size_t samples = 5;
  ShotGather gather;
  gather.samples = samples;
  gather.record_dt = 2e-3;
  std::vector<float> traces(receivers * samples);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    traces[i] = static_cast<float>(shot) * 100 + static_cast<float>(i);
  }
  gather.traces = traces;
  gather.receivers.assign(receivers, {1.0 * shot, 2, 3});
  gather.requested_receivers = gather.receivers;
  gather.wavelet_dt = 1e-3;
  for (std::size_t i = 0; i < sources; ++i) {
    gather.sources.push_back({10.0 * shot + static_cast<double>(i), 0, 5});
    gather.wavelets.push_back({1.0 * shot, static_cast<double>(i), 7});
  }
  gather.requested_sources = gather.sources;
  gather.metadata = {{"date", std::to_string(shot)},
                     {"shot_id", std::int64_t{shot}},
                     {"model", std::string("constant:2000")}};
  return gather;
}

void put_shot(const TemporaryDirectory& folder, int shot, const ShotGather& gather) {
  fs::create_directories(folder.path() / "shots");
  write(gather, folder.path() / "shots" / shot_file_name(shot), true);
}

std::vector<std::int64_t> whole_numbers(const fs::path& path, const char* name, std::size_t count) {
  const hdf5::Handle file = hdf5::open_for_reading(path);
  const hdf5::Handle dataset(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  std::vector<std::int64_t> values(count);
  REQUIRE(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  return values;
}

std::vector<double> numbers(const fs::path& path, const char* name) {
  const hdf5::Handle file = hdf5::open_for_reading(path);
  return hdf5::read_doubles(hdf5::open_float_dataset(file, name, path), path);
}

TEST_CASE("a merged survey has all sources of its shots, and says whose they are", "[unit]") {
  const TemporaryDirectory folder;
  put_shot(folder, 3, shot_of(3, 2, 1));
  put_shot(folder, 12, shot_of(12, 1, 2));
  const SurveyFiles survey = find_shots(folder.path());
  CHECK(survey.notes == std::vector<std::string>{"the folder does not say which shots were planned, merged "
                                                 "are the 2 that are there"});
  CHECK(survey.shared == std::vector<std::pair<std::string, AttributeValue>>{{"model", "constant:2000"}});
  const fs::path merged = folder.path() / "all.h5";
  write_merged(survey, merged, false);
  CHECK(merged_kind.is(merged));
  CHECK(whole_numbers(merged, "shot_id", 2) == std::vector<std::int64_t>{3, 12});
  CHECK(whole_numbers(merged, "trace_count", 2) == std::vector<std::int64_t>{2, 1});
  CHECK(whole_numbers(merged, "first_source", 2) == std::vector<std::int64_t>{0, 1});
  CHECK(whole_numbers(merged, "source_count", 2) == std::vector<std::int64_t>{1, 2});
  CHECK(numbers(merged, "source") == std::vector<double>{30, 0, 5, 120, 0, 5, 121, 0, 5});
  CHECK(numbers(merged, "wavelet") == std::vector<double>{3, 0, 7, 12, 0, 7, 12, 1, 7});
  CHECK(numbers(merged, "receivers") == std::vector<double>{3, 2, 3, 3, 2, 3, 12, 2, 3});
  CHECK(numbers(merged, "traces")[10] == 1200);
}

TEST_CASE("a shot of 200 sources of which one was asked for is no shot", "[unit]") {
  const TemporaryDirectory folder;
  put_shot(folder, 1, shot_of(1, 2, 200));
  const fs::path path = folder.path() / "shots" / shot_file_name(1);
  {
    const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    REQUIRE(H5Ldelete(file, "requested_source", H5P_DEFAULT) >= 0);
    const hsize_t axes = 3;
    const hdf5::Handle space(H5Screate_simple(1, &axes, nullptr), H5Sclose);
    const hdf5::Handle one(
        H5Dcreate2(file, "requested_source", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    const std::vector<double> position = {1, 2, 3};
    REQUIRE(H5Dwrite(one, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, position.data()) >= 0);
  }
  const Outcome refused = outcome_of([&] { (void)find_shots(folder.path()); });
  CHECK(refused.kind == ErrorKind::data);
  CHECK(refused.says("shot_00001.h5': dataset 'requested_source' has the shape [3], not [200, 3]"));
  CHECK(refused.message.size() <= longest_message);
}

TEST_CASE("a merge knows from the journal which shots there were to be", "[unit]") {
  const TemporaryDirectory folder;
  std::vector<int> planned;
  for (int shot = 1001; shot <= 1014; ++shot) planned.push_back(shot);
  Journal(folder.path(), 1).plan(planned);
  put_shot(folder, 1003, shot_of(3, 2, 1));
  const Outcome refused = outcome_of([&] { (void)find_shots(folder.path()); });
  CHECK(refused.kind == ErrorKind::data);
  CHECK(refused.says("13 of 14 shots of the survey are not there: 1001, 1002, 1004, 1005"));
  CHECK(refused.says("--allow-missing"));
  CHECK(refused.message.size() <= longest_message);
  const SurveyFiles some = find_shots(folder.path(), true);
  REQUIRE(some.notes.size() == 1);
  CHECK(some.notes.front().starts_with("13 of 14 shots"));
  CHECK(some.shared.size() == 2);  // the number of a single shot is no fact of the survey
  for (const int shot : planned) put_shot(folder, shot, shot_of(shot, 2, 1));
  CHECK(find_shots(folder.path()).notes.empty());
}

TEST_CASE("shots of two samplings are not one survey", "[unit]") {
  const TemporaryDirectory folder;
  put_shot(folder, 0, shot_of(0, 2, 1));
  ShotGather other = shot_of(1, 2, 1);
  other.record_dt += 1e-12;
  put_shot(folder, 1, other);
  const Outcome refused = outcome_of([&] { (void)find_shots(folder.path()); });
  CHECK(refused.kind == ErrorKind::data);
  CHECK(refused.says("shot 0 has 5 samples every 0.002 s"));
  CHECK(refused.says("shot 1 5 samples every 0.002000000001 s"));
  CHECK(refused.message.size() <= longest_message);
  other = shot_of(1, 2, 1);
  other.wavelets = {{1, 2}};
  put_shot(folder, 1, other);
  CHECK(outcome_of([&] { (void)find_shots(folder.path()); }).says("a signature of 2"));
}

TEST_CASE("a folder without shots has nothing to merge", "[unit]") {
  const TemporaryDirectory folder;
  static_cast<void>(folder.write("shot_00000.h5", "not in shots"));
  CHECK(outcome_of([&] { (void)find_shots(folder.path()); }).kind == ErrorKind::missing_input);
  fs::create_directories(folder.path() / "shots");
  static_cast<void>(folder.write("shots/shot_0.h5", "another name"));
  CHECK(outcome_of([&] { (void)find_shots(folder.path()); }).kind == ErrorKind::missing_input);
  static_cast<void>(folder.write("shots/shot_00000.h5", "no HDF5"));
  CHECK(outcome_of([&] { (void)find_shots(folder.path()); }).kind == ErrorKind::data);
}

}  // namespace
}  // namespace minimod
