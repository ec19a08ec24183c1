/// Chunks that all cores pack: the library and they read each other's, and a flipped bit is seen.
#include "src/base/hdf5/packed_chunks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

using Dims = std::vector<hsize_t>;

/// Values whose upper bytes are alike, as those of traces are, with zeros at the end.
template <class Value>
std::vector<Value> signal(const Dims& dims) {
  std::vector<Value> values(hdf5::product(dims, 1));
  for (std::size_t i = 0; i < values.size() * 3 / 4; ++i) {
    values[i] = static_cast<Value>(std::sin(1e-3 * static_cast<double>(i * i % 10007)));
  }
  return values;
}

/// A file with one dataset.
class File {
 public:
  File(const Dims& dims, hid_t type, const hdf5::PackedChunks& chunks)
      : file_(hdf5::create(directory_.path() / "chunks.h5")),
        creation_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose) {
    REQUIRE(chunks.describe(creation_) >= 0);
    const hdf5::Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose);
    dataset_ = H5Dcreate2(file_, "values", type, space, H5P_DEFAULT, creation_, H5P_DEFAULT);
    REQUIRE(dataset_ >= 0);
  }
  ~File() { H5Dclose(dataset_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] hid_t dataset() const { return dataset_; }
  [[nodiscard]] hdf5::Handle opened() const { return {H5Dopen2(file_, "values", H5P_DEFAULT), H5Dclose}; }

 private:
  TemporaryDirectory directory_;
  hdf5::Handle file_, creation_;
  hid_t dataset_ = H5I_INVALID_HID;
};

void require_success(herr_t result) {
  REQUIRE(result >= 0);
}

template <class Value>
void round_trip(const Dims& dims, hid_t type) {
  CAPTURE(dims, sizeof(Value));
  const std::vector<Value> values = signal<Value>(dims);
  const hdf5::PackedChunks chunks(dims, sizeof(Value));
  const File ours(dims, type, chunks), theirs(dims, type, chunks);

  chunks.write(ours.dataset(), values.data(), require_success);
  std::vector<Value> found(values.size());
  REQUIRE(H5Dread(ours.dataset(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()) >= 0);
  CHECK(found == values);
  CHECK(chunks.hold(ours.dataset(), values.data()));

  REQUIRE(H5Dwrite(theirs.dataset(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  CHECK(chunks.hold(theirs.dataset(), values.data()));

  for (const File* file : {&ours, &theirs}) {
    const auto same = hdf5::PackedChunks::of(file->opened(), type);
    REQUIRE(same);
    std::ranges::fill(found, Value{7});
    CHECK(same->read(file->dataset(), found.data()));
    CHECK(found == values);
    CHECK_FALSE(hdf5::PackedChunks::of(file->opened(), H5T_NATIVE_INT));
  }

  for (const std::size_t other : {std::size_t{0}, values.size() / 2, values.size() - 1}) {
    std::vector<Value> changed = values;
    changed[other] = std::nextafter(changed[other], Value{2});
    CHECK_FALSE(chunks.hold(ours.dataset(), changed.data()));
  }
}

}  // namespace

TEST_CASE("Packed chunks are the library's, of any shape and cut", "[unit]") {
  const Dims dims = GENERATE(Dims{65537}, Dims{131072}, Dims{300, 1001}, Dims{3, 70000}, Dims{7, 50, 401},
                             Dims{2, 900, 301}, Dims{5, 2, 3, 40000});
  round_trip<float>(dims, H5T_NATIVE_FLOAT);
  round_trip<double>(dims, H5T_NATIVE_DOUBLE);
}

TEST_CASE("Zeros are packed no tighter than reading accepts", "[unit]") {
  const Dims dims = {1 << 20};
  const hdf5::PackedChunks chunks(dims, sizeof(float));
  const File file(dims, H5T_NATIVE_FLOAT, chunks);
  chunks.write(file.dataset(), std::vector<float>(dims[0]).data(), require_success);
  CHECK(1000 * H5Dget_storage_size(file.dataset()) > dims[0] * sizeof(float));
}

TEST_CASE("A chunk of other bytes holds no values, nor does one that is not there", "[unit]") {
  const Dims dims = {1000, 1000};
  const std::vector<float> values = signal<float>(dims);
  const hdf5::PackedChunks chunks(dims, sizeof(float));
  const File file(dims, H5T_NATIVE_FLOAT, chunks);
  std::vector<float> found(values.size());
  CHECK_FALSE(chunks.hold(file.dataset(), values.data()));
  CHECK_FALSE(chunks.read(file.dataset(), found.data()));
  chunks.write(file.dataset(), values.data(), require_success);
  CHECK(chunks.read(file.dataset(), found.data()));

  const Dims corner = {0, 0};
  hsize_t size = 0;
  std::uint32_t skipped = 0;
  REQUIRE(H5Dget_chunk_storage_size(file.dataset(), corner.data(), &size) >= 0);
  std::vector<std::byte> bytes(size);
  REQUIRE(H5Dread_chunk(file.dataset(), H5P_DEFAULT, corner.data(), &skipped, bytes.data()) >= 0);
  const std::size_t place = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{2});
  bytes[place * (size - 1) / 2] ^= std::byte{4};
  REQUIRE(H5Dwrite_chunk(file.dataset(), H5P_DEFAULT, 0, corner.data(), size, bytes.data()) >= 0);
  CHECK_FALSE(chunks.hold(file.dataset(), values.data()));
  CHECK_FALSE(chunks.read(file.dataset(), found.data()));
}

TEST_CASE("What a call of the writing reports ends it, in the caller's thread", "[unit]") {
  const Dims dims = {1000, 1000};
  const std::vector<float> values = signal<float>(dims);
  const hdf5::PackedChunks chunks(dims, sizeof(float));
  const File file(dims, H5T_NATIVE_FLOAT, chunks);
  int calls = 0;
  const Outcome outcome = outcome_of([&] {
    chunks.write(file.dataset(), values.data(), [&](herr_t) {
      if (++calls == 3) throw Error(ErrorKind::io, "the disk is full", "make room");
    });
  });
  CHECK(outcome.kind == ErrorKind::io);
  CHECK(calls == 3);
}

}  // namespace minimod
