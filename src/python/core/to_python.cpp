#include "src/python/core/to_python.hpp"

#include <utility>

#include "src/python/core/call_options.hpp"

namespace minimod {

namespace {

template <class Value, class Vector>
nb::object array_of(Vector values, std::vector<std::size_t> shape) {
  auto* const kept = new Vector(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, Value>(kept->data(), shape.size(), shape.data(), owner));
}

nb::object array_of(const std::vector<Point3>& points) {
  std::vector<double> values;
  values.reserve(3 * points.size());
  for (const Point3& p : points) values.insert(values.end(), {p.x, p.y, p.z});
  return array_of<double>(std::move(values), {points.size(), 3});
}

nb::object array_of(Reals values, std::vector<std::size_t> shape) {
  return with_real(values.precision(), [&]<class Real>() {
    return array_of<Real>(std::move(values.of<Real>()), std::move(shape));
  });
}

nb::object array_of(std::vector<std::vector<double>> rows) {
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  std::vector<double> values;
  for (const std::vector<double>& row : rows) values.insert(values.end(), row.begin(), row.end());
  return array_of<double>(std::move(values), {rows.size(), columns});
}

nb::object value_of(const AttributeValue& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return nb::cast(without_marks(*words));
  return std::visit([](const auto& v) -> nb::object { return nb::cast(v); }, value);
}

}  // namespace

nb::object array_of(std::vector<double> values, std::vector<std::size_t> shape) {
  return array_of<double>(std::move(values), std::move(shape));
}

nb::object array_of(NodeValues values) {
  const Extent3 n = values.n;
  std::vector<std::size_t> shape{std::size_t(n.z), std::size_t(n.y), std::size_t(n.x)};
  if (n.y == 1) shape.erase(shape.begin() + 1);
  return array_of(std::move(values.values), std::move(shape));
}

nb::dict gather_of(ShotGather gather) {
  nb::dict to;
  const std::size_t receivers = gather.receivers.size();
  to["traces"] = array_of(std::move(gather.traces), {receivers, gather.samples});
  to["record_dt"] = gather.record_dt;
  to["first_time"] = gather.first_time;
  to["receivers"] = array_of(gather.receivers);
  to["requested_receivers"] = array_of(gather.requested_receivers);
  to["sources"] = array_of(gather.sources);
  to["requested_sources"] = array_of(gather.requested_sources);
  to["wavelets"] = array_of(std::move(gather.wavelets));
  to["wavelet_dt"] = gather.wavelet_dt;
  to["wavelet_unit"] = gather.wavelet_unit;
  to["stations"] = nb::cast(gather.stations);
  nb::dict metadata;
  for (const auto& [name, value] : gather.metadata) metadata[name.c_str()] = value_of(value);
  to["metadata"] = metadata;
  return to;
}

nb::dict derivatives_of(ShotDerivatives all) {
  nb::dict fields;
  fields["gradient"] = array_of(std::move(all.sums.correlation));
  fields["source_illumination"] = array_of(std::move(all.sums.source_illumination));
  fields["receiver_illumination"] = array_of(std::move(all.sums.receiver_illumination));
  const std::size_t sources = all.by_amplitude.size();
  if (sources == 0) return fields;
  const std::size_t steps = all.by_fed.size() / sources;
  fields["by_fed"] = array_of(std::move(all.by_fed), {sources, steps});
  fields["by_amplitude"] = array_of(std::move(all.by_amplitude), {sources});
  return fields;
}

}  // namespace minimod
