#include "src/stencil/kernel_source.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/error.hpp"
#include "src/stencil/evaluation.hpp"
#include "src/stencil/language/linear_form.hpp"

namespace minimod::stencil {
namespace {

using Kind = Term::Kind;

static_assert(limits::arrays <= most_arrays);

/// The value of a part of an expression: a constant, a name, or a product of two names that is not computed
/// yet.
struct Part {
  std::optional<double> constant;
  std::string name;                    ///< name of a value, or the first factor
  std::string factor = std::string();  ///< the second one
};

/// Writes C++ of equations.
class EquationsWriter {
 public:
  explicit EquationsWriter(const Specification& specification)
      : specification_(specification),
        precision_(working_precision(specification)),
        temporaries_(specification.temporaries.size()) {}

  /// Statements of compute(point).
  [[nodiscard]] std::string statements() {
    std::string stores;
    for (const Equation& equation : specification_.equations) {
      const Part value = value_of(equation.value);
      if (equation.to_array) {
        stores += text("    point.template store<", equation.target, ">(", name_of(value), ");\n");
      } else {
        temporaries_[equation.target] = value.constant ? value : Part{{}, name_of(value)};
      }
    }
    return std::move(written_) + stores;
  }

  /// Members that kernels/shapes/in_plane.hpp wants more.
  [[nodiscard]] std::string plane_by_plane(const std::vector<LinearForm>& forms, Reach reach) const {
    const auto function = [](const std::string& head, const std::string& body) {
      return text("  ", head, " {\n", body, "  }\n");
    };
    const bool has_factors_off_plane = std::ranges::any_of(forms, [](const LinearForm& form) {
      return std::ranges::any_of(form.terms, [](const auto& term) {
        return std::get<1>(term.first.place) != 0 && !term.first.factors.empty();
      });
    });
    std::string begins, stores, adds;
    for (std::size_t k = 0; k < forms.size(); ++k) {
      begins += text("    sum.of[", k, "] = ", literal(forms[k].added()), ";\n");
      stores += text("    point.template store<", forms[k].output, ">(sum.of[", k, "]);\n");
    }
    for (int z = -reach.lower.z; z <= reach.upper.z; ++z) {
      adds += text("    if constexpr (Z == ", z, ") {\n");
      for (std::size_t k = 0; k < forms.size(); ++k) adds += additions_of_plane(forms[k], k, z);
      adds += "    }\n";
    }
    return text(
        "  static constexpr int lowest = ", -reach.lower.z, ", highest = ", reach.upper.z,
        ";\n  static constexpr bool has_factors_off_plane = ", has_factors_off_plane ? "true" : "false",
        ";\n  struct Sum {\n    Real of[", forms.size(), "];\n  };\n",
        function("template <class Point>\n  static MINIMOD_HD void begin(const Point&, Sum& sum)", begins),
        function("template <int Z, class Point>\n  static MINIMOD_HD void add(const Point& point, Sum& sum)",
                 adds),
        function("template <class Point>\n  static MINIMOD_HD void store(const Point& point, const Sum& sum)",
                 stores));
  }

 private:
  /// A weight, for points in the plane that is loaded or `plane` planes before it.
  [[nodiscard]] std::string weight_text(double constant, std::span<const int> factors, int plane) const {
    std::string all = literal(constant);
    for (const int array : factors) all += text(" * point.template factor<", array, ">(", -plane, ')');
    return all;
  }

  /// Values of one weight are added up before they are multiplied by it.
  [[nodiscard]] std::string additions_of_plane(const LinearForm& form, std::size_t number, int plane) const {
    std::map<std::string, std::string> sums;  // sums of values, by their weight
    for (const auto& [product, constant] : form.terms) {
      const auto& [array, z, y, x] = product.place;
      if (z != plane || product == LinearForm::Product{}) continue;
      const bool has_value = product.place != LinearForm::nowhere;
      const std::span<const int> factors(product.factors);
      std::string& sum =
          sums[weight_text(constant, has_value ? factors : factors.first(factors.size() - 1), z)];
      sum += sum.empty() ? "" : " + ";
      sum += has_value ? text("point.template load<", array, ">(", x, ", ", y, ')')
                       : text("point.template factor<", factors.back(), ">(0)");
    }
    std::string additions;
    for (const auto& [weight, sum] : sums) {
      additions +=
          text("      sum.of[", number, "] = std::fma(", weight, ", ", sum, ", sum.of[", number, "]);\n");
    }
    return additions;
  }

  [[nodiscard]] Part value_of(const Expression& expression) {
    std::vector<Part> values;
    for (const Term& term : expression) {
      if (is_operand(term.kind)) {
        values.push_back(operand(term));
      } else if (!is_binary(term.kind)) {
        values.back() = function_of(term.kind, values.back());
      } else {
        const Part right = std::move(values.back());
        values.pop_back();
        values.back() = combined(term.kind, values.back(), right);
      }
    }
    return values.back();
  }

