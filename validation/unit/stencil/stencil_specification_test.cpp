/// The language of stencils: what specifications say, and what is refused.
#include <algorithm>
#include <fstream>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "src/base/files/temporary_directory.hpp"
#include "src/stencil/facts.hpp"
#include "src/stencil/language/parser.hpp"
#include "src/stencil/language/shipped.hpp"
#include "validation/unit/base/expect_error.hpp"

using namespace minimod;
using namespace minimod::stencil;

namespace {

const std::string declared = "in float u;\nout float v;\n";
const std::string copied = declared + "v[i,j,k] = u[i,j,k];\n";

std::string repeated(const std::string& part, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += part;
  return all;
}

void check_refused(const std::string& specification, const std::string& place, const std::string& says) {
  const Outcome outcome = outcome_of([&] { (void)parse_specification(specification, "x.stencil"); });
  CAPTURE(specification.substr(0, 400), outcome.message);
  CHECK(outcome.kind == ErrorKind::data);
  CHECK(outcome.message.starts_with("x.stencil:" + place + ": "));
  CHECK(outcome.says(says));
  CHECK(outcome.message.size() <= longest_message);
  CHECK(outcome.message.find('\n') == std::string::npos);
}

struct Figures {
  const char* name;
  int points, loads, stores, additions, multiplications, bytes;
};

}  // namespace

TEST_CASE("What the shipped stencils cost is what their papers count", "[unit]") {
  // Tang et al.: 6r + 1 loads and 7r + 1 operations of a star; Himeno: 34 operations, two of them for the
  // norm.
  constexpr Figures expected[] = {{"div", 6, 6, 1, 5, 3, 16},        {"grad", 6, 6, 3, 3, 3, 16},
                                  {"himeno", 19, 31, 1, 20, 12, 56}, {"hyperthermia", 7, 16, 1, 7, 8, 44},
                                  {"laplacian", 7, 7, 1, 6, 2, 8},   {"poisson", 7, 7, 1, 6, 1, 12},
                                  {"seven_point", 7, 7, 1, 6, 7, 8}, {"tang_2", 7, 7, 1, 6, 2, 8},
                                  {"tang_4", 13, 13, 1, 12, 3, 8},   {"tang_6", 19, 19, 1, 18, 4, 8},
                                  {"tang_8", 25, 25, 1, 24, 5, 8},   {"tang_10", 31, 31, 1, 30, 6, 8},
                                  {"tang_12", 37, 37, 1, 36, 7, 8},  {"upstream", 10, 10, 1, 12, 12, 8},
                                  {"zhang_7", 7, 7, 1, 6, 2, 8},     {"zhang_13", 13, 13, 1, 12, 3, 8},
                                  {"zhang_27", 27, 27, 1, 26, 4, 8}};
  const auto names = shipped_names();
  REQUIRE(names.size() == std::size(expected));
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    REQUIRE(names[i] == expected[i].name);
    const Specification specification = find_specification(names[i]);
    const Facts facts = facts_of(specification);
    CHECK(specification.name == names[i]);
    CHECK(!specification.summary.empty());
    CHECK(facts.points == expected[i].points);
    CHECK(facts.loads == expected[i].loads);
    CHECK(facts.stores == expected[i].stores);
    CHECK(facts.additions == expected[i].additions);
    CHECK(facts.multiplications == expected[i].multiplications);
    CHECK(facts.divisions == 0);
    CHECK(facts.compulsory_bytes == expected[i].bytes);
    CHECK(facts.reads_corners == (names[i] == "himeno" || names[i] == "zhang_27"));
    CHECK(results_of(specification).size() == static_cast<std::size_t>(facts.stores));
  }
}

