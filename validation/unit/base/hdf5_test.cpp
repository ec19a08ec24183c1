#include "src/base/hdf5/hdf5.hpp"

#include <array>
#include <bit>
#include <numeric>

#include <catch2/catch_test_macros.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "src/base/files/temporary_directory.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

const std::vector<float> floats = {1500, 1600.5F, 1e-30F, -2, 0, 3e30F};

hdf5::Handle chunked(hsize_t chunk, std::initializer_list<H5Z_filter_t> filters = {}) {
  hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation, 1, &chunk);
  for (const H5Z_filter_t filter : filters) {
    const unsigned level = 4;
    H5Pset_filter(creation, filter, 0, filter == H5Z_FILTER_DEFLATE ? 1 : 0, &level);
  }
  return creation;
}

std::vector<float> read(const std::string& path, const std::string& name = "/vp") {
  const hdf5::Handle file = hdf5::open_for_reading(path);
  return hdf5::read_floats(hdf5::open_float_dataset(file, name, path), path);
}

Outcome outcome_of_reading(const std::string& path, const std::string& name = "/vp") {
  Outcome outcome = outcome_of([&] { (void)read(path, name); });
  INFO(outcome.message);
  CHECK(outcome.message.size() <= longest_message);
  return outcome;
}

TEST_CASE("floats of both sizes and byte orders read the same", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  for (const hid_t type : {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE}) {
    Hdf5Writer(path).dataset("vp", {2, 3}, floats, type);
    CHECK(read(path) == floats);
    const hdf5::Handle file = hdf5::open_for_reading(path);
    const hdf5::Handle dataset = hdf5::open_float_dataset(file, "vp", path);
    CHECK(hdf5::shape_of(dataset).dims == std::vector<hsize_t>{2, 3});
    CHECK(hdf5::read_doubles(dataset, path) == std::vector<double>(floats.begin(), floats.end()));
    std::array<float, 3> row{};
    hdf5::read_slab(dataset, 1, 1, row, path);
    CHECK(row == std::array<float, 3>{-2, 0, 3e30F});
    CHECK(hdf5::slab_thickness(dataset) == 1);
  }
}

TEST_CASE("chunks with the plain filters are read, and their thickness is known", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  Hdf5Writer(path).dataset("vp", {6}, floats, H5T_IEEE_F32LE,
                           chunked(4, {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32}));
  CHECK(read(path) == floats);
  {
    const hdf5::Handle file = hdf5::open_for_reading(path);
    CHECK(hdf5::slab_thickness(hdf5::open_float_dataset(file, "vp", path)) == 4);
  }
  // Deflate is left out of the chunks that it would lengthen, where the file lets it.
  std::vector<float> random(1000);
  std::uint32_t state = 1;
  for (float& value : random) value = static_cast<float>(state = state * 1664525 + 1013904223);
  const hdf5::Handle creation = chunked(7);
  H5Pset_deflate(creation, 1);
  H5Pset_fletcher32(creation);
  Hdf5Writer(path).dataset("noise", {1000}, random, H5T_IEEE_F32LE, creation);
  CHECK(read(path, "/noise") == random);
}

TEST_CASE("other filters, and one filter twice, are refused", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  Hdf5Writer(path).dataset("vp", {6}, floats, H5T_IEEE_F32LE,
                           chunked(6, {H5Z_FILTER_DEFLATE, H5Z_FILTER_DEFLATE}));
  CHECK(outcome_of_reading(path).says("uses filter 1"));
  const hdf5::Handle creation = chunked(6);
  H5Pset_scaleoffset(creation, H5Z_SO_FLOAT_DSCALE, 2);
  Hdf5Writer(path).dataset("vp", {6}, floats, H5T_IEEE_F32LE, creation);
  CHECK(outcome_of_reading(path).says("uses filter 6"));
}

TEST_CASE("a flipped bit is found by the checksum", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  const std::vector<float> marked(64, std::bit_cast<float>(0x44434241));  // "ABCD"
  Hdf5Writer(path).dataset("vp", {64}, marked, H5T_IEEE_F32LE, chunked(64, {H5Z_FILTER_FLETCHER32}));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), {});
  file.seekp(static_cast<std::streamoff>(content.find("ABCDABCD")));
  file.put('C').flush();
  const Outcome outcome = outcome_of_reading(path);
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.says("checksum"));
}