  [[nodiscard]] Part operand(const Term& term) {
    if (term.kind == Kind::number) return {term.number, ""};
    if (term.kind == Kind::scalar) return {specification_.scalars[term.index].value, ""};
    if (term.kind == Kind::temporary) return temporaries_[term.index];
    const auto [x, y, z] = term.offset;
    std::string& name = loads_[{term.index, z, y, x}];
    if (name.empty()) {
      name = keep(text("point.template load<", term.index, ">(", x, ", ", y, ", ", z, ')'));
    }
    return {{}, name};
  }

  [[nodiscard]] Part function_of(Kind kind, const Part& value) {
    if (kind == Kind::negate) return negated(value);
    if (value.constant) return {applied(kind, *value.constant), ""};
    return {{}, keep(text(kind == Kind::root ? "std::sqrt(" : "std::abs(", name_of(value), ')'))};
  }

  [[nodiscard]] static Part negated(const Part& value) {
    if (value.constant) return {-*value.constant, ""};
    return {{}, text("(-", value.name, ')'), value.factor};
  }

  [[nodiscard]] Part combined(Kind kind, const Part& left, const Part& right) {
    if (left.constant && right.constant) return {applied(kind, *left.constant, *right.constant), ""};
    if (kind == Kind::multiply) return {{}, name_of(left), name_of(right)};
    if (kind == Kind::divide) return {{}, keep(text(name_of(left), " / ", name_of(right)))};
    if (kind == Kind::subtract) return sum(left, negated(right));
    if (kind == Kind::add) return sum(left, right);
    const char* const function = kind == Kind::lesser ? "lesser" : "greater";
    return {{}, keep(text("minimod::stencil::", function, '(', name_of(left), ", ", name_of(right), ')'))};
  }

  [[nodiscard]] Part sum(const Part& left, const Part& right) {
    const bool takes_right = !right.factor.empty();
    const Part &product = takes_right ? right : left, &other = takes_right ? left : right;
    if (product.factor.empty()) return {{}, keep(text(name_of(left), " + ", name_of(right)))};
    const std::string added = name_of(other);
    return {{}, keep(text("std::fma(", product.name, ", ", product.factor, ", ", added, ')'))};
  }

  [[nodiscard]] std::string name_of(const Part& value) {
    if (value.constant) return literal(*value.constant);
    return value.factor.empty() ? value.name : keep(text(value.name, " * ", value.factor));
  }

  [[nodiscard]] std::string literal(double value) const {
    const bool fits = precision_ == Precision::float64 || std::isfinite(static_cast<float>(value));
    if (!std::isfinite(value) || !fits) {
      throw Error(ErrorKind::data,
                  text("a constant of the stencil ", escaped(specification_.name, 40), " is ", value, " in ",
                       name_in(precisions, precision_)),
                  "give numbers and scalars whose values it holds");
    }
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return text("Real(", std::string(digits, end), ')');
  }

  /// Computes it once; its name.
  std::string keep(const std::string& value) {
    std::string name = text('v', count_++);
    written_ += text("    const Real ", name, " = ", value, ";\n");
    return name;
  }