TEST_CASE("A specification has what its text says", "[unit]") {
  const Specification made = parse_specification(
      "\xEF\xBB\xBF#  heat, after M\xC3\xBCller\r\n"
      "in double t, w from -2 to 0.5e1;\r\nin float c;\tout double t1;\r\n"
      "scalar a = 3, b = -a / (1 + 1) ; next t = t1;\r\n"
      "s=w[ i , j , k - 2 ]*-a # b\r\n;s += b / c[i+3,j,k];\nt1[i,j,k]=s-t[i,j-1,k];",
      "some/heat.stencil");
  CHECK(made.name == "heat");
  CHECK(made.summary == "heat, after M\xC3\xBCller");
  REQUIRE(made.arrays.size() == 4);
  CHECK(made.arrays[0].precision == Precision::float64);
  CHECK(made.arrays[0].next == 3);
  CHECK(made.arrays[1].start.least == -2);
  CHECK(made.arrays[1].start.greatest == 5);
  CHECK(made.arrays[2].precision == Precision::float32);
  CHECK(made.arrays[2].start.greatest == 1);
  CHECK(made.arrays[3].is_output);
  REQUIRE(made.scalars.size() == 2);
  CHECK(made.scalars[1].value == -1.5);
  CHECK(made.temporaries == std::vector<std::string>{"s"});
  REQUIRE(made.equations.size() == 3);
  CHECK(made.equations[0].value.size() == 4);
  CHECK(made.equations[0].value[0].offset == Index3{0, 0, -2});
  CHECK(results_of(made) == std::vector<int>{0});
  const Facts facts = facts_of(made);
  CHECK(facts.reach.lower == Index3{0, 1, 2});
  CHECK(facts.reach.upper == Index3{3, 0, 0});
  CHECK(!facts.reads_corners);
  CHECK(facts.arrays[2].reach.upper.x == 3);
  CHECK(facts.additions == 2);
  CHECK(facts.multiplications == 1);
  CHECK(facts.divisions == 1);
  CHECK(facts.compulsory_bytes == 28);
}

TEST_CASE("The example on the page of the language is read", "[unit]") {
  std::ifstream page(MINIMOD_SOURCE_DIR "/kernels/stencils/README.md");
  std::string example, line;
  while (std::getline(page, line) && line != "## The language") continue;
  while (std::getline(page, line) && (line.empty() || line.starts_with("    "))) {
    example += line.substr(std::min<std::size_t>(line.size(), 4)) + '\n';
  }
  const Specification wave = parse_specification(example.substr(1), "wave.stencil");
  CHECK(wave.summary.starts_with("A damped wave"));
  CHECK(results_of(wave) == std::vector<int>{0, 1});
  const Facts facts = facts_of(wave);
  CHECK(facts.loads == 9);
  CHECK(facts.compulsory_bytes == 16);
}

TEST_CASE("What depends on numbers and scalars alone costs nothing at a point", "[unit]") {
  const Facts facts = facts_of(parse_specification(
      declared + "scalar a = 2;\nt = a * 2 + 1 / 3;\nv[i,j,k] = -u[i+1,j,k] * (a - 1) + t;", "x.stencil"));
  CHECK(facts.additions == 1);
  CHECK(facts.multiplications == 1);
  CHECK(facts.divisions == 0);
}

TEST_CASE("A sign binds closer than a product, and operations of a kind go from the left", "[unit]") {
  const auto value = [](const std::string& expression) {
    return parse_specification(copied + "scalar a = " + expression + ";\nt = a; ", "x.stencil")
        .scalars[0]
        .value;
  };
  const auto scalar = [&](const std::string& expression) {
    const std::string used = declared + "scalar a = " + expression + ";\nv[i,j,k] = a * u[i,j,k];";
    return parse_specification(used, "x.stencil").scalars[0].value;
  };
  CHECK(outcome_of([&] { (void)value("1"); }).says("'t' is never used"));
  CHECK(scalar("8 - 4 - 2") == 2);
  CHECK(scalar("16 / 4 / 2 * 3") == 6);
  CHECK(scalar("2 + 3 * -4") == -10);
  CHECK(scalar("-(2 + 3) * 4") == -20);
  CHECK(scalar("2 * (3 + 4) - 1e1") == 4);
}

TEST_CASE("Statements without a meaning are refused where they stand", "[unit]") {
  check_refused("", "1:1", "there is no output");
  check_refused("out float v; v[i,j,k] = 1;", "1:27", "there is no input");
  check_refused(declared, "1:10", "'u' is never used");
  check_refused("in float u; out float v, w;\nv[i,j,k] = u[i,j,k];", "1:26", "'w' has no equation");
  check_refused(copied + "t = 4;", "4:1", "'t' is never used");
  check_refused(copied + "scalar s = 4;", "4:8", "'s' is never used");
  check_refused(declared + "v[i,j,k] = a;", "3:12", "'a' is not known here");
  check_refused(declared + "in float u;", "3:10", "'u' has its meaning from line 1");
  check_refused(declared + "t = 1;\nt = 2;", "4:1", "'t' has its meaning from line 3");
  check_refused(declared + "int = 1;", "3:1", "a word of the language or of C++");
  check_refused(declared + "i = 1;", "3:1", "a word of the language");
  check_refused("in float u, out float v;", "1:13", "end the declaration before it with ;");
  check_refused(declared + "a__b = 1;", "3:1", "is no name");
  check_refused(declared + std::string(33, 'n') + " = 1;", "3:1", "at most 32");
  check_refused(declared + "v = u[i,j,k];", "3:1", "'v' is an array");
  check_refused(declared + "v[i,j,k] = u;", "3:12", "'u' is an array");
  check_refused(declared + "u[i,j,k] = 1;", "3:1", "'u' is no output");
  check_refused(declared + "t = 1; t[i,j,k] = 1;", "3:8", "'t' is no output");
  check_refused(declared + "t = 1; s = t[i+1,j,k];", "3:12", "'t' is no array");
  check_refused(declared + "v[i+1,j,k] = u[i,j,k];", "3:1", "beside the point");
  check_refused(declared + "v[i,j,k] = u[i,j,k] + v[i-1,j,k];", "3:23",
                "'v' is an output, which is not read");
  check_refused(copied + "v[i,j,k] = u[i,j,k];", "4:1", "written twice");
  check_refused(declared + "v[i,j,k] += u[i,j,k];", "3:1", "written twice");
  check_refused(declared + "t += 1;", "3:1", "'t' is not known here");
  check_refused(declared + "scalar s = u[i,j,k];", "3:8", "differs from point to point");
  check_refused(declared + "scalar s = 1 / 0;", "3:8", "'s' is inf");
  check_refused(declared + "t = 1e999;", "3:5", "too large");
  check_refused("out float v from 0 to 1;", "1:11", "'v' is an output");
  check_refused("in float u from 2 to 1;", "1:10", "from 2 to 1");
}

