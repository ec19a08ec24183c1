/// The signatures that are formulas.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/wavelets/minimum_phase.hpp"
#include "src/wavelets/signature.hpp"

namespace minimod {
namespace {

/// A form as it is spelled: "klauder:f=10/60,T=8".
struct Form {
  std::string_view name;
  std::size_t frequencies;                     ///< f has, separated by slashes
  std::array<std::string_view, 2> parameters;  ///< beside f and t0; empty: none
  const char* example;
};

constexpr Form forms[] = {
    {"ricker", 1, {}, "ricker:f=15 or ricker:f=15,t0=0.1 (Hz, s)"},
    {"gaussian", 1, {}, "gaussian:f=15 or gaussian:f=15,t0=0.1 (Hz, s)"},
    {"ormsby", 4, {"window"}, "ormsby:f=5/10/40/50 (Hz) or ormsby:f=5/10/40/50,t0=0.2,window=0.6 (s)"},
    {"klauder", 2, {"T", "window"}, "klauder:f=10/60,T=8 (Hz, s) or klauder:f=10/60,T=8,t0=0.2,window=0.4"}};
constexpr std::string_view minimum_words = "minimum:";

const Form* find_form(std::string_view spec) {
  const auto* const form = std::ranges::find(forms, spec.substr(0, spec.find(':')), &Form::name);
  return form == std::end(forms) ? nullptr : form;
}

/// Parameters behind the name of a form.
class Parameters {
 public:
  Parameters(const Form& form, const std::string& spec) : form_(form), spec_(spec) {
    const std::size_t begin = std::min(form.name.size() + 1, spec.size());
    for (const std::string_view part : split(std::string_view(spec).substr(begin), ',')) {
      const std::size_t equal = std::min(part.find('='), part.size());
      const std::string_view name = part.substr(0, equal);
      const auto* const of_form = std::ranges::find(form.parameters, name);
      if (name.empty() || (name != "f" && name != "t0" && of_form == form.parameters.end())) {
        throw wrong("has the unknown parameter '" + escaped(name, 30) + "'");
      }
      if (!values_.emplace(name, part.substr(std::min(equal + 1, part.size()))).second) {
        throw wrong("has " + std::string(name) + " twice");
      }
    }
  }

  /// Hz.
  [[nodiscard]] std::vector<double> frequencies() const {
    if (!values_.contains("f")) throw wrong("has no frequency f");
    std::vector<double> all;
    for (const std::string_view value : split(values_.find("f")->second, '/')) {
      all.push_back(parse_number(value, minimod::text(option("wavelet"), " f")));
      // Anything seismic, sonic or medical lies far inside; outside, 1 / f and f^2 leave the range of a
      // double.
      const bool may_be_0 = form_.frequencies > 1 && all.size() == 1;
      if (!(may_be_0 && all.back() == 0) && (all.back() < 1e-6 || all.back() > 1e12)) {
        throw wrong("has an f outside 1e-6 to 1e12 Hz");
      }
    }
    if (all.size() == form_.frequencies) return all;
    throw wrong(text("has ", all.size(), " frequencies, not ", form_.frequencies));
  }
  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return parse_number(found->second, minimod::text(option("wavelet"), " ", name));
  }
  [[nodiscard]] std::optional<double> positive(std::string_view name) const {
    const auto value = number(name);
    if (value && *value <= 0) throw wrong(text("has a ", name, " that is not above 0"));
    return value;
  }
  [[nodiscard]] Error wrong(const std::string& what) const {
    return {ErrorKind::parameter, minimod::text(option("wavelet"), " '", escaped(spec_, 60), "' ", what),
            text("give ", form_.example)};
  }

