#include "src/stencil/verification.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <mutex>

#include <Kokkos_Core.hpp>

#include "src/base/error.hpp"
#include "src/stencil/interpreter.hpp"

namespace minimod::stencil {
namespace {

/// Of a GPU one uses its memory and its clock at a time.
std::mutex gpu_turn;

template <class Body>
void for_each_point_of(Extent3 n, const Body& body) {
  for (int z = 0; z < n.z; ++z) {
    for (int y = 0; y < n.y; ++y) {
      for (int x = 0; x < n.x; ++x) body(Index3{x, y, z});
    }
  }
}

/// Relative to what is right; infinite where there is no number.
double error_of(const ArraySet& arrays, const Interpreter& right, int array, Extent3 n) {
  const auto bytes = arrays.bytes_of(array);
  double difference = 0, norm = 0;
  for_each_point_of(n, [&](Index3 point) {
    const double expected = right.value(array, point);
    const double off = arrays.value(bytes, array, point) - expected;
    difference += off * off;
    norm += expected * expected;
  });
  const double error = std::sqrt(difference / norm);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

/// Sets the points of the grid to nothing, so that what is around them is left.
std::vector<std::byte> surroundings_of(const ArraySet& arrays, const Specification& specification, int array,
                                       Extent3 n) {
  std::vector<std::byte> bytes = arrays.bytes_of(array);
  const std::size_t size = bytes_of(specification.arrays[array].precision);
  for_each_point_of(n, [&](Index3 point) {
    const auto index = static_cast<std::size_t>(arrays.layout().index(point.x, point.y, point.z));
    std::memset(bytes.data() + index * size, 0, size);
  });
  return bytes;
}

/// Of all arrays.
std::vector<std::vector<std::byte>> all_surroundings(const ArraySet& arrays,
                                                     const Specification& specification, Extent3 n) {
  std::vector<std::vector<std::byte>> all;
  all.reserve(specification.arrays.size());
  for (int array = 0; array < static_cast<int>(specification.arrays.size()); ++array) {
    all.push_back(surroundings_of(arrays, specification, array, n));
  }
  return all;
}

}  // namespace

Expectation::Expectation(const Specification& specification, const Problem& problem)
    : problem_(problem), right_(specification, problem.n) {
  for (int step = 0; step < problem.steps; ++step) right_.step();
}

Verdict Expectation::verdict_of(const KernelName& name, Backend* gpu) const {
  const Specification& specification = right_.specification();
  return verdict_of(name, compile_kernels(specification, {&name, 1}, problem_.n, gpu).front(), gpu);
}

Verdict Expectation::verdict_of(const KernelName& name, const Kernel& kernel, Backend* gpu) const {
  const Specification& specification = right_.specification();
  Verdict verdict{name, "", false, 0, tolerance_of(specification)};
  std::unique_lock lock(gpu_turn, std::defer_lock);
  if (gpu != nullptr) lock.lock();
  ArraySet arrays(specification, problem_.n, gpu);
  const auto before = all_surroundings(arrays, specification, problem_.n);
  for (int step = 0; step < problem_.steps; ++step) {
    kernel.run(arrays.args());
    arrays.hand_on();
  }
  for (const int array : results_of(specification)) {
    verdict.error = std::max(verdict.error, error_of(arrays, right_, array, problem_.n));
  }
  if (all_surroundings(arrays, specification, problem_.n) != before) {
    verdict.why_not = "it wrote outside the grid";
  }
  return verdict;
}

double tolerance_of(const Specification& specification) {
  const bool has_float = std::ranges::find(specification.arrays, Precision::float32, &Array::precision) !=
                         specification.arrays.end();
  return has_float ? 1e-6 : 1e-14;
}

std::vector<Verdict> verify(const Specification& specification, const std::vector<KernelName>& names,
                            const Problem& problem, Backend* gpu) {
  std::vector<Verdict> verdicts;
  std::vector<KernelName> possible;
  for (const KernelName& name : names) {
    const std::string why = why_not(name, specification);
    verdicts.push_back({name, why, !why.empty(), 0, tolerance_of(specification)});
    if (why.empty()) possible.push_back(name);
  }
  if (possible.empty()) return verdicts;
  const Expectation expected(specification, problem);
  const std::vector<Kernel> kernels = compile_kernels(specification, possible, problem.n, gpu);
  std::size_t next = 0;
  for (Verdict& verdict : verdicts) {
    if (verdict.is_left_out) continue;
    verdict = expected.verdict_of(verdict.kernel, kernels[next++], gpu);
  }
  return verdicts;
}

void verify_all(const std::vector<Specification>& specifications, const std::vector<KernelName>& names,
                const Problem& problem, Backend* gpu,
                const std::function<void(std::size_t, const std::vector<Verdict>&)>& tell) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using OneByOne = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  const auto count = static_cast<std::int64_t>(specifications.size());
  std::mutex mutex;
  std::exception_ptr failure;
  std::map<std::size_t, std::vector<Verdict>> done;
  std::size_t next = 0;
  Kokkos::parallel_for("minimod::verify_stencils", OneByOne(0, count, Kokkos::ChunkSize(1)),
                       [&](std::int64_t k) {
                         const auto i = static_cast<std::size_t>(k);
                         std::vector<Verdict> verdicts;
                         std::exception_ptr thrown;
                         try {
                           verdicts = verify(specifications[i], names, problem, gpu);
                         } catch (...) {
                           thrown = std::current_exception();
                         }
                         const std::scoped_lock lock(mutex);
                         if (thrown != nullptr) failure = thrown;
                         done.emplace(i, std::move(verdicts));
                         for (; done.contains(next) && failure == nullptr; ++next) tell(next, done[next]);
                       });
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace minimod::stencil
