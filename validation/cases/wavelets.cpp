/// A user's wavelet, by name and from files of each kind.
#include <cmath>
#include <numbers>

#include "src/base/error.hpp"
#include "src/base/temporary_directory.hpp"
#include "src/measure/field_comparison.hpp"
#include "validation/cases/hdf5_writer.hpp"
#include "validation/cases/homogeneous_shot.hpp"
#include "validation/cases/runner.hpp"
#include "validation/cases/verification_case.hpp"

namespace minimod::wavelets_case {

namespace {

constexpr const char* common =
    "--model constant:2000 --spacing 10 --grid 84 --boundary cpml --pml-width 12 --dt 0.5e-3 --tmax 0.45 "
    "--source 300,300,300 --receivers line:550,300,300:550,300,300:1 --wavelet ";
constexpr double f = 10, t0 = .15, file_dt = 2e-3;  // Hz, s, s
constexpr int file_samples = 201;

double ricker(double t) {
  const double a = std::pow(std::numbers::pi * f * (t - t0), 2);
  return (1 - 2 * a) * std::exp(-a);
}

/// The samples one a line, with their times or alone.
std::string rows(bool with_times) {
  std::string all;
  for (int n = 0; n < file_samples; ++n) {
    const double t = n * file_dt;
    all += with_times ? text(t, ' ', ricker(t), '\n') : text(ricker(t), '\n');
  }
  return all;
}

/// A dataset /s with its attribute dt.
std::string write_hdf5(const std::filesystem::path& file) {
  std::vector<double> samples;
  samples.reserve(file_samples);
  for (int n = 0; n < file_samples; ++n) samples.push_back(ricker(n * file_dt));
  const Hdf5Writer writer(file);
  const hdf5::Handle dataset = writer.dataset("s", {file_samples}, samples, H5T_IEEE_F64LE);
  Hdf5Writer::attribute(dataset, "dt", std::vector{file_dt});
  return file.string();
}

CaseReport run(Runner& runner) {
  const TemporaryDirectory folder;
  const std::string two_columns = folder.write("s.txt", rows(true)),
                    one_column = folder.write("one.txt", rows(false)),
                    hdf5_file = write_hdf5(folder.path() / "s.h5");
  CaseReport report;
  report.setup = {text("minimod ", common, "…"),
                  "the same Ricker wavelet, in files by samples of 2 ms; relative L2",
                  "against s(t - r/V) / (4 pi r)"};
  const HomogeneousShot exact{.source = {300, 300, 300}};
  const auto error = [&](const std::string& wavelet) {
    const UserShot shot = runner.shot(text(common, '"', wavelet, '"'));
    return relative_l2(shot.traces[0], exact.trace({550, 300, 300}, shot.times()));
  };
  report.figures = {at_most("named", error("ricker:f=10,t0=0.15"), 2e-3),
                    at_most("two_columns", error(two_columns), 2e-3),
                    at_most("one_column", error(one_column + "@dt=2e-3"), 2e-3),
                    at_most("hdf5", error(hdf5_file + ":/s"), 2e-3)};
  return report;
}

}  // namespace

CaseBody body() {
  return {"a user's wavelet, named and from files of each kind", run};
}

}  // namespace minimod::wavelets_case