 private:
  const Form& form_;
  const std::string& spec_;
  std::map<std::string_view, std::string_view> values_;
};

/// a = (pi f (t - t0))^2, capped where e^-a has long been 0, so that a e^-a stays a number.
double exponent(double t, double f, double t0) {
  const double root = std::numbers::pi * f * (t - t0);
  return std::min(root * root, 1e4);
}

double sinc(double x) {
  const double y = std::numbers::pi * x;
  return std::abs(y) < 1e-8 ? 1 : std::sin(y) / y;
}

/// Window by which both ends of a long wavelet go down to 0: cos^2 from t = 0 to t = `half`.
double hann(double t, double half) {
  if (std::abs(t) >= half) return 0;
  const double c = std::cos(std::numbers::pi * t / (2 * half));
  return c * c;
}

/// A zero-phase form that ends `half` before and behind t0.
Signature even_signature(std::function<double(double)> at, double half, std::optional<double> t0,
                         const std::string& description) {
  const double delay = t0.value_or(half);
  Signature signature;
  signature.at = [even = std::move(at), half, delay](double t) {
    return hann(t - delay, half) * even(t - delay);
  };
  signature.first = delay - half;
  signature.last = delay + half;
  signature.description = text(description, ", window +-", half, " s, t0 = ", delay, " s");
  return signature;
}

/// The amplitude spectrum is a trapezoid of four corners (Ormsby 1961; Ryan 1994), whose inverse transform is
/// a sum of four f^2 sinc^2(f t), here 1 at its peak. Its sidelobes fall as 1/t^2: without a window they
/// would be at 1e-6 after 16 s for ramps of 5 Hz. The window rounds the corners, by under 5 % of the peak for
/// three periods of the steeper ramp, and changes less than 1e-4 two thirds of that ramp away from them.
Signature make_ormsby(const Parameters& parameters) {
  const std::vector<double> f = parameters.frequencies();
  if (!(f[0] < f[1] && f[1] <= f[2] && f[2] < f[3])) {
    throw parameters.wrong("has corners that do not rise, F1 < F2 <= F3 < F4");
  }
  constexpr double periods = 3;
  const double half = parameters.positive("window").value_or(periods / std::min(f[1] - f[0], f[3] - f[2]));
  const auto at = [f](double t) {
    const auto lobe = [t](double corner) { return std::pow(corner * sinc(corner * t), 2); };
    const double high = (lobe(f[3]) - lobe(f[2])) / (f[3] - f[2]),
                 low = (lobe(f[1]) - lobe(f[0])) / (f[1] - f[0]);
    return (high - low) / (f[3] + f[2] - f[1] - f[0]);
  };
  return even_signature(at, half, parameters.number("t0"),
                        text("ormsby, f = ", f[0], '/', f[1], '/', f[2], '/', f[3], " Hz"));
}

/// The autocorrelation of a linear sweep of T seconds (Klauder et al. 1960), 1 at its peak:
/// sin(pi k t (T - |t|)) / (pi k t T) cos(2 pi f0 t), k = (f2 - f1) / T, f0 the middle frequency. It lasts T
/// to either side, and its sidelobes fall as 1/t, so that a window keeps the middle: 20 periods of the band
/// width or 2 of the lowest frequency, which makes the edges of the band as wide as 1/20 of it.
Signature make_klauder(const Parameters& parameters) {
  const std::vector<double> f = parameters.frequencies();
  const std::optional<double> length = parameters.positive("T");
  if (!length) throw parameters.wrong("has no duration T of the sweep");
  const auto [low, high] = std::minmax(f[0], f[1]);
  const double band = high - low, middle = (high + low) / 2, duration = *length;
  if (band == 0) throw parameters.wrong("has a sweep of one frequency");
  const double kept = std::max(20 / band, low == 0 ? 0 : 2 / low);
  const double half = std::min(duration, parameters.positive("window").value_or(kept));
  const auto at = [=](double t) {
    const double left = 1 - std::abs(t) / duration;
    return left * sinc(band * t * left) * std::cos(2 * std::numbers::pi * middle * t);
  };
  return even_signature(at, half, parameters.number("t0"),
                        text("klauder, f = ", f[0], '/', f[1], " Hz, T = ", duration, " s"));
}

Signature make_bell(const Form& form, const Parameters& parameters) {
  constexpr double reach = 2;  // periods to either side of t0: there both forms are under 1e-14
  const double f = parameters.frequencies()[0], t0 = parameters.number("t0").value_or(1.5 / f);
  Signature signature;
  if (form.name == "ricker") {
    signature.at = [f, t0](double t) { return ricker(t, f, t0); };
  } else {
    signature.at = [f, t0](double t) { return std::exp(-exponent(t, f, t0)); };
  }
  signature.first = t0 - reach / f;
  signature.last = t0 + reach / f;
  signature.description = text(form.name, ", f = ", f, " Hz, t0 = ", t0, " s");
  return signature;
}

}  // namespace

double ricker(double t, double f, double t0) {
  const double a = exponent(t, f, t0);
  return (1 - 2 * a) * std::exp(-a);
}

bool names_form(const std::string& spec) {
  return find_form(spec) != nullptr || spec.starts_with(minimum_words);
}

Signature make_signature(const std::string& spec) {
  if (spec.starts_with(minimum_words)) {
    return minimum_phase_of(make_signature(spec.substr(minimum_words.size())));
  }
  const Form* const form = find_form(spec);
  if (form == nullptr) return read_wavelet_file(spec);
  const Parameters parameters(*form, spec);
  if (form->name == "ormsby") return make_ormsby(parameters);
  if (form->name == "klauder") return make_klauder(parameters);
  return make_bell(*form, parameters);
}

}  // namespace minimod
