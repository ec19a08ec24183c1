/// The signatures that are formulas.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>

#include "src/base/error.hpp"
#include "src/base/parse.hpp"
#include "src/shot/signature.hpp"

namespace minimod {
namespace {

struct Parameters {
  double frequency = 0, t0 = 0;
};

/// "f=15,t0=0.1".
Parameters parse_parameters(std::string_view text, const std::string& spec) {
  constexpr std::string_view flag = "--wavelet";
  const std::string remedy = "give ricker:f=15 or ricker:f=15,t0=0.1 (Hz, s)";
  const auto wrong = [&](const std::string& what) {
    return Error(ExitCode::usage, minimod::text(flag, " '", escaped(spec, 60), "' ", what), remedy);
  };
  std::optional<double> frequency;
  std::optional<double> t0;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equal = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equal);
    const std::string_view value = part.substr(std::min(equal + 1, part.size()));
    if (name != "f" && name != "t0") throw wrong("has the unknown parameter '" + escaped(name, 30) + "'");
    auto& target = name == "f" ? frequency : t0;
    if (target) throw wrong("has " + std::string(name) + " twice");
    target = parse_number(value, minimod::text(flag, " ", name));
  }
  if (!frequency) throw wrong("has no frequency f");
  // Anything seismic, sonic or medical lies far inside; outside, 1 / f and f^2 leave the range of a double.
  if (*frequency < 1e-6 || *frequency > 1e12) throw wrong("has an f outside 1e-6 to 1e12 Hz");
  return {*frequency, t0.value_or(1.5 / *frequency)};
}

/// a = (pi f (t - t0))^2, capped where e^-a has long been 0, so that a e^-a stays a number.
double exponent(double t, double f, double t0) {
  const double root = std::numbers::pi * f * (t - t0);
  return std::min(root * root, 1e4);
}

std::string_view form_of(std::string_view spec) {
  return spec.substr(0, spec.find(':'));
}

}  // namespace

double ricker(double t, double f, double t0) {
  const double a = exponent(t, f, t0);
  return (1 - 2 * a) * std::exp(-a);
}

bool names_form(const std::string& spec) {
  return form_of(spec) == "ricker" || form_of(spec) == "gaussian";
}

Signature make_form(const std::string& spec) {
  constexpr double reach = 2;  // periods to either side of t0: there both forms are under 1e-14
  const std::string_view form = form_of(spec);
  const auto [f, t0] =
      parse_parameters(std::string_view(spec).substr(std::min(form.size() + 1, spec.size())), spec);
  Signature signature;
  if (form == "ricker") {
    signature.at = [peak = f, delay = t0](double t) { return ricker(t, peak, delay); };
  } else {
    signature.at = [peak = f, delay = t0](double t) { return std::exp(-exponent(t, peak, delay)); };
  }
  signature.first = t0 - reach / f;
  signature.last = t0 + reach / f;
  signature.description = text(form, ", f = ", f, " Hz, t0 = ", t0, " s");
  return signature;
}

}  // namespace minimod
