#include "src/io/segy/segy_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <span>

#include "src/base/files/input_file.hpp"
#include "src/base/option.hpp"
#include "src/base/process/in_order.hpp"
#include "src/base/segy/segy_text.hpp"
#include "src/base/small_values.hpp"
#include "src/io/segy/segy_headers.hpp"

namespace minimod {
namespace {

namespace fs = std::filesystem;

void require_ibm(float value) {
  if (std::isfinite(value)) return;
  throw Error(ErrorKind::data, "a trace holds a value that is not finite, which IBM floats do not have",
              text("write ", option("segy-floats"), " ieee"));
}

/// A trace as it stands in the file; `number` is its own there, from 1.
segy::Bytes trace_bytes(const ShotGather& gather, const segy::TraceHeaders& headers, std::size_t receiver,
                        std::int64_t number, SegyFloats floats) {
  segy::Bytes bytes = headers.make(receiver, number);
  std::size_t end = bytes.size();
  bytes.resize(end + segy::sample_bytes * gather.samples);
  const SmallValuesCount here;
  gather.traces.visit([&](const auto& all) {
    for (const auto value : std::span(all).subspan(receiver * gather.samples, gather.samples)) {
      if (floats == SegyFloats::ibm) require_ibm(static_cast<float>(value));
      segy::put_sample(std::span(bytes).subspan(end), static_cast<float>(value), floats);
      end += segy::sample_bytes;
    }
  });
  return bytes;
}

bool stands_in(const InputFile& file, std::uint64_t at, const segy::Bytes& bytes) {
  segy::Bytes found(bytes.size());
  file.read(at, found);
  return found == bytes;
}

}  // namespace

const FileKind segy_kind{"a SEG-Y file of minimod", [](const fs::path& file) {
                           return begins_with(file, segy::ebcdic(segy::first_words));
                         }};

SegyWriter::SegyWriter(const fs::path& target, SegyFloats floats, const ShotGather& first,
                       const SegyContents& contents)
    : SegyWriter(target, segy::file_header(first, floats, contents)) {}

SegyWriter::SegyWriter(const fs::path& target, const segy::Bytes& header)
    : temporary_(target),
      target_(target),
      floats_(segy::facts_of(header).floats),
      bytes_of_trace_(segy::facts_of(header).trace_bytes()),
      stream_(temporary_.path(), std::ios::binary) {
  write(header);
  flush();
  if (!stands_in(InputFile(temporary_.path()), 0, header)) {
    throw write_error(target_, "its header reads back differently");
  }
}

void SegyWriter::write(const segy::Bytes& bytes) {
  errno = 0;
  stream_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  require_written();
  bytes_ += bytes.size();
}

void SegyWriter::flush() {
  errno = 0;
  stream_.flush();
  require_written();
}

void SegyWriter::require_written() const {
  if (!stream_) throw write_error(target_, errno, cut_short);
}

void SegyWriter::append(const Trace& trace, int shot, std::size_t count) {
  const std::uint64_t begin = bytes_;
  if (traces_ + static_cast<std::int64_t>(count) > std::numeric_limits<std::int32_t>::max()) {
    throw Error(ErrorKind::data, "there are more traces than SEG-Y counts, 2^31 - 1", "merge fewer shots");
  }
  constexpr std::size_t batch_bytes = std::size_t{1} << 20;
  const std::size_t at_once = std::max<std::size_t>(1, batch_bytes / bytes_of_trace_);
  const std::size_t batches = (count + at_once - 1) / at_once;
  const auto bytes_of = [&](std::size_t batch) {
    segy::Bytes bytes;
    for (std::size_t i = batch * at_once; i < std::min(count, (batch + 1) * at_once); ++i) {
      const segy::Bytes one = trace(i, traces_ + static_cast<std::int64_t>(i) + 1);
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
  };
  in_order(batches, bytes_of, [&](std::size_t, const segy::Bytes& bytes) { write(bytes); });
  flush();
  const InputFile written(temporary_.path());
  const auto reads_back = [&](std::size_t batch) {
    return stands_in(written, begin + batch * at_once * bytes_of_trace_, bytes_of(batch));
  };
  in_order(batches, reads_back, [&](std::size_t batch, bool does) {
    if (does) return;
    throw write_error(target_, text("a trace of shot ", shot, " behind its first ", batch * at_once,
                                    " reads back differently"));
  });
  traces_ += static_cast<std::int64_t>(count);
}

void SegyWriter::append(const ShotGather& gather, int shot) {
  const segy::TraceHeaders headers(gather, shot);
  const auto trace = [&](std::size_t receiver, std::int64_t number) {
    return trace_bytes(gather, headers, receiver, number, floats_);
  };
  append(trace, shot, gather.receivers.size());
}

void SegyWriter::append(const InputFile& file, int shot, std::size_t count) {
  const auto trace = [&](std::size_t i, std::int64_t number) {
    segy::Bytes bytes(bytes_of_trace_);
    file.read(segy::file_header_bytes + i * bytes.size(), bytes);
    segy::set_trace_number(bytes, number);
    return bytes;
  };
  append(trace, shot, count);
}

void SegyWriter::publish() {
  errno = 0;
  stream_.close();
  require_written();
  temporary_.publish();
}

void write_segy(const ShotGather& gather, const SegyOptions& options, const fs::path& file, bool overwrite) {
  check_target(file, segy_kind, overwrite);
  SegyWriter writer(file, options.floats, gather, {1, gather.receivers.size()});
  writer.append(gather, options.shot);
  check_target(file, segy_kind, overwrite);  // a file may have come into being during the run
  writer.publish();
}

}  // namespace minimod
