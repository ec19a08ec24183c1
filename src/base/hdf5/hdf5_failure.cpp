/// Why the library opens a file or an object of it not, from the errors that it has stacked.
#include <cerrno>
#include <string_view>

#include "src/base/hdf5/hdf5_detail.hpp"
#include "src/base/process/limits.hpp"

namespace minimod::hdf5 {
namespace {

struct Reasons {
  bool is_locked = false, is_marked = false, is_newer = false, lacks_files = false;
};

/// Notes what one of the stacked errors says. Their numbers are the same for a newer format and for damage.
herr_t note_reason(unsigned /*depth*/, const H5E_error2_t* error, void* data) {
  auto& reasons = *static_cast<Reasons*>(data);
  const std::string_view said = error->desc == nullptr ? "" : error->desc;
  const auto says = [said](std::string_view words) { return said.find(words) != said.npos; };
  reasons.is_locked = reasons.is_locked || says("unable to lock the file");
  reasons.is_marked = reasons.is_marked || says("already open for write") || says("already open for SWMR");
  reasons.is_newer = reasons.is_newer || says("version number");
  reasons.lacks_files = reasons.lacks_files || says(text("errno = ", EMFILE, ','));
  return 0;
}

}  // namespace

std::optional<Error> known_failure(const std::filesystem::path& path) {
  Reasons reasons;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_reason, &reasons);
  if (reasons.lacks_files) return shortage(EMFILE, text("cannot read ", shown(path)));
  if (reasons.is_locked) {
    return Error(ErrorKind::data, shown(path) + " is open for writing elsewhere",
                 "close it there (file.close() in h5py)");
  }
  if (reasons.is_marked) {
    return Error(ErrorKind::data, shown(path) + " is open for writing elsewhere, or its writer died",
                 "close it there, or take h5clear -s to it where it is not open");
  }
  if (!reasons.is_newer) return std::nullopt;
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return Error(
      ErrorKind::data,
      text(shown(path), " is written by a newer HDF5 than ", major, ".", minor, ".", release, " reads"),
      "write it in an older format (h5py: libver='v110')");
}

}  // namespace minimod::hdf5
