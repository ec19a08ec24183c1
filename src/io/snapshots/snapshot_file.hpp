/// Snapshots of the wavefield on disk: an HDF5 file, and an XDMF file that tells ParaView what is in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/base/files/output_file.hpp"
#include "src/io/gather/gather.hpp"
#include "src/io/gather/gather_writer.hpp"
#include "src/io/snapshots/snapshots.hpp"

namespace minimod {

/// The names that belong to a gather's: NAME.snapshots.h5 and NAME.snapshots.xdmf beside NAME.h5.
struct SnapshotPaths {
  explicit SnapshotPaths(const std::filesystem::path& gather);
  std::filesystem::path hdf5, xdmf;
};

/// Bytes of the HDF5 file, the least part of it estimated.
[[nodiscard]] std::uint64_t snapshot_file_bytes(const SnapshotPlan& plan);

/// Checks, before anything is computed, that the two files may and can be made. Errors: 73, 77.
void check_can_create(const SnapshotPaths& paths, bool overwrite);

/// The HDF5 file in the making: `/wavefield` [time, z, y, x] in the precision of the run, a chunk of which
/// belongs to one time, checksummed and not compressed; `/time`, `/z`, `/y` and `/x` as its dimension scales;
/// `/step` [time], sources and metadata as the gather has them. Both files appear under their names only when
/// they are complete and on disk. Errors: 73, 77, and 74 when writing fails, after which the process must be
/// left with std::_Exit.
///
/// A file that a killed process was writing is lost. So `keep` closes it as a part, NAME.snapshots.part….h5,
/// and what follows goes into another; `publish` makes one file of them.
///
/// The HDF5 library knows one thread at a time: who calls this has the library, too.
class SnapshotFile {
 public:
  /// Takes sources, unit and metadata of `gather`.
  SnapshotFile(const SnapshotPlan& plan, ShotGather gather, const SnapshotPaths& paths, bool overwrite);

  /// The next snapshot, [z][y][x] in memory, which is read back and compared.
  void write(std::span<const std::byte> values);
  /// Makes what was written outlive the process.
  void keep();
  /// Before the first snapshot: goes on behind the first `count`, if parts have them all.
  [[nodiscard]] bool go_on(std::size_t count);
  /// After the last one: gives the files their names, and removes the parts.
  void publish();

 private:
  struct Part {
    std::filesystem::path file;
    std::size_t first = 0, end = 0;
  };
  struct Planes {
    hsize_t first = 0, count = 0;
  };
  [[nodiscard]] std::filesystem::path part_path(std::size_t first) const;
  /// Wavefield of a part, whose snapshots must be there. Errors: 65.
  [[nodiscard]] hdf5::Handle open_wavefield(const hdf5::Handle& file, const Part& part) const;
  /// Number of snapshots from `first` on in a whole part of this run; 0: there is none.
  [[nodiscard]] std::size_t count_in_part(std::size_t first);
  void open();
  void close();
  void write_axes();
  void add_parts();
  void remove_parts() const;
  [[nodiscard]] std::size_t plane_bytes() const {
    return std::size_t(plan_.nodes.n.y) * plan_.nodes.n.x * bytes_of(plan_.precision);
  }
  [[nodiscard]] herr_t transfer(hid_t dataset, std::size_t snapshot, Planes planes, const std::byte* from,
                                std::byte* to) const;
  template <class Visit>
  bool for_each_slab(hid_t dataset, std::size_t snapshot, Visit visit);

  SnapshotPlan plan_;
  ShotGather gather_;
  std::string unit_;
  SnapshotPaths paths_;
  bool overwrite_;
  std::optional<TemporaryFile> temporary_;
  std::unique_ptr<gather_file::Writer> writer_;
  std::optional<hdf5::Handle> wavefield_;
  std::vector<Part> parts_;
  std::size_t first_ = 0, written_ = 0;  ///< snapshots before the present file, and written in all
  std::vector<std::byte> slab_;          ///< planes of a chunk
};

}  // namespace minimod
