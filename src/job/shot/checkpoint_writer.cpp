#include "src/job/shot/checkpoint_writer.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

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

void CheckpointWriter::write_traces(const TraceBuffer& traces) {
  const std::array<hsize_t, 2> all = {traces.receivers(), traces.samples()};
  const std::array<hsize_t, 2> filled = {traces.receivers(), traces.filled()}, none = {0, 0};
  const std::array<hsize_t, 2> chunk = {std::clamp<hsize_t>(values_of_chunk / filled[1], 1, filled[0]),
                                        std::min(values_of_chunk, filled[1])};
  const hdf5::Handle memory(H5Screate_simple(2, all.data(), nullptr), H5Sclose);
  check(H5Sselect_hyperslab(memory, H5S_SELECT_SET, none.data(), nullptr, filled.data(), nullptr),
        "H5Sselect_hyperslab");
  const Precision precision = traces.values().precision();
  const hdf5::Handle dataset = make_dataset("traces", precision, filled, chunk);
  check(H5Dwrite(dataset, hdf5::type_of(precision), memory, H5S_ALL, H5P_DEFAULT, traces.values().data()),
        "H5Dwrite");
}

void CheckpointWriter::write_piece(const FieldPart& part, hsize_t first, const Reals& values) {
  if (first == 0) {
    const std::array<hsize_t, 1> count = {part.size}, chunk = {std::min(values_of_chunk, count[0])};
    dataset_.emplace(make_dataset(part.name.c_str(), values.precision(), count, chunk));
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
hdf5::Handle CheckpointWriter::make_dataset(const char* name, Precision precision,
                                            const std::array<hsize_t, rank>& dims,
                                            const std::array<hsize_t, rank>& chunk) const {
  const hdf5::Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_chunk(list, rank, chunk.data()), "H5Pset_chunk");
  check(H5Pset_fletcher32(list), "H5Pset_fletcher32");
  const hdf5::Handle space(H5Screate_simple(rank, dims.data(), nullptr), H5Sclose);
  const hid_t type = precision == Precision::float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  hdf5::Handle dataset(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  check(dataset.id(), "H5Dcreate2");
  return dataset;
}

}  // namespace minimod
