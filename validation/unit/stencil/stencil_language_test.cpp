/// Specifications beyond sums of products: lists, functions, starts, and what errors teach.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/stencil/facts.hpp"
#include "src/stencil/interpreter.hpp"
#include "src/stencil/language/linear_form.hpp"
#include "src/stencil/language/parser.hpp"
#include "src/stencil/start_file.hpp"
#include "src/stencil/start_values.hpp"
#include "validation/cases/means/hdf5_writer.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;
using namespace minimod::stencil;

namespace {

constexpr Extent3 grid{4, 3, 2};
const std::string declared_u_v = "in float u;\nout float v;\n";

Specification read(const std::string& specification, const std::filesystem::path& path = "x.stencil") {
  return parse_specification(specification, path);
}

/// The message about a text that is wrong.
std::string refusal_of(const std::string& specification) {
  const Outcome outcome = outcome_of([&] { (void)read(specification); });
  CHECK(outcome.kind == ErrorKind::data);
  return outcome.message;
}

/// Value of the output where u is `u` everywhere.
double value_of(const std::string& expression, double u) {
  const std::string start = text("from ", u);
  Interpreter interpreter(
      read("in double u " + start + ";\nout double v;\nv[i,j,k] = " + expression + " + 0 * u[i,j,k];"), grid);
  interpreter.step();
  return interpreter.value(1, {1, 1, 1});
}

Facts facts_of_value(const std::string& expression) {
  return facts_of(read(declared_u_v + "scalar s = 4;\nt = s;\nv[i,j,k] = " + expression + " + 0 * t;"));
}

}  // namespace

TEST_CASE("Each array of a list has its own start, and next takes a list", "[unit]") {
  const Specification made = read(
      "scalar top = 2 * 2;\nin float a from 0 to 1, b, c from -top to top, d;\nout float e, f;\n"
      "next a = e, b = f;\ne[i,j,k] = a[i,j,k] + c[i,j,k];\nf[i,j,k] = b[i,j,k] + d[i,j,k];");
  const double least[] = {0, -4, -4, -1}, greatest[] = {1, 4, 4, 1};
  for (int array = 0; array < 4; ++array) {
    CAPTURE(array);
    CHECK(made.arrays[array].start.least == least[array]);
    CHECK(made.arrays[array].start.greatest == greatest[array]);
  }
  CHECK(made.arrays[0].next == 4);
  CHECK(made.arrays[1].next == 5);
  CHECK(refusal_of("in float u from 0 to 1, v from 2 to 1;").starts_with("x.stencil:1:25: "));
  CHECK(refusal_of("in float u from 0 to 1 from 2 to 3;").starts_with("x.stencil:1:24: a ';' or a ','"));
  CHECK(refusal_of(declared_u_v + "next u = v,;").starts_with("x.stencil:3:12: the name of an array"));
}

TEST_CASE("Functions are computed as their names say, and cost an operation each", "[unit]") {
  CHECK(value_of("min(u[i,j,k], 2)", 3) == 2);
  CHECK(value_of("max(u[i-1,j,k], 2, -5, 7)", 3) == 7);
  CHECK(value_of("abs(u[i,j,k] - 1) - abs(0.5)", -3) == 3.5);
  CHECK(value_of("-sqrt(min(max(u[i,j,k], 0), 9)) * 2", 16) == -6);
  CHECK(value_of("abs (2)", 16) == 2);

  const Facts facts = facts_of_value("max(u[i,j,k], abs(u[i+1,j,k]), sqrt(s)) - sqrt(u[i,j,k])");
  CHECK(facts.functions == 3);
  CHECK(facts.additions == 2);
  CHECK(facts.operations() == 6);
  CHECK(facts.reach.upper.x == 1);
}

TEST_CASE("A function of a point is not linear, one of scalars is a weight", "[unit]") {
  for (const char* expression :
       {"min(u[i,j,k], 1)", "max(u[i,j,k], t)", "abs(u[i,j,k])", "sqrt(u[i,j,k])", "min(s, u[i,j,k])"}) {
    CAPTURE(expression);
    CHECK_FALSE(facts_of_value(expression).is_linear);
  }
  const auto forms = linear_forms(
      read(declared_u_v + "scalar s = 4;\nv[i,j,k] = sqrt(s) * u[i,j,k] + min(s, 3) * max(1, 2) - abs(-s);"));
  REQUIRE(forms.has_value());
  CHECK(forms->front().added() == 2);
  CHECK(forms->front().terms.size() == 2);
}

TEST_CASE("No function hides a value that is none", "[unit]") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(stencil::lesser(none, 1.0)));
  CHECK(std::isnan(stencil::lesser(1.0, none)));
  CHECK(std::isnan(stencil::greater(none, 1.0)));
  CHECK(std::isnan(stencil::greater(1.0, none)));
  CHECK(stencil::lesser(2.0F, 1.0F) == 1.0F);
  CHECK(stencil::greater(2.0F, 1.0F) == 2.0F);
}

TEST_CASE("Functions with other arguments, and others, are refused where they stand", "[unit]") {
  const std::string value = declared_u_v + "v[i,j,k] = ";
  CHECK(refusal_of(value + "min(u[i,j,k]);").starts_with("x.stencil:3:12: 'min' has 1 arguments"));
  CHECK(refusal_of(value + "sqrt(1, 2);").starts_with("x.stencil:3:12: 'sqrt' has 2 arguments"));
  CHECK(refusal_of(value + "exp(u[i,j,k]);").starts_with("x.stencil:3:12: there is no function 'exp'"));
  CHECK(refusal_of(value + "pow(u[i,j,k], 2);").find("powers are products") != std::string::npos);
  CHECK(refusal_of(value + "min();").starts_with("x.stencil:3:16: a number, a name or a '('"));
  CHECK(refusal_of(value + "min(1, 2;").starts_with("x.stencil:3:20: a ')'"));
  std::string nested = "u[i,j,k]";
  for (int i = 0; i <= limits::nesting; ++i) nested = "abs(" + nested + ")";
  CHECK(refusal_of(value + nested + ";").find("more than 32 parentheses") != std::string::npos);
}

