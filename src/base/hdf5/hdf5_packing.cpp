/// Packed values as the CF conventions have them (section 8.1): value = stored * scale_factor + add_offset,
/// and stored values that are _FillValue or missing_value are none.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/hdf5/hdf5_detail.hpp"

namespace minimod::hdf5 {
namespace {

/// The attribute of one number, or `otherwise` where it is not there. Errors: 65.
double number_of(const Handle& dataset, const std::string& name, double otherwise,
                 const std::filesystem::path& path) {
  const std::vector<double> values = read_number_attribute(dataset, name);
  if (values.empty()) return otherwise;
  const bool scales = name != "scale_factor" || values[0] != 0;
  if (values.size() == 1 && std::isfinite(values[0]) && scales) return values[0];
  throw Error(ErrorKind::data,
              text(shown(path), ": attribute ", shown_name(name), " is no number to scale by"),
              "correct or remove it");
}

/// 2^bits of an integer that is stored with a sign and meant without (netCDF's _Unsigned); 0 of all others.
double range_without_sign(const Handle& dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if (H5Tget_class(type) != H5T_INTEGER || H5Tget_sign(type) == H5T_SGN_NONE) return 0;
  if (read_text_attribute(dataset, "_Unsigned") != "true") return 0;
  return std::ldexp(1, static_cast<int>(8 * H5Tget_size(type)));
}

}  // namespace

Packing packing_of(const Handle& dataset, const std::filesystem::path& path) {
  Packing packing;
  packing.scale = number_of(dataset, "scale_factor", 1, path);
  packing.offset = number_of(dataset, "add_offset", 0, path);
  packing.range = range_without_sign(dataset);
  const bool is_single = is_float(dataset) && precision_of(dataset) == Precision::float32;
  for (const char* const name : {"_FillValue", "missing_value"}) {
    for (const double value : read_number_attribute(dataset, name)) {
      packing.missing.push_back(is_single ? static_cast<float>(value) : value);
    }
  }
  return packing;
}

bool Packing::changes_nothing() const {
  return scale == 1 && offset == 0 && range == 0 && missing.empty();
}

void Packing::unpack(std::span<double> values) const {
  if (changes_nothing()) return;
  for (double& value : values) {
    if (std::ranges::find(missing, value) != missing.end()) {
      value = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    value = (value < 0 ? value + range : value) * scale + offset;
  }
}

}  // namespace minimod::hdf5
