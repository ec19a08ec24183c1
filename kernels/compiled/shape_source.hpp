/// The source of a shape that the program was not built with: what a compiler gets.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "kernels/code_shape.hpp"
#include "kernels/tiles/shape_family.hpp"

namespace minimod {

struct EquationRingShape;

/// The formulas that kernels are compiled for.
inline constexpr std::array compiled_formulas{Formula::inner, Formula::pml, Formula::mixed};

struct ShapeSource {
  std::string name;  ///< name of the shape
  std::string text;  ///< text of the file to be compiled
  /// Headers of the text and of each other, by the names that they are included by.
  std::map<std::string_view, std::string_view> headers;
  /// The letter behind the number of a GPU's architecture: "a" for features that no later one promises.
  const char* architecture = "";

  /// Hash of all that the machine code follows from: the texts, and `compiler`, which says by what they are
  /// compiled, how, and for what. 64 digits.
  [[nodiscard]] std::string key(const std::string& compiler) const;
};

/// Source of a text that includes headers of the program, for the compiler of the host and for a GPU's, which
/// gets a kernel behind the text.
[[nodiscard]] ShapeSource make_host_source(const std::string& name, const std::string& text);
[[nodiscard]] ShapeSource make_device_source(const std::string& name, const std::string& code,
                                             const std::string& kernel);

/// In a source, that a shape of some type has the threads and at most the shared memory that its family says.
[[nodiscard]] std::string checks_of_shape(const std::string& type, Extent3 threads, std::size_t shared_bytes);
/// The kernel of a shape, and of the type of its arguments.
[[nodiscard]] std::string device_kernel(const std::string& type, const std::string& args);

/// Functions host_function(formula) of a stencil of that radius in that precision, which emulate the shape's
/// threads. Each formula of the equation has one.
[[nodiscard]] ShapeSource host_source(const NamedShape& shape, int radius, Precision precision,
                                      Equation equation = Equation::wave);
/// The name of a formula's function in a host_source, a void (const void*) that is given the arguments of
/// that stencil of the equation.
[[nodiscard]] std::string host_function(Formula formula);

/// One kernel.
[[nodiscard]] ShapeSource device_source(const NamedShape& shape, int radius, Precision precision,
                                        Formula formula, Equation equation = Equation::wave);

/// A kernel of `tma_ring`, of the inner update or the PML's, with another stencil. `bytes` of its arguments,
/// which in the compiled code must lie as in the program; 0: not known.
[[nodiscard]] ShapeSource ring_source(int radius, Precision precision, Formula formula,
                                      std::size_t bytes = 0);

/// A kernel of `tma_whole` or `tma_whole_step`, which errors name so, of a shape's and its block's types
/// (source_of_whole).
[[nodiscard]] ShapeSource whole_source(const std::string& name, const std::string& types,
                                       std::size_t bytes = 0);

/// A kernel of `tma_ring` of another equation than the wave, by its inner formula or the PML's.
[[nodiscard]] ShapeSource equation_ring_source(Equation equation, int radius, Precision precision,
                                               Formula formula, const EquationRingShape& shape,
                                               std::size_t bytes = 0);

}  // namespace minimod