TEST_CASE("values that are no numbers, and no values, are refused", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  {
    const Hdf5Writer writer(path);
    const hdf5::Handle truth(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
    (void)writer.declare("truths", {2}, truth);
    const hdf5::Handle text_type(H5Tcopy(H5T_C_S1), H5Tclose);
    (void)writer.declare("strings", {2}, text_type);
    const hdf5::Handle compound(H5Tcreate(H5T_COMPOUND, 4), H5Tclose);
    H5Tinsert(compound, "v", 0, H5T_IEEE_F32LE);
    (void)writer.declare("compounds", {2}, compound);
    (void)writer.declare("none", {0, 3}, H5T_IEEE_F32LE);
    const hdf5::Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
    const hdf5::Handle made(
        H5Dcreate2(writer.file(), "scalar", H5T_IEEE_F32LE, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    const hdf5::Handle group(H5Gcreate2(writer.file(), "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             H5Gclose);
  }
  for (const char* const name : {"/truths", "/strings", "/compounds", "/none", "/scalar", "/group", "/"}) {
    INFO(name);
    CHECK(outcome_of_reading(path, name).kind == ErrorKind::data);
  }
}

TEST_CASE("a file that is open for writing elsewhere is told from a damaged one", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  Hdf5Writer(path).dataset("vp", {6}, floats, H5T_IEEE_F32LE);
  const int writer = open(path.c_str(), O_RDWR);
  REQUIRE(flock(writer, LOCK_EX) == 0);  // as the library locks what it writes
  const Outcome locked = outcome_of_reading(path);
  CHECK(locked.kind == ErrorKind::data);
  CHECK(locked.says("is open for writing elsewhere; close it there"));
  close(writer);
  CHECK(read(path) == floats);
  // The newer formats carry a mark, which stands without locks.
  const std::string copied = (directory.path() / "copied.h5").string();
  {
    const hdf5::Handle file = hdf5::create(path);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    std::filesystem::copy_file(path, copied);
  }
  CHECK(outcome_of_reading(copied).says("is open for writing elsewhere, or its writer died"));
}

TEST_CASE("a file of a newer format is told from a damaged one", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  Hdf5Writer(path).dataset("vp", {6}, floats, H5T_IEEE_F32LE);
  std::ifstream file(path, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), {});
  // Version 3 of the layout message of contiguous values: class 1, address, size.
  const std::string size("\x18\0\0\0\0\0\0\0", 8);
  std::size_t layout = content.find("\x03\x01");
  while (content.compare(layout + 10, 8, size) != 0) layout = content.find("\x03\x01", layout + 1);
  for (const std::size_t version : {std::size_t{8}, layout}) {  // the superblock's, too
    std::string newer = content;
    newer[version] = 9;
    const Outcome outcome = outcome_of_reading(directory.write("newer.h5", newer));
    CAPTURE(version, outcome.message);
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says("is written by a newer HDF5 than 1."));
    CHECK(outcome.says("(h5py: libver='v110')"));
  }
}

TEST_CASE("a missing dataset lists those that are there", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  {
    const Hdf5Writer writer(path);
    const hdf5::Handle group(H5Gcreate2(writer.file(), "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             H5Gclose);
    (void)writer.declare("group/vp", {2}, H5T_IEEE_F32LE);
    (void)writer.declare("vs", {2}, H5T_IEEE_F32LE);
    H5Lcreate_hard(writer.file(), "/", writer.file(), "group/cycle", H5P_DEFAULT, H5P_DEFAULT);
  }
  const Outcome outcome = outcome_of_reading(path);
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.says("'/vp' is missing"));
  CHECK(outcome.says("/vs"));
  CHECK(outcome.says("/group/vp"));
  CHECK(outcome_of_reading(path, "/vs/deeper").kind == ErrorKind::data);
  CHECK(outcome_of_reading(path, "/" + std::string(5000, 'x')).kind == ErrorKind::data);
}

TEST_CASE("links that could lead out of the file are refused", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  const std::string other = (directory.path() / "other.h5").string();
  Hdf5Writer(other).dataset("vp", {6}, floats, H5T_IEEE_F32LE);
  {
    const Hdf5Writer writer(path);
    writer.dataset("inside", {6}, floats, H5T_IEEE_F32LE);
    H5Lcreate_soft("/inside", writer.file(), "soft", H5P_DEFAULT, H5P_DEFAULT);
    writer.external_link("dataset", other, "/vp");
    writer.external_link("root", other, "/");
  }
  CHECK(read(path, "/inside") == floats);
  for (const char* const name : {"/soft", "/dataset", "/root", "/root/vp"}) {
    INFO(name);
    const Outcome outcome = outcome_of_reading(path, name);
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says("behind a link"));
  }
}

TEST_CASE("values that stand in other files are refused", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  const std::string other = directory.write("other.bin", std::string(24, 'A'));
  const hdf5::Handle external(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_external(external, other.c_str(), 0, 24);
  const hdf5::Handle virtual_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hsize_t count = 6;
  const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  H5Pset_virtual(virtual_, space, other.c_str(), "/vp", space);
  {
    const Hdf5Writer writer(path);
    (void)writer.declare("external", {6}, H5T_IEEE_F32LE, external);
    (void)writer.declare("virtual", {6}, H5T_IEEE_F32LE, virtual_);
  }
  CHECK(outcome_of_reading(path, "/external").says("from other files"));
  CHECK(outcome_of_reading(path, "/virtual").says("from other files"));
}

TEST_CASE("a file that declares far more than it stores is refused", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  constexpr hsize_t many = hsize_t{1} << 16;
  {
    const Hdf5Writer writer(path);
    const hdf5::Handle late(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_alloc_time(late, H5D_ALLOC_TIME_LATE);
    (void)writer.declare("late", {many, many, many}, H5T_IEEE_F32LE, late);
    (void)writer.declare("chunks", {many * many}, H5T_IEEE_F32LE, chunked(1024));
    // One value that unpacks to 64 MiB of zeros.
    const std::vector<float> one = {1500};
    const hsize_t unlimited = H5S_UNLIMITED, size = 1;
    const hdf5::Handle space(H5Screate_simple(1, &size, &unlimited), H5Sclose);
    const hdf5::Handle bomb(H5Dcreate2(writer.file(), "bomb", H5T_IEEE_F32LE, space, H5P_DEFAULT,
                                       chunked(many << 8, {H5Z_FILTER_DEFLATE}), H5P_DEFAULT),
                            H5Dclose);
    H5Dwrite(bomb, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, one.data());
  }
  for (const char* const name : {"/late", "/chunks", "/bomb"}) {
    INFO(name);
    const Outcome outcome = outcome_of_reading(path, name);
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.says("1000 times"));
  }
}

TEST_CASE("a dataset of which chunks were never written is refused", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  {
    const Hdf5Writer writer(path);
    const hdf5::Handle dataset = writer.declare("vp", {6}, H5T_IEEE_F32LE, chunked(2));
    const hsize_t begin = 0, count = 4;
    const hdf5::Handle from(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const hdf5::Handle to(H5Dget_space(dataset), H5Sclose);
    H5Sselect_hyperslab(to, H5S_SELECT_SET, &begin, nullptr, &count, nullptr);
    H5Dwrite(dataset, H5T_NATIVE_FLOAT, from, to, H5P_DEFAULT, floats.data());
  }
  CHECK(outcome_of_reading(path).says("missing or damaged"));
}

TEST_CASE("a damaged description of chunks is refused", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  const std::vector<float> many(4096, 1500);
  Hdf5Writer(path).dataset("vp", {4096}, many, H5T_IEEE_F32LE,
                           chunked(1000, {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32}));
  std::ifstream file(path, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)), {});
  // The layout message: version 3, chunked, rank 1 and the value's size.
  const std::size_t layout = content.find(std::string("\x03\x02\x02", 3));
  REQUIRE(layout != std::string::npos);
  REQUIRE(content.substr(layout + 11, 2) == "\xe8\x03");
  for (const unsigned chunk : {1001U, 1024U, 1365U, 4096U, 4097U, 65000U}) {
    INFO(chunk);
    std::string changed = content;
    changed[layout + 11] = static_cast<char>(chunk & 255);
    changed[layout + 12] = static_cast<char>(chunk >> 8);
    CHECK(outcome_of_reading(directory.write("b.h5", changed)).kind == ErrorKind::data);
  }
}

TEST_CASE("attributes of numbers and of text", "[unit]") {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "a.h5").string();
  const Hdf5Writer writer(path);
  const hdf5::Handle dataset = writer.declare("vp", {2}, H5T_IEEE_F32LE);
  Hdf5Writer::attribute(dataset, "spacing", std::vector<double>{7.5, 10});
  Hdf5Writer::attribute(dataset, "units", std::string("km/s  "));
  Hdf5Writer::attribute(dataset, "axes", std::vector<const char*>{"z", "x"});
  Hdf5Writer::attribute(dataset, "long", std::vector<double>(1000, 1.0));
  CHECK(hdf5::read_number_attribute(dataset, "spacing") == std::vector<double>{7.5, 10});
  CHECK(hdf5::read_text_attribute(dataset, "units") == "km/s");
  CHECK(hdf5::read_text_attribute(dataset, "axes") == "z,x");
  CHECK(hdf5::read_number_attribute(dataset, "absent").empty());
  CHECK(hdf5::read_text_attribute(dataset, "absent").empty());
  CHECK(outcome_of([&] { (void)hdf5::read_number_attribute(dataset, "units"); }).kind == ErrorKind::data);
  CHECK(outcome_of([&] { (void)hdf5::read_text_attribute(dataset, "spacing"); }).kind == ErrorKind::data);
  CHECK(outcome_of([&] { (void)hdf5::read_number_attribute(dataset, "long"); }).kind == ErrorKind::data);
}

TEST_CASE("what cannot be opened has the exit code of its reason", "[unit]") {
  const TemporaryDirectory directory;
  CHECK(outcome_of_reading((directory.path() / "none.h5").string()).kind == ErrorKind::missing_input);
  CHECK(outcome_of_reading(directory.path().string()).kind == ErrorKind::missing_input);
  CHECK(outcome_of_reading(std::string(5000, 'x')).kind == ErrorKind::missing_input);
  CHECK(outcome_of_reading("a\nb\xff").kind == ErrorKind::missing_input);
  CHECK(outcome_of_reading(directory.write("empty.h5", "")).kind == ErrorKind::data);
  CHECK(outcome_of_reading(directory.write("text.h5", "velocity\n")).kind == ErrorKind::data);
  const std::string unreadable = directory.write("unreadable.h5", "");
  std::filesystem::permissions(unreadable, std::filesystem::perms::none);
  // The superuser may read everything.
  if (geteuid() != 0) CHECK(outcome_of_reading(unreadable).kind == ErrorKind::permission);
}

}  // namespace
}  // namespace minimod
