/// Reals of a precision in the memory of the host.
#pragma once

#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/precision.hpp"
#include "src/base/process/host_memory.hpp"

namespace minimod {

class Reals {
 public:
  /// No floats.
  Reals() = default;
  Reals(Precision precision, std::size_t size) {
    with_real(precision, [&]<class Real>() {
      std::vector<Real> values;
      values.reserve(size);
      make_pages(values.data(), size * sizeof(Real));
      values.resize(size);
      values_ = std::move(values);
    });
  }
  Reals(std::vector<float> values) : values_(std::move(values)) {}
  Reals(std::vector<double> values) : values_(std::move(values)) {}

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
  [[nodiscard]] std::vector<Real>& of() {
    return std::get<std::vector<Real>>(values_);
  }
  template <class Real>
  [[nodiscard]] const std::vector<Real>& of() const {
    return std::get<std::vector<Real>>(values_);
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
    with_real(precision(), [&]<class Real>() {
      const std::vector<Real>& more = others.of<Real>();
      of<Real>().insert(of<Real>().end(), more.begin(), more.end());
    });
  }
  /// As doubles, which both precisions are.
  [[nodiscard]] std::vector<double> as_doubles() const {
    return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
                      values_);
  }
  friend bool operator==(const Reals&, const Reals&) = default;

 private:
  std::variant<std::vector<float>, std::vector<double>> values_;
};

}  // namespace minimod
