/// Recorded traces as sources: a run feeds all traces of a gather in at their receivers, forward or backward
/// in time.
#pragma once

#include <string>

#include "src/base/option.hpp"
#include "src/io/gather/recorded_traces.hpp"
#include "src/job/plan/shot_options.hpp"
#include "src/wavelets/signature.hpp"
#include "src/wavelets/wavelet.hpp"

namespace minimod {

/// Words in place of a wavelet's where the traces of a gather are fed.
inline std::string injected_words() {
  return option("inject");
}

/// Error 64 for options that say otherwise what is fed, or when.
void check_injection_options(const AcquisitionOptions& acquisition, const TimeOptions& time);

class Injection {
 public:
  /// Backward in time trace i is fed as d(T - t), T being the time of its last sample. Errors: those of
  /// read_recorded_traces.
  Injection(const std::string& file, bool backward);

  [[nodiscard]] const RecordedTraces& traces() const { return traces_; }
  [[nodiscard]] std::size_t count() const { return traces_.receivers.size(); }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::string& crc32() const { return crc32_; }
  [[nodiscard]] double greatest() const { return greatest_; }  ///< |sample| of all traces
  [[nodiscard]] bool backward() const { return backward_; }
  /// "240 traces of 'gather.h5', backward in time".
  [[nodiscard]] std::string description() const;

  /// All traces added with signs that change as if at random: as long as they, and of a spectrum as theirs
  /// have together, by which the grid is checked. One trace is itself.
  [[nodiscard]] Signature together() const;
  /// Samples that trace i feeds at the steps of a run, by a natural cubic spline through its samples.
  [[nodiscard]] std::vector<double> samples(std::size_t i, const TimeAxis& times) const;
  /// Samples that the scheme is given in their place, as of a Wavelet.
  [[nodiscard]] std::vector<double> fed(std::size_t i, const TimeAxis& times) const;

 private:
  [[nodiscard]] std::vector<double> values(std::size_t i) const;
  [[nodiscard]] std::vector<double> times() const;
  [[nodiscard]] std::vector<double> sampled(std::size_t i, const TimeAxis& run, int count) const;

  std::string file_, crc32_;
  bool backward_;
  double greatest_ = 0;
  RecordedTraces traces_;
};

}  // namespace minimod
