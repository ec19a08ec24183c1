/// Models in the memory of the caller.
#include <algorithm>
#include <array>
#include <span>

#include "models/kept_nodes.hpp"
#include "models/readers.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/files/joined_checksums.hpp"
#include "src/base/process/threads.hpp"
#include "src/base/work/wanted_work.hpp"

namespace minimod {
namespace {

/// Checksum of the values of all nodes, x fastest.
std::uint32_t checksum_of(const DistantNodes& distant) {
  const ModelNodes& all = distant.all();
  const JoinedChecksums join(sizeof(float) * static_cast<std::uint64_t>(all.n.x));
  std::uint32_t sum = 0;
  for (const RowFacts& row : distant.facts_of_rows(all, 0, 0)) sum = join(sum, row.crc32);
  return sum;
}

std::uint32_t checksum_of(std::span<const float> values) {
  constexpr std::size_t at_once = std::size_t{1} << 26;
  std::uint32_t sum = 0;
  for (; !values.empty(); values = values.subspan(std::min(at_once, values.size()))) {
    require_wanted();
    sum = crc32(std::as_bytes(values.first(std::min(at_once, values.size()))), sum);
  }
  return sum;
}

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
    const std::span<const float> from =
        array_.distant ? copied(first, count) : array_.v.subspan(plane * std::size_t(first), values.size());
    for_all(static_cast<int>(values.size() / row), values.size() > many_values,
            [&](int j) { std::ranges::copy(from.subspan(row * j, row), values.subspan(row * j).begin()); });
  }

  [[nodiscard]] std::optional<std::uint32_t> checksum() const override {
    return array_.distant ? checksum_of(*array_.distant) : checksum_of(array_.v);
  }

 private:
  /// Planes of distant nodes, until the next call.
  std::span<const float> copied(int first, int count) {
    const Extent3 n = array_.n;
    const ModelNodes planes = array_.distant->all().part({{0, 0, first}, {n.x, n.y, first + count}});
    copy_.resize(planes.n.points());
    array_.distant->read(planes, copy_);
    return copy_;
  }

  const ModelArray& array_;
  FileLayout layout_;
  std::vector<float> copy_;
};

}  // namespace

VelocityFacts facts_of(const DistantNodes& distant, const ModelNodes& kept, const Picks& picks) {
  const Pick &x = picks.x, &y = picks.y, &z = picks.z;
  const std::vector<RowFacts> rows = distant.facts_of_rows(kept, 0, kept.n.x);
  VelocityFacts facts;
  facts.greatest.assign(z.count, 0);
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const RowFacts& row = rows[i];
    const int in_y = i % y.count, in_z = i / y.count;
    facts.v_min = std::min(facts.v_min, row.least);
    facts.greatest[in_z] = std::max(facts.greatest[in_z], row.greatest);
    if (row.bad == 0) continue;
    if (facts.bad == 0) {
      const Index3 at{row.first_bad, in_y, in_z};
      std::array<float, 1> bad{};
      distant.read(kept.part({at, {at.x + 1, at.y + 1, at.z + 1}}), bad);
      facts.note_bad({x.begin + at.x, y.begin + at.y, z.begin + at.z}, bad[0]);
      --facts.bad;
    }
    facts.bad += row.bad;
  }
  return facts;
}

std::unique_ptr<ModelFile> open_array_model(const ModelSpec& spec) {
  return std::make_unique<ArrayModel>(*spec.array);
}

}  // namespace minimod
