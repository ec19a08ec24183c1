#include "src/base/spectra/fft.hpp"

#include <cmath>  // kissfft.hh takes it for granted
#include <kissfft/kissfft.hh>
#include <stdexcept>
#include <string>

namespace minimod {

namespace {

using Values = std::vector<std::complex<double>>;

Values transformed(const kissfft<double>& plan, std::size_t size, const Values& values) {
  if (values.size() != size) {
    throw std::invalid_argument("an FFT of " + std::to_string(size) + " values was given " +
                                std::to_string(values.size()));
  }
  Values result(size);
  plan.transform(values.data(), result.data());
  return result;
}

}  // namespace

struct Fft::Plans {
  kissfft<double> forward, inverse;
};

std::size_t good_fft_size(std::size_t at_least) {
  for (std::size_t size = at_least;; ++size) {
    std::size_t rest = size;
    for (const std::size_t prime : {2, 3, 5}) {
      while (rest > 1 && rest % prime == 0) {
        rest /= prime;
      }
    }
    if (rest == 1) {
      return size;
    }
  }
}

// kissfft's radices above 5 share a buffer among threads, so that only the good sizes are taken.
Fft::Fft(std::size_t size) : size_(size) {
  if (size == 0 || good_fft_size(size) != size) {
    throw std::invalid_argument("an FFT of " + std::to_string(size) + " values is not of size 2^a 3^b 5^c");
  }
  plans_ = std::make_unique<const Plans>(Plans{kissfft<double>(size, false), kissfft<double>(size, true)});
}

Fft::~Fft() = default;
Fft::Fft(Fft&&) noexcept = default;
Fft& Fft::operator=(Fft&&) noexcept = default;

Values Fft::forward(const Values& values) const {
  return transformed(plans_->forward, size_, values);
}

Values Fft::inverse(const Values& values) const {
  Values result = transformed(plans_->inverse, size_, values);
  for (std::complex<double>& value : result) {
    value /= static_cast<double>(size_);
  }
  return result;
}

}  // namespace minimod
