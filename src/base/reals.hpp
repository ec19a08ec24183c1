/// Reals of a precision in the memory of the host.
#pragma once

#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/precision.hpp"
#include "src/base/process/zeroed_array.hpp"

namespace minimod {

class Reals {
 public:
  template <class Real>
  using Values = ZeroedArray<Real>;

  /// No floats.
  Reals() = default;
  /// Zeros.
  Reals(Precision precision, std::size_t size) {
    with_real(precision, [&]<class Real>() { values_ = Values<Real>(size); });
  }
  Reals(Values<float> values) : values_(std::move(values)) {}
  Reals(Values<double> values) : values_(std::move(values)) {}
  Reals(const std::vector<float>& values) : values_(Values<float>(values.begin(), values.end())) {}
  Reals(const std::vector<double>& values) : values_(Values<double>(values.begin(), values.end())) {}

  [[nodiscard]] Precision precision() const {
    return values_.index() == 0 ? Precision::float32 : Precision::float64;
  }
  [[nodiscard]] std::size_t size() const {
    return std::visit([](const auto& values) { return values.size(); }, values_);
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t bytes() const { return size() * bytes_of(precision()); }
  void resize(std::size_t size) {
    std::visit([&](auto& values) { values.resize(size); }, values_);
  }

  [[nodiscard]] RealsAt at() {
    return std::visit([&](auto& values) { return RealsAt{values.data(), precision()}; }, values_);
  }
  [[nodiscard]] const void* data() const {
    return std::visit([](const auto& values) { return static_cast<const void*>(values.data()); }, values_);
  }
  [[nodiscard]] std::span<std::byte> raw() { return {static_cast<std::byte*>(at().data), bytes()}; }
  [[nodiscard]] std::span<const std::byte> raw() const {
    return {static_cast<const std::byte*>(data()), bytes()};
  }
  /// The values, where they are of that precision.
  template <class Real>
  [[nodiscard]] Values<Real>& of() {
    return std::get<Values<Real>>(values_);
  }
  template <class Real>
  [[nodiscard]] const Values<Real>& of() const {
    return std::get<Values<Real>>(values_);
  }
  /// Calls visit(values) with the vector that they are.
  template <class Visit>
  decltype(auto) visit(const Visit& visit) const {
    return std::visit(visit, values_);
  }
  [[nodiscard]] double operator[](std::size_t i) const {
    return std::visit([i](const auto& values) { return double{values[i]}; }, values_);
  }
  /// Puts others of that precision behind these.
  void append(const Reals& others) {
    with_real(precision(), [&]<class Real>() { of<Real>().append(others.of<Real>()); });
  }
  /// As doubles, which both precisions are.
  [[nodiscard]] std::vector<double> as_doubles() const {
    return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
                      values_);
  }
  friend bool operator==(const Reals&, const Reals&) = default;

 private:
  std::variant<Values<float>, Values<double>> values_;
};

}  // namespace minimod
