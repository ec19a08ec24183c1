/// A verification case as plain data: what it runs, and the figures, curves and pictures that come of it.
#pragma once

#include <string>
#include <vector>

#include "src/base/error.hpp"

namespace minimod {

class Runner;

/// How a figure must lie to what is expected.
enum class Rule {
  within,    ///< |value − expected| ≤ tolerance
  at_most,   ///< value ≤ expected
  at_least,  ///< value ≥ expected
};

/// "within", "at most" or "at least".
[[nodiscard]] std::string rule_name(Rule rule);

/// A number that proves something. Made by the three functions below.
struct Figure {
  std::string name;  ///< unique in its case, of letters, digits, _ and .
  double value = 0;
  Rule rule = Rule::within;
  double expected = 0;
  double tolerance = 0;  ///< tolerance of Rule::within
  std::string unit;
  std::string why = {};     ///< where it fails: what is wrong first
  std::string kernel = {};  ///< kernel of the figure, where the case has several, or another program's

  /// Other than a number never passes.
  [[nodiscard]] bool passed() const;
};

/// The unit of a ratio; the case's setup says of what.
inline constexpr const char* ratio_unit = "relative";
/// The unit of u where the source is added to it unscaled.
inline constexpr const char* source_unit = "source unit";

[[nodiscard]] Figure within(std::string name, double value, double expected, double tolerance,
                            std::string unit = ratio_unit);
[[nodiscard]] Figure at_most(std::string name, double value, double limit, std::string unit = ratio_unit);
[[nodiscard]] Figure at_least(std::string name, double value, double limit, std::string unit = ratio_unit);

/// A part that a case did not do, and why.
struct LeftOut {
  std::string name, why;
};

struct Curve {
  std::string label;
  std::vector<double> x, y;
  bool points = false;  ///< drawn as points rather than as a line
};

struct Picture {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Curve> curves;
};

struct CaseReport {
  std::vector<std::string>
      setup;  ///< lines for the reader: grid, time step, source, where the figures are from
  std::vector<Figure> figures;
  std::vector<LeftOut> left_out;  ///< neither passed nor failed
  std::vector<LeftOut> not_run;   ///< counts as failed: kernels that refuse; the whole case without a name
  std::vector<Picture> pictures;

  /// Adds a part that an error hindered: left out where the domain cannot be cut among these ranks (64), else
  /// not run.
  void add(const std::string& name, const Error& refusal);
};

/// Definition of a case in its file.
struct CaseBody {
  const char* summary;  ///< one line
  CaseReport (*run)(Runner& runner);
  bool takes_orders = false;     ///< limits hold for stencils of every order
  bool takes_equations = false;  ///< limits hold for kernels of every equation
};

enum class Cost {
  light,    ///< run by default
  slow,     ///< run when named, or with all
  longest,  ///< run when named
};
[[nodiscard]] std::string cost_name(Cost cost);

struct VerificationCase {
  std::string name;
  Cost cost;
  CaseBody body;
};

/// All cases, in the order of validation/cases/cases.cmake.
[[nodiscard]] const std::vector<VerificationCase>& verification_cases();

}  // namespace minimod