  const Specification& specification_;
  Precision precision_;
  std::vector<Part> temporaries_;
  std::map<std::tuple<int, int, int, int>, std::string> loads_;
  std::string written_;
  int count_ = 0;
};

/// A function of an array's number: its name, and what it returns for each array.
std::string table_text(const std::string& type, const char* name, const std::string& values) {
  return text("  static MINIMOD_HD constexpr ", type, ' ', name, "(int array) {\n    constexpr ", type,
              " all[] = {", values, "};\n    return all[array];\n  }\n");
}

std::string list_text(const char* name, const Facts& facts, bool (*is_in)(Reach)) {
  std::string numbers;
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    if (is_in(facts.arrays[i].reach)) numbers += text(numbers.empty() ? "" : ", ", i);
  }
  return text("  using ", name, " = minimod::ArrayList<", numbers, ">;\n");
}

std::string reach_text_of(Reach reach) {
  const auto [lower, upper] = reach;
  return text("{{", lower.x, ", ", lower.y, ", ", lower.z, "}, {", upper.x, ", ", upper.y, ", ", upper.z,
              "}}");
}

/// For the files and logs of compilers.
std::string source_name(const Specification& specification) {
  std::string name = specification.name.substr(0, limits::name_length);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return "stencil_" + name;
}

std::string type_of(const KernelName& kernel, int launch) {
  const char* const equations = kernel.read_only ? "minimod::stencil::ReadOnly<Equations>" : "Equations";
  return type_text(kernel, equations, kernel.family->launches() > 1 ? text(", ", launch) : "");
}

std::string checks_of(const Specification& specification, const KernelName& kernel) {
  return checks_of_shape(type_of(kernel, 0), kernel.family->threads(kernel.parameters),
                         shared_bytes(kernel, specification));
}

std::string arguments_and_equations(const Specification& specification) {
  return text("static_assert(sizeof(minimod::stencil::ArrayArgs) == ", sizeof(ArrayArgs), ");\n",
              equations_text(specification));
}

std::string function_head(std::size_t kernel, const char* attribute = "") {
  return text("extern \"C\" ", attribute, "void ", stencil_function(kernel),
              "(const minimod::stencil::ArrayArgs& args) {\n");
}

std::string head_of(const Specification& specification, const char* block,
                    std::span<const KernelName> kernels) {
  std::string head = text("#include \"", block, "\"\n#include \"kernels/equations/arrays.hpp\"\n");
  for (const KernelName& kernel : kernels) {
    const char* const of_tutorial = kernel.family->tutorial_header;
    head += of_tutorial != nullptr ? text("#include \"kernels/stencils/tutorial/", of_tutorial, "\"\n")
                                   : text("#include \"kernels/shapes/", header_of(*kernel.family), "\"\n");
  }
  return head + arguments_and_equations(specification);
}

}  // namespace

Precision working_precision(const Specification& specification) {
  return has_arrays_in(specification, Precision::float64) ? Precision::float64 : Precision::float32;
}

std::string equations_text(const Specification& specification) {
  const Facts facts = facts_of(specification);
  const auto forms = linear_forms(specification);
  std::string are_double, reaches, are_stars, heirs, outputs;
  for (std::size_t i = 0; i < facts.arrays.size(); ++i) {
    const char* const comma = i > 0 ? ", " : "";
    are_double += text(comma, specification.arrays[i].precision == Precision::float64 ? "true" : "false");
    reaches += comma + reach_text_of(facts.arrays[i].reach);
    are_stars += text(comma, facts.arrays[i].reads_corners ? "false" : "true");
    heirs += text(comma, specification.arrays[i].next);
    if (specification.arrays[i].is_output) outputs += text(outputs.empty() ? "" : ", ", i);
  }
  return text(
      "struct Arrays {\n", table_text("bool", "is_double", are_double),
      table_text("minimod::Reach", "reach", reaches), table_text("bool", "is_star", are_stars),
      table_text("int", "heir", heirs),
      "};\nstruct Equations : minimod::stencil::OnArrays<Arrays> {\n  using Real = ",
      name_in(precisions, working_precision(specification)), ";\n",
      "  static constexpr bool reads_corners_off_plane = ", facts.reads_corners_off_plane ? "true" : "false",
      ";\n", list_text("Beside", facts, is_beside), list_text("BesideInPlane", facts, is_beside_in_plane),
      "  using Outputs = minimod::ArrayList<", outputs, ">;\n",
      "  template <class Point>\n  static MINIMOD_HD void compute(const Point& point) {\n",
      EquationsWriter(specification).statements(), "  }\n",
      forms ? EquationsWriter(specification).plane_by_plane(*forms, facts.reach) : "", "};\n");
}

std::string stencil_function(std::size_t kernel) {
  return text("minimod_stencil_", kernel);
}

ShapeSource host_source(const Specification& specification, std::span<const KernelName> kernels) {
  std::string all = head_of(specification, "kernels/host/host_block.hpp", kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::string launches;
    for (int launch = 0; launch < kernels[i].family->launches(); ++launch) {
      launches += text("  minimod::run_on_host<", type_of(kernels[i], launch), ">(args);\n");
    }
    all += checks_of(specification, kernels[i]) + function_head(i) + launches + "}\n";
  }
  return make_host_source(source_name(specification), all);
}

ShapeSource rows_source(const Specification& specification) {
  return make_host_source(
      source_name(specification),
      text("#include \"kernels/equations/arrays.hpp\"\n#include \"kernels/cores/rows.hpp\"\n",
           arguments_and_equations(specification), function_head(0, "[[gnu::flatten]] "),
           "  minimod::run_reference<Equations>(args);\n}\n"));
}

ShapeSource device_source(const Specification& specification, const KernelName& kernel, int launch) {
  return make_device_source(source_name(specification) + '_' + kernel.text(),
                            head_of(specification, "kernels/device/device_block.cuh", {&kernel, 1}) +
                                checks_of(specification, kernel),
                            device_kernel(type_of(kernel, launch), "minimod::stencil::ArrayArgs"));
}

}  // namespace minimod::stencil
