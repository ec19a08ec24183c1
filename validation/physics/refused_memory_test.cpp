/// A change of kernels that the device's memory refuses, and what it leaves.
#include <catch2/catch_test_macros.hpp>

#include "src/base/error.hpp"
#include "validation/physics/rationed_backend.hpp"
#include "validation/physics/schedule_run.hpp"

using namespace minimod;

namespace {

const ScheduleCase rationed{{40, 35, 31}, 6, {20, 16, 15}};
const Box3 every_point{{0, 0, 0}, {rationed.n.x, rationed.n.y, rationed.n.z}};

/// Launches with η as a field, captured in graphs, and pairs of steps, whose fields are others and lie
/// otherwise.
KernelSet with_eta() {
  return {&find_shape("smem_eta_3_8x8x8"), &find_shape("smem_eta_3_8x8x8"), &beside()};
}
KernelSet in_pairs() {
  return {&find_shape("reference"), &find_shape("reference"), &whole()};
}

Propagator make_rationed(Backend& backend, const KernelSet& kernels) {
  Propagator propagator = make_propagator(backend, rationed, kernels);
  propagator.set_random_field(5);
  for (int n = 0; n < 2; ++n) propagator.step();  // both graphs are there
  return propagator;
}

std::vector<void*> addresses(const Propagator& propagator) {
  std::vector<void*> found;
  for (const char* name : {"u", "u_before", "v2dt2", "phi", "v2dt2_eta", "eta_x"})
    found.push_back(propagator.fields().at(name).data);
  return found;
}

}  // namespace

TEST_CASE("A change of kernels that the memory refuses leaves fields, places and graphs", "[physics]") {
  RationedBackend backend;
  Propagator undisturbed = make_rationed(backend, with_eta()),
             propagator = make_rationed(backend, with_eta());
  const std::size_t field = backend.granted_bytes(propagator.fields().grid().layout.size * sizeof(float));
  const auto before = addresses(propagator);
  REQUIRE(before[4] != nullptr);
  const std::size_t bytes = backend.allocated_bytes();
  const int captures = backend.captures();
  const std::size_t huge = 100 * field;
  for (const auto& [left, said] : {std::pair(field / 4, field / 4),
                                   {3 * field / 2, 3 * field / 2},
                                   {5 * field / 2, huge},
                                   {std::size_t{0}, huge}}) {
    backend.leave(left, said);
    CHECK_THROWS_AS(propagator.set_kernels(in_pairs()), Error);
    CHECK(addresses(propagator) == before);
    CHECK(backend.allocated_bytes() == bytes);
    for (Propagator* p : {&undisturbed, &propagator}) {
      for (int n = 0; n < 2; ++n) p->step();
    }
    CHECK(backend.captures() == captures);
    CHECK(same_bits(propagator.wavefield(every_point), undisturbed.wavefield(every_point)));
  }
}

TEST_CASE("Kernels whose fields fit in the place of the present ones alone take it", "[physics]") {
  RationedBackend backend;
  Propagator undisturbed = make_rationed(backend, with_eta()),
             propagator = make_rationed(backend, with_eta());
  backend.leave(std::size_t{1} << 40U);
  const std::size_t bytes = backend.allocated_bytes();
  undisturbed.set_kernels(in_pairs());
  const std::size_t more = backend.allocated_bytes() - bytes;
  backend.leave(more + backend.granted_bytes(1));
  propagator.set_kernels(in_pairs());
  for (Propagator* p : {&undisturbed, &propagator}) {
    for (int n = 0; n < 4; ++n) p->step();
  }
  CHECK(same_bits(propagator.wavefield(every_point), undisturbed.wavefield(every_point)));
}

TEST_CASE("Fields that a device gave up and then refuses to hold end the simulation", "[physics]") {
  RationedBackend backend;
  Propagator propagator = make_rationed(backend, with_eta());
  const std::size_t field = backend.granted_bytes(propagator.fields().grid().layout.size * sizeof(float));
  backend.leave(0, 3 * field);
  CHECK_THROWS_AS(propagator.set_kernels(in_pairs()), Error);
  CHECK(propagator.fields().are_lost());
  CHECK_THROWS_AS(propagator.step(), Error);
  CHECK_THROWS_AS(propagator.record(), Error);
  CHECK_THROWS_AS(propagator.set_kernels(with_eta()), Error);
}