TEST_CASE("What other languages have is named with what to write", "[unit]") {
  const std::string value = declared_u_v + "v[i,j,k] = u[i,j,k]";
  CHECK(refusal_of("// heat\n" + value + ";").starts_with("x.stencil:1:1: // begins no comment"));
  CHECK(refusal_of(value + "; // heat").starts_with("x.stencil:3:22: // begins no comment"));
  CHECK(refusal_of(value + " // heat\n;").starts_with("x.stencil:3:21: // begins no comment"));
  CHECK(refusal_of(value + "; /* heat */").starts_with("x.stencil:3:22: /* begins no comment"));
  CHECK(refusal_of(value + "^2;").find("u * u") != std::string::npos);
  CHECK(refusal_of(value + " ** 2;").starts_with("x.stencil:3:21: there is no operation **"));
}

TEST_CASE("A missing end of a statement is named on the line where it is missing", "[unit]") {
  CHECK(refusal_of("in float u\nout float v;").starts_with("x.stencil:1:11: a ';' or a ','"));
  CHECK(refusal_of(declared_u_v + "t = u[i,j,k]   # a comment; with one\n\n# another\nv[i,j,k] = t;")
            .starts_with("x.stencil:3:13: a ';' or an operation is wanted here, in 't = u[i,j,k]"));
  CHECK(refusal_of(declared_u_v + "next u = v\nv[i,j,k] = u[i,j,k];").starts_with("x.stencil:3:11: "));
  CHECK(refusal_of("in float u from file \"a#b.h5\"\nout float v;").starts_with("x.stencil:1:30: "));
}

TEST_CASE("An input starts from an expression of its place, also around the grid", "[unit]") {
  const Specification made = read(
      "scalar h = 0.5;\nin double u from h * i + 10 * j + 100 * max(k, 0) + 1000 * (ni + nj * nk);\n"
      "in float w from 1 / 3;\nout double v;\nnext u = v;\nv[i,j,k] = u[i,j,k] * w[i,j,k];");
  const auto at = [&](int array, Index3 p) { return StartValues(made, array, grid).at(p); };
  CHECK(at(0, {3, 2, 1}) == 10121.5);
  CHECK(at(0, {-1, 0, -1}) == 9999.5);
  CHECK(at(1, {0, 0, 0}) == static_cast<double>(1.0F / 3));
  CHECK(at(2, {4, 0, 0}) == 10002);
  CHECK(std::isnan(at(2, {0, 0, 0})));
  CHECK(refusal_of("in float u, w from u[i,j,k];").starts_with("x.stencil:1:20: 'u' is read at a point"));
  CHECK(refusal_of("in float u from w;").starts_with("x.stencil:1:17: 'w' is not known"));
  CHECK(refusal_of("in float u from 0 to i;").starts_with("x.stencil:1:10: the range of 'u' differs"));
  CHECK(refusal_of("out float v from i;").starts_with("x.stencil:1:11: 'v' is an output"));
  CHECK(refusal_of(declared_u_v + "v[i,j,k] = ni * u[i,j,k];").starts_with("x.stencil:3:12: 'ni' stands in"));
  CHECK(refusal_of(declared_u_v + "nk = 1;").find("a word of the language") != std::string::npos);
}

TEST_CASE("An input starts from a file beside the specification", "[unit]") {
  const TemporaryDirectory folder;
  std::vector<float> values;
  for (int i = 0; i < grid.points(); ++i) values.push_back(static_cast<float>(i));
  {
    const Hdf5Writer file((folder.path() / "start.h5").string());
    (void)file.dataset("u", {2, 3, 4}, values, H5T_IEEE_F32LE);
    (void)file.dataset("flat", {24}, values, H5T_IEEE_F32LE);
  }
  const auto starting_from = [&](const std::string& name) {
    return read("in float u from file \"" + name + "\";\nout float v;\nnext u = v;\nv[i,j,k] = 2 * u[i,j,k];",
                folder.path() / "x.stencil");
  };
  for (const char* name : {"start.h5", "start.h5:/u"}) {
    const Specification made = starting_from(name);
    CHECK(made.arrays[0].start.file->extent() == grid);
    const StartValues start(made, 0, grid), halo(made, 1, grid), finer(made, 0, {8, 3, 2});
    CHECK(start.at({3, 1, 1}) == 19);
    CHECK(start.at({-1, 1, 1}) == 16);
    CHECK(halo.at({4, 2, 2}) == 23);
    CHECK(finer.at({5, 0, 0}) == 2);
    Interpreter interpreter(made, grid);
    interpreter.step();
    CHECK(interpreter.value(0, {3, 1, 1}) == 38);
  }
  const auto failure = [&](const std::string& name) {
    return outcome_of([&] { (void)StartValues(starting_from(name), 0, grid); });
  };
  CHECK(failure("none.h5").kind == ErrorKind::missing_input);
  CHECK(failure("start.h5:/w").kind == ErrorKind::data);
  CHECK(failure("start.h5:/flat").says("1 axes"));
  CHECK(refusal_of("in float u from file start.h5;").starts_with("x.stencil:1:22: a file in double quotes"));
}