TEST_CASE("Cycles are refused", "[unit]") {
  check_refused(declared + "a = b;\nb = a;\nv[i,j,k] = a * u[i,j,k];", "3:5", "'b' is not known here");
  check_refused(declared + "a = a + u[i,j,k];", "3:5", "'a' is not known here");
  check_refused(declared + "scalar a = b, b = a;", "3:12", "'b' is not known here");
  check_refused(copied + "next u = u;", "1:10", "comes from no output");
  check_refused("in float a, b;\nout float v;\nnext a = b;\nnext b = a;\nv[i,j,k] = a[i,j,k] + b[i,j,k];",
                "1:10", "comes from no output");
  check_refused(declared + "next v = u;", "3:6", "'v' is no input");
  check_refused(declared + "next u = v;\nnext u = v;", "4:6", "takes over two");
  check_refused("in float a, b;\nout float v;\nnext a = v;\nnext b = v;", "4:10", "taken over twice");
  check_refused("in float a;\nout double v;\nnext a = v;", "3:10", "differ in precision");
}

TEST_CASE("Texts of another grammar are refused with what is wanted", "[unit]") {
  check_refused("hello world", "1:7", "'=' is wanted");
  check_refused("in u;", "1:4", "'float' or 'double'");
  check_refused("in float;", "1:9", "a name is wanted");
  check_refused("in float u,;", "1:12", "a name is wanted");
  check_refused("in float u from;", "1:16", "a number, a name or a '('");
  check_refused("in float u from 1 to;", "1:21", "a number, a name or a '('");
  check_refused("next u;", "1:7", "'=' is wanted");
  check_refused("next 3 = u;", "1:6", "the name of an array");
  check_refused("3 = u;", "1:1", "a declaration or an equation");
  const std::string wanted = "a point as [i+1,j,k-2]", value = declared + "v[i,j,k] = u";
  check_refused(value + "[];", "3:14", wanted);
  check_refused(value + "[0,0,0];", "3:14", wanted);
  check_refused(value + "[j,i,k];", "3:14", wanted);
  check_refused(value + "[i j k];", "3:16", wanted);
  check_refused(value + "[i,j];", "3:17", wanted);
  check_refused(value + "[i,j,k,i];", "3:19", wanted);
  check_refused(value + "[i+1.5,j,k];", "3:17", wanted);
  check_refused(declared + "v[i,j,k] = u[i+j,j,k];", "3:16", "a whole number");
  check_refused(declared + "v[i,j,k] = u[i,j,k]", "3:20", "a ';' or an operation");
  check_refused(declared + "v[i,j,k] = u[i,j,k] 3;", "3:21", "a ';' or an operation");
  check_refused(declared + "v[i,j,k] = u[i,j,k]^2;", "3:20", "there is no operation ^, in ");
  check_refused(declared + "v[i,j,k] = (u[i,j,k];", "3:21", "a ')' or an operation");
  for (const char* operand : {"--3", "3.0f", "1.", ".5", "0x10", "* 2", "+2", "()", ";"}) {
    const std::string begin = operand[0] == '-' ? "3:13" : operand == std::string("()") ? "3:13" : "3:12";
    check_refused(declared + "v[i,j,k] = " + operand + ";", begin, "a number, a name or a '('");
  }
}

