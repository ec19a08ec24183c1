/// Raw models: little-endian float32 values and nothing else.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/plausibility.hpp"
#include "models/readers.hpp"
#include "src/base/files/input_file.hpp"
#include "src/base/option.hpp"
#include "src/base/process/threads.hpp"

namespace minimod {
namespace {

/// The float32 in four bytes, least significant first.
float little_endian_float(const std::byte* bytes) {
  std::uint32_t bits = 0;
  for (int i = 3; i >= 0; --i) bits = bits << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return std::bit_cast<float>(bits);
}

class RawModel final : public ModelFile {
 public:
  RawModel(const ModelSpec& spec, const std::filesystem::path& path) : file_(path) {
    if (!spec.dims) {
      throw Error(ErrorKind::parameter,
                  text("'", escaped(path.native(), 60), "' is read as raw float32 values"),
                  text("give ", option("model-dims"),
                       " NX,NY,NZ (or a file that ends in .h5, .hdf5, .sgy or .segy)"));
    }
    const auto axes = axes_of_option(spec);
    if (!axes) layout_.notes.push_back(guessed_axes_note(spec.dims->y == 1));
    layout_.axes = axes.value_or(usual_axes);
    for (std::size_t i = 0; i < 3; ++i) layout_.dims[i] = along(*spec.dims, layout_.axes[i]);
    // 32 bits times 31 bits stay in 64 bits, and a third factor is only met where that product fits the file.
    const std::uint64_t plane = 4 * static_cast<std::uint64_t>(layout_.dims[0]) * layout_.dims[1];
    const auto planes = static_cast<std::uint64_t>(layout_.dims[2]);
    if (plane > file_.size() || plane * planes != file_.size()) {
      const Extent3 n = *spec.dims;
      const double needed = 4.0 * n.x * n.y * n.z;
      const bool exact = needed < 1e15;
      throw file_error(path,
                       text("holds ", file_.size(), " bytes, not the ",
                            exact ? std::to_string(static_cast<std::int64_t>(needed)) : text(needed), " of ",
                            n.x, " x ", n.y, " x ", n.z, " float32 values"),
                       text("correct ", option("model-dims"), " or give the whole file"));
    }
    require_byte_order();
  }

  [[nodiscard]] const FileLayout& layout() const override { return layout_; }

  void read(int first, int count, std::span<double> values) override {
    const std::uint64_t plane = values.size() / static_cast<std::size_t>(count);
    bytes_.resize(4 * values.size());
    file_.read(4 * plane * static_cast<std::uint64_t>(first), bytes_);
    const auto row = static_cast<std::size_t>(layout_.dims[0]);
    for_all(static_cast<int>(values.size() / row), values.size() > many_values, [&](int j) {
      for (std::size_t i = row * j; i < row * (j + 1); ++i) values[i] = little_endian_float(&bytes_[4 * i]);
    });
  }

 private:
  /// By the first values: a raw file does not say its byte order.
  void require_byte_order() {
    constexpr std::uint64_t most = 1 << 16;
    bytes_.resize(std::min(most, file_.size()));
    file_.read(0, bytes_);
    std::vector<float> values(bytes_.size() / 4);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = little_endian_float(&bytes_[4 * i]);
    if (!look_swapped(values)) return;
    std::ranges::reverse(std::span(bytes_).first(4));
    throw file_error(file_.path(),
                     text("begins with ", values[0], ", and with ", little_endian_float(bytes_.data()),
                          " if its bytes are swapped"),
                     "give little-endian float32 (numpy: v.astype('<f4').tofile)");
  }

  InputFile file_;
  FileLayout layout_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<ModelFile> open_raw_model(const ModelSpec& spec, const std::filesystem::path& path) {
  return std::make_unique<RawModel>(spec, path);
}

}  // namespace minimod
