#include "src/job/plan/equation_options.hpp"

#include "kernels/equation_names.hpp"
#include "src/base/error.hpp"
#include "src/base/option.hpp"
#include "src/base/parse.hpp"
#include "src/solver/schedule.hpp"

namespace minimod {

namespace {

[[noreturn]] void refuse(const std::string& what, Equation equation, const std::string& why,
                         const std::string& remedy = "leave one of them out") {
  throw Error(ErrorKind::parameter,
              text(what, " is given with ", option("equation"), " ", equation_name(equation), why), remedy);
}

/// "V/rho".
std::string form_of(const EquationFacts& equation) {
  return joined(equation.columns, "/").insert(0, equation.columns.empty() ? "V" : "V/");
}

}  // namespace

void check_equation_boundary(Equation equation, BoundaryKind layer, bool free_surface) {
  const EquationFacts& facts = facts_of(equation);
  if (facts_of(layer).needs_terms && !facts.has_cpml) {
    refuse(option("boundary") + " " + boundary_name(layer), equation, ", which has none",
           text("take ", option("boundary"), " pml or sponge"));
  }
  if (free_surface && !facts.has_free_surface)
    refuse(option("free-surface"), equation, ", whose horizontal stress is not 0 there", "leave it out");
}

void check_equation_options(const ShotOptions& o, BoundaryKind layer) {
  const Equation equation = o.kernels.equation;
  if (facts_of(equation).reads_u_alone)
    refuse("a shot", equation, "", text("take ", command("bench"), ", tune or roofline"));
  check_equation_boundary(equation, layer, o.boundary.free_surface);
  if (equation == Equation::wave) return;
  const std::string& model = o.model.source;
  if (!model.empty() && !model.starts_with("constant:") && !model.starts_with("layered:")) {
    const std::string form = form_of(facts_of(equation));
    refuse(option("model") + " " + escaped(model, 60), equation, ", which needs " + form,
           text("give constant:", form, " or layered:", form, "@Z,..."));
  }
  if (!o.acquisition.sources.empty()) refuse(option("sources"), equation, ", whose shots are run alone");
  if (!o.acquisition.inject.empty()) refuse(option("inject"), equation, ", whose sources have a wavelet");
  StepProblem problem;
  problem.equation = equation;
  if (o.kernels.schedule == nullptr) return;
  if (const std::string why = o.kernels.schedule->why_not(problem); !why.empty())
    refuse(option("schedule") + " " + o.kernels.schedule->name(), equation, ": it " + why);
}

void check_columns(const VelocityModel& model, Equation equation) {
  const EquationFacts& facts = facts_of(equation);
  const std::size_t count = columns_of(model);
  if (count != facts.columns.size()) {
    throw Error(ErrorKind::parameter,
                text(option("model"), " has ", count, count == 1 ? " value" : " values", " beyond V, ",
                     option("equation"), " ", equation_name(equation), " takes ", facts.columns.size()),
                text("give each layer ", form_of(facts)));
  }
  if (facts.refusal == nullptr) return;
  for (const Layer& layer : model.layers) {
    if (const std::string why = facts.refusal(layer.columns); !why.empty()) {
      throw Error(ErrorKind::parameter, text(option("model"), ": ", why),
                  text("correct its layer at ", layer.top, " m"));
    }
  }
}

std::string usual_text(const EquationFacts& equation) {
  std::string all;
  for (const double value : equation.usual) all += text('/', value);
  return all;
}

std::string columns_text(Equation equation) {
  return joined(facts_of(equation).columns, "/");
}

std::string equation_fact(Equation equation) {
  return text(equation_name(equation), ", ", facts_of(equation).formula);
}

}  // namespace minimod