TEST_CASE("Texts in other encodings are refused", "[unit]") {
  using namespace std::string_literals;
  check_refused("\xFF\xFEi\0n\0"s, "1:1", "byte \\xff is no text");
  check_refused(copied + '\0', "4:1", "byte \\x00 is no text");
  check_refused(copied + "#\0"s, "4:2", "byte \\x00 is no text");
  check_refused(copied + "# M\xFCller", "4:4", "byte \\xfc is no text");
  check_refused(copied + "# \xC0\xAF", "4:3", "byte \\xc0 is no text");
  check_refused(declared + "\xCE\xB1 = 1;", "3:1", "byte \\xce is no text");
}

TEST_CASE("Specifications over the limits are refused, at them they are read", "[unit]") {
  const auto is_read = [](const std::string& specification) {
    const Outcome outcome = outcome_of([&] { (void)parse_specification(specification, "x.stencil"); });
    CAPTURE(outcome.message);
    CHECK(outcome.kind == ErrorKind::none);
  };
  const auto nested = [](int depth) {
    return declared + "v[i,j,k] = " + std::string(depth, '(') + "u[i,j,k]" + std::string(depth, ')') + ";";
  };
  is_read(nested(limits::nesting));
  check_refused(nested(limits::nesting + 1), "3:44", "more than 32 parentheses");
  check_refused(nested(30'000), "3:44", "more than 32 parentheses");

  const int operands = limits::operands;
  is_read(declared + "v[i,j,k] = 1" + repeated("+u[i,j,k]", operands - 1) + ";");
  check_refused(declared + "v[i,j,k] = 1" + repeated("+u[i,j,k]", operands) + ";", "3:9221",
                "more than 1024 operands");
  check_refused(declared + "v[i,j,k] = 1" + repeated("\n+u[i,j,k]", operands) + ";", "1027:2",
                "more than 1024 operands");
  check_refused(declared + "s = 1;\n" + repeated("s += 1;\n", operands), "1027:6", "more than 1024 operands");

  is_read(declared + "v[i,j,k] = u[i-16,j+16,k];");
  check_refused(declared + "v[i,j,k] = u[i,j+17,k];", "3:18", "offset 17 is too far");
  check_refused(declared + "v[i,j,k] = u[i,j,k-1000000000];", "3:20", "offset 1000000000 is too far");
  check_refused(declared + "v[i,j,k] = u[i,j,k-" + std::string(5000, '9') + "];", "3:20", "is too far");

  std::string arrays = declared;
  for (std::size_t i = 2; i < limits::arrays; ++i) arrays += text("in float a", i, ";\n");
  check_refused(arrays, "1:10", "'u' is never used");
  check_refused(arrays + "out float w;", "33:11", "more than 32 arrays");
  std::string temporaries = declared, scalars = declared;
  for (std::size_t i = 0; i <= limits::temporaries; ++i) temporaries += text("t", i, " = 1;\n");
  for (std::size_t i = 0; i <= limits::scalars; ++i) scalars += text("scalar s", i, " = 1;\n");
  check_refused(temporaries, "67:1", "more than 64 temporaries");
  check_refused(scalars, "67:8", "more than 64 scalars");
}

TEST_CASE("Files that are no specification are refused", "[unit]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "x.stencil";
  const auto write = [&](const std::string& content) { std::ofstream(file) << content; };
  const auto outcome = [&] { return outcome_of([&] { (void)read_specification(file); }); };
  CHECK(outcome().kind == ErrorKind::missing_input);
  write(std::string(limits::file_bytes + 1, '#'));
  CHECK(outcome().says("has 65537 bytes, a stencil at most 65536"));
  write(copied + "#" + std::string(limits::file_bytes - copied.size() - 1, ' '));
  CHECK(outcome().kind == ErrorKind::none);
  CHECK(outcome_of([&] { (void)find_specification("himno"); }).says("did you mean himeno"));
  CHECK(outcome_of([&] { (void)find_specification(folder.path()); }).says("is a directory"));
}

TEST_CASE("A specification with bytes changed or cut off is read or refused", "[unit]") {
  std::ifstream stream(MINIMOD_SOURCE_DIR "/kernels/stencils/himeno.stencil");
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  REQUIRE(!whole.empty());
  std::mt19937 random(22);
  for (int i = 0; i < 2000; ++i) {
    std::string changed = whole;
    changed[random() % whole.size()] = static_cast<char>(random());
    if (i % 4 == 0) changed.resize(random() % whole.size());
    const Outcome outcome = outcome_of([&] { (void)facts_of(parse_specification(changed, "x.stencil")); });
    if (outcome.kind == ErrorKind::none) continue;
    CAPTURE(outcome.message);
    CHECK(outcome.kind == ErrorKind::data);
    CHECK(outcome.message.size() <= longest_message);
  }
}
