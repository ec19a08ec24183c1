#include "kernels/compiled/shape_source.hpp"

#include <initializer_list>
#include <utility>

#include "kernels/compiled/build_sources.hpp"
#include "kernels/equation_list.hpp"
#include "kernels/rings/equation_ring.hpp"
#include "src/base/error.hpp"
#include "src/base/files/sha256.hpp"

namespace minimod {

namespace {

/// Names of the types that a source is made for, which follow from these three.
struct TypeNames {
  int radius;
  Precision precision;
  Equation equation;

  /// The equation's update by a formula.
  [[nodiscard]] std::string update(Formula formula) const {
    const char* const name = formula == Formula::inner ? "InnerUpdate"
                             : formula == Formula::pml ? "PmlUpdate"
                                                       : "MixedUpdate";
    const std::string of_formula =
        text(name, '<', precision == Precision::float32 ? "float" : "double", ", ", radius, '>');
    return with_equation(equation, [&]<class Line>() {
      return *Line::type == '\0' ? of_formula : text(Line::type, '<', of_formula, '>');
    });
  }
  [[nodiscard]] std::string args() const { return update(Formula::inner) + "::Args"; }
};

/// Text that stands in for headers that a compiler of GPU code has not got beside it.
constexpr std::string_view device_std = "#include \"kernels/compiled/device_std.cuh\"\n";
constexpr auto stand_ins = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"algorithm", device_std},
    {"cmath", device_std},
    {"cstddef", device_std},
    {"cstdint", device_std},
    {"cstring", device_std},
    {"limits", device_std},
    {"type_traits", device_std},
    {"utility", device_std},
});

/// Adds the headers of the program that a text includes.
void add_headers(std::string_view from, std::map<std::string_view, std::string_view>& headers) {
  constexpr std::string_view include = "#include \"";
  for (std::size_t at = from.find(include); at != std::string_view::npos; at = from.find(include, at)) {
    at += include.size();
    const auto header = build_sources().headers.find(from.substr(at, from.find('"', at) - at));
    if (header != build_sources().headers.end() && headers.insert(*header).second) {
      add_headers(header->second, headers);
    }
  }
}

std::string checks_of(const NamedShape& shape, const TypeNames& its, Formula formula) {
  return checks_of_shape(
      type_text(*shape.family, shape.parameters, its.update(formula)),
      shape.family->threads(shape.parameters, {formula_damps(formula), its.radius, its.precision}),
      shared_bytes(shape, its.radius, its.precision, its.equation));
}

/// The arguments of the compiled code must lie as those of the program.
std::string text_with(const NamedShape& shape, std::string_view block, const TypeNames& its,
                      const std::string& body) {
  const std::size_t bytes =
      with_args(its.equation, its.radius, its.precision, []<class Args>() { return sizeof(Args); });
  const char* const header = with_equation(its.equation, []<class Line>() { return Line::header; });
  return text("#include \"", block, "\"\n#include \"kernels/shapes/", header_of(*shape.family),
              "\"\n#include \"", header, "\"\nusing namespace minimod;\nstatic_assert(sizeof(", its.args(),
              ") == ", bytes, ");\n", body);
}

/// A kernel for compute capability 9.0 alone, and the type of its arguments, which are so many bytes in the
/// program; 0: not known.
ShapeSource source_for_hopper(const std::string& name, std::initializer_list<const char*> headers,
                              const std::string& kernel, const std::string& args, std::size_t bytes) {
  std::string code;
  for (const char* const header : headers) code += text("#include \"", header, "\"\n");
  code += "using namespace minimod;\n";
  if (bytes > 0) code += text("static_assert(sizeof(", args, ") == ", bytes, ");\n");
  ShapeSource source = make_device_source(
      name, code,
      text("template __global__ void minimod::", kernel, "(const __grid_constant__ ", args, ");\n"));
  source.architecture = "a";
  return source;
}

}  // namespace

std::string ShapeSource::key(const std::string& compiler) const {
  std::string all = compiler + '\0' + text;
  for (const auto& [header, content] : headers) {
    all += '\0';
    all += header;
    all += '\0';
    all += content;
  }
  return sha256(all);
}

ShapeSource make_host_source(const std::string& name, const std::string& text) {
  ShapeSource source{name, text, {}, ""};
  add_headers(text, source.headers);
  return source;
}

