/// Models in the memory of the caller.
#include <algorithm>
#include <span>

#include "models/readers.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/process/threads.hpp"

namespace minimod {
namespace {

class ArrayModel final : public ModelFile {
 public:
  explicit ArrayModel(const ModelArray& array) : array_(array) {
    layout_.axes = usual_axes;
    layout_.dims = {array.n.x, array.n.y, array.n.z};
    layout_.spacing = array.spacing;
  }

  [[nodiscard]] const FileLayout& layout() const override { return layout_; }

  void read(int first, int count, std::span<double> values) override {
    const std::size_t plane = values.size() / static_cast<std::size_t>(count);
    const std::size_t row = static_cast<std::size_t>(layout_.dims[0]);
    const auto from = array_.v.subspan(plane * static_cast<std::size_t>(first), values.size());
    for_all(static_cast<int>(values.size() / row), values.size() > many_values,
            [&](int j) { std::ranges::copy(from.subspan(row * j, row), values.subspan(row * j).begin()); });
  }

  [[nodiscard]] std::optional<std::uint32_t> checksum() const override {
    return crc32(std::as_bytes(array_.v));
  }

 private:
  const ModelArray& array_;
  FileLayout layout_;
};

}  // namespace

std::unique_ptr<ModelFile> open_array_model(const ModelSpec& spec) {
  return std::make_unique<ArrayModel>(*spec.array);
}

}  // namespace minimod
