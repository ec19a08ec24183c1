#include "src/io/gradient/gradient_file.hpp"

#include <random>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/io/gather/gather_texts.hpp"
#include "src/io/shot_identity.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

/// Fields of noise, which do not shrink.
GradientFile noise(const char* name, Extent3 n, int fields, Precision precision) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> value(-1, 1);
  GradientFile file{n, {10, 10, 10}, {}, {4, 7}, {0.5, 2}, {{configuration_attribute, "1a2b3c4d"}}};
  for (int i = 0; i < fields; ++i) {
    with_real(precision, [&]<class Real>() {
      std::vector<Real> values(static_cast<std::size_t>(n.points()));
      for (Real& one : values) one = static_cast<Real>(value(random));
      file.fields.push_back({i == 0 ? name : text("other", i), "1", "noise", std::move(values)});
    });
  }
  return file;
}

TEST_CASE("A gradient's file has no more bytes than were counted for it", "[unit]") {
  hdf5::initialize();
  const TemporaryDirectory folder;
  for (const Extent3 n : {Extent3{3, 1, 2}, Extent3{70, 1, 90}, Extent3{40, 50, 60}}) {
    const fs::path file = folder.path() / "gradient.h5";
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      write_gradient(noise("gradient", n, 3, precision), file, true);
      CHECK(fs::file_size(file) <= gradient_file_bytes(n, 3, precision, 2));
      CHECK(fs::file_size(file) > 3 * (bytes_of(precision) - 1) * static_cast<std::size_t>(n.points()));
    }
  }
}

TEST_CASE("A file says whether it is a gradient or an image, and is read as either", "[unit]") {
  hdf5::initialize();
  const TemporaryDirectory folder;
  for (const bool is_image : {false, true}) {
    const char* const name = is_image ? "image" : "gradient";
    const fs::path path = folder.path() / "file.h5";
    GradientFile file = noise(name, {3, 4, 5}, 1, is_image ? Precision::float32 : Precision::float64);
    file.is_image = is_image;
    write_gradient(file, path, true);  // over the other
    CHECK(gather_file::has_format(path, text("minimod ", name, " 1")));
    CHECK(gradient_kind.is(path));
    const GradientFile read = read_gradient(path, {name});
    CHECK(read.fields.front().values == file.fields.front().values);
    CHECK(read.shots == file.shots);
    CHECK(read.misfits == file.misfits);
  }
}

}  // namespace
}  // namespace minimod
