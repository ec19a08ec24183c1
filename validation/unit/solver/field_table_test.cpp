/// Memory, state, halos and what launches exchange follow from the table, whatever the equation names.
#include "src/solver/fields/field_table.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "src/ranks/slab.hpp"
#include "src/ranks/state_map.hpp"
#include "src/solver/fields/fields.hpp"
#include "src/solver/schedule.hpp"
#include "validation/cases/means/float64_run.hpp"

using namespace minimod;

namespace {

using Names = std::vector<std::string>;

constexpr Extent3 n{24, 20, 40};
constexpr Point3 spacing{10, 10, 10};
const EquationArrays two_wavefields{{"p", "q"}, {"v2dt2", "epsilon", "delta"}};

Names names_of(const std::vector<Field>& fields) {
  Names names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

Names names_of(const std::vector<FieldPart>& parts) {
  Names names;
  for (const FieldPart& part : parts) names.push_back(part.name);
  return names;
}

StepProblem domain_with(BoundaryKind kind) {
  const BoundarySpec boundary = make_boundary_spec(kind, 5, false, 3000, 10);
  return {make_grid(n, spacing, boundary), boundary};
}

FieldTable table_of(const StepProblem& problem, const EquationArrays& arrays = two_wavefields) {
  return make_field_table(arrays, problem.grid, problem.boundary, problem.launches());
}

Fields fields_of(Backend& backend, const StepProblem& problem, const FieldTable& table) {
  return {backend, problem.grid, make_boundary(problem.boundary, problem.grid.n, spacing, 1e-3), table};
}

void fill(Backend& backend, RealsAt field, std::size_t size, float value) {
  const std::vector<float> values(size, value);
  backend.upload(field.data, values.data(), size * sizeof(float));
}

float first_of(Backend& backend, RealsAt field) {
  float value = 0;
  backend.download(&value, field.data, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("The wave equation's table has the arrays that checkpoints name", "[unit]") {
  const auto state = [](BoundaryKind kind, bool ahead) {
    FieldTable table = table_of(domain_with(kind), arrays_of(Equation::wave));
    table.add(FieldRole::second);
    table.add(FieldRole::codes);
    return names_of(table.state(ahead));
  };
  CHECK(state(BoundaryKind::pml, false) == Names{"u", "u_before", "phi"});
  CHECK(state(BoundaryKind::pml, true) == Names{"u", "u_before", "phi", "u_ahead"});
  CHECK(state(BoundaryKind::cpml, false) == Names{"u", "u_before", "psi", "zeta"});
  CHECK(state(BoundaryKind::sponge, false) == Names{"u", "u_before"});
}

TEST_CASE("Two wavefields and three media take the memory that their table says", "[unit]") {
  const auto host = make_host_backend();
  const StepProblem problem = domain_with(BoundaryKind::pml);
  FieldTable table = table_of(problem);
  const auto granted = [&] {
    std::size_t bytes = 0;
    for (const Field& field : table.fields) bytes += host->granted_bytes(field.bytes());
    return bytes;
  };
  const std::size_t field = host->granted_bytes(problem.grid.layout.size * sizeof(float));
  const std::size_t phi = host->granted_bytes(phi_size(problem.grid, problem.regions()) * sizeof(float));
  const std::size_t profile = host->granted_bytes(1);
  CHECK(granted() == 7 * field + 2 * phi + 3 * profile);
  Fields fields = fields_of(*host, problem, table);
  CHECK(host->allocated_bytes() == granted());
  const std::size_t before = granted();
  for (const FieldRole role : {FieldRole::next, FieldRole::second, FieldRole::auxiliary_next,
                               FieldRole::codes, FieldRole::eta, FieldRole::next}) {
    table.add(role);
  }
  const std::size_t codes = host->granted_bytes(problem.grid.layout.size * sizeof(std::uint16_t));
  CHECK(granted() == before + 5 * field + 2 * phi + codes);
  fields.change_to(problem.grid, table);
  CHECK(host->allocated_bytes() == granted());
  fields.change_to(problem.grid, table_of(problem));
  CHECK(host->allocated_bytes() == before);
}

TEST_CASE("The state of two wavefields is both, at both steps, and their layers' memory", "[unit]") {
  const auto host = make_host_backend();
  const auto [kind, expected] =
      GENERATE(std::pair(BoundaryKind::pml, Names{"p", "q", "p_before", "q_before", "phi", "phi_q"}),
               std::pair(BoundaryKind::cpml,
                         Names{"p", "q", "p_before", "q_before", "psi", "zeta", "psi_q", "zeta_q"}));
  const StepProblem problem = domain_with(kind);
  FieldTable table = table_of(problem);
  table.add(FieldRole::second);
  CHECK(names_of(table.state(false)) == expected);
  const Fields fields = fields_of(*host, problem, table);
  CHECK(names_of(fields.state(false)) == expected);
  Names with_step_ahead = expected;
  with_step_ahead.insert(with_step_ahead.end(), {"p_ahead", "q_ahead"});
  CHECK(names_of(fields.state(true)) == with_step_ahead);
  CHECK(fields.observed().values.data == fields.at("p").data);
}

TEST_CASE("Wavefields change places in pairs, and come to rest together", "[unit]") {
  const auto host = make_host_backend();
  const StepProblem problem = domain_with(BoundaryKind::pml);
  Fields fields = fields_of(*host, problem, table_of(problem));
  const std::size_t size = problem.grid.layout.size;
  fill(*host, fields.at("q"), size, 2);
  fill(*host, fields.at("q_before"), size, 3);
  fields.swap(FieldRole::state, FieldRole::before);
  CHECK(first_of(*host, fields.at(FieldRole::state, 1)) == 3);
  CHECK(first_of(*host, fields.at(FieldRole::before, 1)) == 2);
  CHECK(first_of(*host, fields.at(FieldRole::state, 0)) == 0);
  CHECK(fields.all(FieldRole::medium).size() == 3);
  CHECK(fields.at(FieldRole::medium, 3).data == nullptr);
  fields.set_at_rest();
  CHECK(first_of(*host, fields.at("q")) == 0);
  CHECK(first_of(*host, fields.at("q_before")) == 0);
}

TEST_CASE("Slabs exchange the planes of both wavefields, and ghosts of their layers", "[unit]") {
  const auto host = make_host_backend();
  const int ghosts = GENERATE(0, 4);
  const StepProblem domain = domain_with(BoundaryKind::pml);
  const Boundary boundary = make_boundary(domain.boundary, n, spacing, 1e-3);
  const StepProblem upper = problem_of({0, 20}, domain, boundary).with_ghosts(ghosts),
                    lower = problem_of({20, 40}, domain, boundary).with_ghosts(ghosts);
  const Fields above = fields_of(*host, upper, table_of(upper)),
               below = fields_of(*host, lower, table_of(lower));
  const auto planes = [&](FieldRole role) {
    const auto given = above.shared(role, Fields::Side::below),
               taken = below.shared(role, Fields::Side::above);
    REQUIRE(given.size() == taken.size());
    Names names;
    for (std::size_t i = 0; i < given.size(); ++i) {
      CHECK(given[i].edge.size == taken[i].halo.size);
      CHECK(given[i].halo.size == taken[i].edge.size);
      CHECK(given[i].edge.name == taken[i].halo.name);
      names.push_back(given[i].edge.name);
    }
    return names;
  };
  CHECK(planes(FieldRole::state) == Names{"p", "q"});
  CHECK(planes(FieldRole::before) == Names{"p_before", "q_before"});
  const std::size_t wanted = (4 + ghosts) * domain.grid.layout.stride_z;
  CHECK(above.shared(FieldRole::state, Fields::Side::below)[1].edge.size == wanted);
  // φ lies beside the inner box at four faces, and the slab across z does not go on.
  const Names layers = planes(FieldRole::auxiliary);
  CHECK(layers ==
        (ghosts == 0 ? Names{} : Names{"phi", "phi", "phi", "phi", "phi_q", "phi_q", "phi_q", "phi_q"}));
}

TEST_CASE("Slabs make up the state of a domain with two wavefields, each value once", "[unit]") {
  const auto kind = GENERATE(BoundaryKind::pml, BoundaryKind::cpml);
  const int ghosts = kind == BoundaryKind::pml ? GENERATE(0, 4) : 0;
  const StepProblem domain = domain_with(kind);
  const Boundary boundary = make_boundary(domain.boundary, n, spacing, 1e-3);
  std::vector<SlabFields> slabs;
  for (const Slab& slab : {Slab{0, 13}, {13, 27}, {27, 40}}) {
    const StepProblem problem = problem_of(slab, domain, boundary).with_ghosts(ghosts);
    slabs.push_back({problem.grid, table_of(problem)});
  }
  const FieldTable table = table_of(domain);
  const std::vector<StatePart> parts = state_of_domain(table, slabs);
  REQUIRE(parts.size() == table.state(false).size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CAPTURE(parts[i].name, ghosts);
    CHECK(parts[i].name == table.state(false)[i].name);
    std::vector<int> found(parts[i].size);
    for (const StateRun& run : parts[i].runs) {
      REQUIRE(run.in_domain + run.count <= found.size());
      CHECK(run.here + run.count <= slabs[run.rank].table.find(parts[i].name)->size);
      for (std::size_t at = run.in_domain; at < run.in_domain + run.count; ++at) ++found[at];
    }
    CHECK(std::ranges::all_of(found, [](int times) { return times == 1; }));
  }
}
