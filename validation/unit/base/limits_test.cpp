/// Ends by the limits of a process: code 71, whatever was to be done.
#include "src/base/process/limits.hpp"

#include <cerrno>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/files/input_file.hpp"
#include "src/base/files/output_file.hpp"
#include "src/base/files/temporary_directory.hpp"
#include "src/base/hdf5/hdf5.hpp"
#include "src/base/process/spawn.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/unit/base/expect_error.hpp"

namespace minimod {
namespace {

/// While it lives, so many more files can be opened.
class FewFiles {
 public:
  explicit FewFiles(int more) {
    getrlimit(RLIMIT_NOFILE, &before_);
    int last = -1;
    for (int i = 0; i <= more; ++i) {  // numbers are given from the lowest
      const int copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
      copies_[i] = last = copy;
    }
    for (int i = 0; i <= more; ++i) close(copies_[i]);
    rlimit fewer = before_;
    fewer.rlim_cur = static_cast<rlim_t>(last);
    setrlimit(RLIMIT_NOFILE, &fewer);
  }
  FewFiles(const FewFiles&) = delete;
  FewFiles& operator=(const FewFiles&) = delete;
  ~FewFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
  int copies_[64]{};
};

template <class Action>
void check_lacks_files(int more, Action action) {
  const Outcome outcome = [&] {
    const FewFiles few(more);
    return outcome_of(action);
  }();
  CAPTURE(more, outcome.message);
  CHECK(outcome.kind == ErrorKind::resource);
  CHECK(outcome.says("(ulimit -n)"));
}

TEST_CASE("where no more files can be opened the code is 71, of whatever was to be done", "[unit]") {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "a.h5").string();
  Hdf5Writer(path).dataset("vp", {2}, std::vector<float>{1500, 1600}, H5T_IEEE_F32LE);
  check_lacks_files(0, [&] { (void)InputFile(path); });
  check_lacks_files(0, [&] { (void)hdf5::open_for_reading(path); });
  check_lacks_files(1, [&] { (void)hdf5::open_for_reading(path); });  // the library opens it a second time
  check_lacks_files(0, [&] { check_can_create(folder.path() / "b.h5", json_record, false); });
  check_lacks_files(0, [&] { (void)open_own(folder.path() / "lock"); });
  check_lacks_files(1, [&] { (void)Pipe(); });
  check_lacks_files(0, [&] { (void)own_arguments(); });
  check_lacks_files(9, [&] { require_files(10); });
  check_lacks_files(9, [&] { check_limits(); });
  const FewFiles few(10);
  CHECK_NOTHROW(require_files(10));
}

TEST_CASE("a file that cannot be written says by what, and ends with 71 where a limit is to blame",
          "[unit]") {
  CHECK(write_error("a", EMFILE).kind() == ErrorKind::resource);
  CHECK(write_error("a", ENOMEM, "H5Fcreate").kind() == ErrorKind::resource);
  const Error full = write_error("a", ENOSPC, "H5Dwrite");
  CHECK(full.kind() == ErrorKind::io);
  CHECK(std::string(full.what()).find("H5Dwrite: No space left") != std::string::npos);
  CHECK(std::string(write_error("a", 0, cut_short).what()).find(cut_short) != std::string::npos);
}

}  // namespace
}  // namespace minimod
