#include "src/io/checkpoint/checkpoint_arrays.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <vector>

#include "src/base/error.hpp"
#include "src/base/files/output_file.hpp"

namespace minimod {

namespace {

constexpr hsize_t values_of_chunk = hsize_t{1} << 20;

}  // namespace

CheckpointWriter::CheckpointWriter(const std::filesystem::path& temporary,
                                   const std::filesystem::path& target, std::size_t head_bytes)
    : target_(target), file_(hdf5::create(temporary, std::bit_ceil(std::max<std::size_t>(head_bytes, 512)))) {
  check(file_.id(), "H5Fcreate");
}

void CheckpointWriter::write_rows(const NamedRows& rows, const Reals& values) {
  const std::array<hsize_t, 2> all = {rows.count, rows.length}, filled = {rows.count, rows.filled},
                               none = {0, 0};
  const std::array<hsize_t, 2> chunk = {std::clamp<hsize_t>(values_of_chunk / filled[1], 1, filled[0]),
                                        std::min(values_of_chunk, filled[1])};
  const hdf5::Handle memory(H5Screate_simple(2, all.data(), nullptr), H5Sclose);
  check(H5Sselect_hyperslab(memory, H5S_SELECT_SET, none.data(), nullptr, filled.data(), nullptr),
        "H5Sselect_hyperslab");
  const hdf5::Handle dataset = make_dataset(rows.name, values.precision(), filled, chunk);
  check(H5Dwrite(dataset, hdf5::type_of(values.precision()), memory, H5S_ALL, H5P_DEFAULT, values.data()),
        "H5Dwrite");
}

void CheckpointWriter::write_piece(const NamedArray& array, hsize_t first, const Reals& values) {
  if (first == 0) {
    const std::array<hsize_t, 1> count = {array.size}, chunk = {std::min(values_of_chunk, count[0])};
    dataset_.emplace(make_dataset(array.name, values.precision(), count, chunk));
  }
  const hsize_t count = values.size();
  const hdf5::Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const hdf5::Handle to(H5Dget_space(*dataset_), H5Sclose);
  check(H5Sselect_hyperslab(to, H5S_SELECT_SET, &first, nullptr, &count, nullptr), "H5Sselect_hyperslab");
  const hid_t type = hdf5::type_of(values.precision());
  check(H5Dwrite(*dataset_, type, memory, to, H5P_DEFAULT, values.data()), "H5Dwrite");
}

void CheckpointWriter::close() {
  dataset_.reset();
  check(H5Fflush(file_, H5F_SCOPE_GLOBAL), "H5Fflush");
  check(file_.shut(), "H5Fclose");
  check(hdf5::failed_closes() == failed_before_ ? 0 : -1, "H5Dclose");
}

void CheckpointWriter::check(hid_t result, const char* call) const {
  if (result >= 0) return;
  throw write_error(target_, errno, call);
}

template <std::size_t rank>
hdf5::Handle CheckpointWriter::make_dataset(const std::string& name, Precision precision,
                                            const std::array<hsize_t, rank>& dims,
                                            const std::array<hsize_t, rank>& chunk) const {
  const hdf5::Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_chunk(list, rank, chunk.data()), "H5Pset_chunk");
  check(H5Pset_fletcher32(list), "H5Pset_fletcher32");
  const hdf5::Handle space(H5Screate_simple(rank, dims.data(), nullptr), H5Sclose);
  const hid_t type = precision == Precision::float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  hdf5::Handle dataset(H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT),
                       H5Dclose);
  check(dataset.id(), "H5Dcreate2");
  return dataset;
}

void CheckpointReader::read_rows(const NamedRows& rows, Reals& values) const {
  const hdf5::Handle dataset =
      hdf5::open_shaped_dataset(file_, "/" + rows.name, {rows.count, rows.filled}, path_);
  const std::size_t thickness = hdf5::slab_thickness(dataset);
  with_real(values.precision(), [&]<class Real>() {
    std::vector<Real> slab;
    for (std::size_t first = 0; first < rows.count; first += thickness) {
      const std::size_t count = std::min(thickness, rows.count - first);
      slab.resize(count * rows.filled);
      hdf5::read_slab(dataset, first, count, slab, path_);
      for (std::size_t r = 0; r < count; ++r) {
        std::copy_n(slab.begin() + static_cast<std::ptrdiff_t>(r * rows.filled), rows.filled,
                    values.of<Real>().begin() + static_cast<std::ptrdiff_t>((first + r) * rows.length));
      }
    }
  });
}

void CheckpointReader::read_piece(const NamedArray& array, hsize_t first, Reals& values) const {
  const hdf5::Handle dataset = hdf5::open_shaped_dataset(file_, "/" + array.name, {array.size}, path_);
  with_real(values.precision(),
            [&]<class Real>() { hdf5::read_slab(dataset, first, values.size(), values.of<Real>(), path_); });
}

}  // namespace minimod