ShapeSource make_device_source(const std::string& name, const std::string& code, const std::string& kernel) {
  // As nvrtc's -default-device: functions of the host are the GPU's, too, but for kernels and their template.
  constexpr const char *begin = "#ifdef __HIPCC_RTC__\n#pragma clang force_cuda_host_device begin\n#endif\n",
                       *end = "#ifdef __HIPCC_RTC__\n#pragma clang force_cuda_host_device end\n#endif\n";
  ShapeSource source = make_host_source(
      name, text("#include \"kernels/device/device_block.cuh\"\n", begin, code, end, kernel));
  for (const auto& stand_in : stand_ins) {
    source.headers.insert(stand_in);
    add_headers(stand_in.second, source.headers);
  }
  return source;
}

std::string checks_of_shape(const std::string& type, Extent3 threads, std::size_t shared_bytes) {
  return text("static_assert(", type, "::threads == minimod::Extent3{", threads.x, ", ", threads.y, ", ",
              threads.z, "});\nstatic_assert(std::is_empty_v<", type, "::Shared> || sizeof(", type,
              "::Shared) <= ", shared_bytes, ");\n");
}

std::string device_kernel(const std::string& type, const std::string& args) {
  return text("template __global__ void minimod::code_shape<", type, ", ", args, ">(const __grid_constant__ ",
              args, ");\n");
}

std::string host_function(Formula formula) {
  return text("minimod_formula_", static_cast<int>(formula));
}

ShapeSource host_source(const NamedShape& shape, int radius, Precision precision, Equation equation) {
  const TypeNames its{radius, precision, equation};
  std::string body;
  for (const Formula formula : compiled_formulas) {
    if (formula != Formula::inner && !has_layers(equation)) continue;
    body += checks_of(shape, its, formula) +
            text("extern \"C\" void ", host_function(formula), "(const void* args) {\n  run_on_host<",
                 type_text(*shape.family, shape.parameters, its.update(formula)), ">(*static_cast<const ",
                 its.args(), "*>(args));\n}\n");
  }
  return make_host_source(shape_name(shape.family->name, shape.parameters),
                          text_with(shape, "kernels/host/host_block.hpp", its, body));
}

ShapeSource device_source(const NamedShape& shape, int radius, Precision precision, Formula formula,
                          Equation equation) {
  const TypeNames its{radius, precision, equation};
  return make_device_source(
      shape_name(shape.family->name, shape.parameters),
      text_with(shape, "kernels/device/device_block.cuh", its, checks_of(shape, its, formula)),
      device_kernel(type_text(*shape.family, shape.parameters, its.update(formula)), its.args()));
}

ShapeSource ring_source(int radius, Precision precision, Formula formula, std::size_t bytes) {
  const bool is_inner = formula == Formula::inner;
  const std::string stencil =
      text('<', precision == Precision::float32 ? "float" : "double", ", ", radius, '>');
  return source_for_hopper(text("tma_ring of order ", 2 * radius),
                           {"kernels/rings/tma_ring_kernel.cuh", "kernels/update.hpp"},
                           text("tma_ring<", is_inner ? "InnerUpdate" : "PmlUpdate", stencil, ", ",
                                is_inner ? "StencilTile" : "StencilPmlTile", stencil, '>'),
                           "RingArgs" + stencil, bytes);
}

ShapeSource whole_source(const std::string& name, const std::string& types, std::size_t bytes) {
  const std::string of_types = text('<', types, '>');
  return source_for_hopper(name, {"kernels/whole/tma_whole_kernel.cuh"}, "tma_whole" + of_types,
                           "WholeArgs" + of_types, bytes);
}

ShapeSource equation_ring_source(Equation equation, int radius, Precision precision, Formula formula,
                                 const EquationRingShape& shape, std::size_t bytes) {
  const std::string update = TypeNames{radius, precision, equation}.update(formula);
  const char* const header = with_equation(equation, []<class Line>() { return Line::header; });
  return source_for_hopper(text("tma_ring of ", equation_name(equation), ", order ", 2 * radius),
                           {"kernels/rings/equation_ring_kernel.cuh", header},
                           text("equation_ring<EquationTile<", update, ", ", shape.width, ", ", shape.height,
                                ", ", shape.lanes, ", ", shape.rows, ", ", shape.ahead, ">>"),
                           text("EquationRingArgs<", update, '>'), bytes);
}

}  // namespace minimod
