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

void run_kernel(const Kernel& kernel, const Specification& specification, const Interpreter& right,
                const Problem& problem, Backend* gpu, Verdict& verdict) {
  ArraySet arrays(specification, problem.n, gpu);
  const auto surroundings = [&] {
    std::vector<std::vector<std::byte>> all;
    all.reserve(specification.arrays.size());
    for (int array = 0; array < static_cast<int>(specification.arrays.size()); ++array) {
      all.push_back(surroundings_of(arrays, specification, array, problem.n));
    }
    return all;
  };
  const auto before = surroundings();
  for (int step = 0; step < problem.steps; ++step) {
    kernel.run(arrays.args());
    arrays.hand_on();
  }
  for (const int array : results_of(specification)) {
    verdict.error = std::max(verdict.error, error_of(arrays, right, array, problem.n));
  }
  if (surroundings() != before) verdict.why_not = "it wrote outside the grid";
}

/// Compiles those that are not left out.
void verify_named(const Specification& specification, std::vector<Verdict>& verdicts, const Problem& problem,
                  Backend* gpu) {
  Interpreter right(specification, problem.n);
  for (int step = 0; step < problem.steps; ++step) right.step();
  std::vector<KernelName> names;
  std::vector<Verdict*> theirs;
  for (Verdict& verdict : verdicts) {
    if (verdict.is_left_out) continue;
    names.push_back(verdict.kernel);
    theirs.push_back(&verdict);
  }
  if (names.empty()) return;
  const std::vector<Kernel> kernels = compile_kernels(specification, names, problem.n, gpu);
  std::unique_lock lock(gpu_turn, std::defer_lock);
  if (gpu != nullptr) lock.lock();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    run_kernel(kernels[i], specification, right, problem, gpu, *theirs[i]);
  }
}

}  // namespace

double tolerance_of(const Specification& specification) {
  const bool has_float = std::ranges::find(specification.arrays, Precision::float32, &Array::precision) !=
                         specification.arrays.end();
  return has_float ? 1e-6 : 1e-14;
}

std::vector<Verdict> verify(const Specification& specification, const std::vector<KernelName>& names,
                            const Problem& problem, Backend* gpu) {
  std::vector<Verdict> verdicts;
  for (const KernelName& name : names) {
    const std::string why = why_not(name, specification);
    verdicts.push_back({name, why, !why.empty(), 0, tolerance_of(specification)});
  }
  verify_named(specification, verdicts, problem, gpu);
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
