#include "src/measure/stencils/stencil_verification.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "src/base/error.hpp"
#include "src/base/files/checksum.hpp"
#include "src/base/process/on_all_cores.hpp"
#include "src/measure/field_comparison.hpp"
#include "src/stencil/interpreter.hpp"

namespace minimod::stencil {
namespace {

/// Turn on a GPU: one thread at a time uses its memory and its clock.
std::mutex gpu_turn;

double error_of(const StencilPart& part, const Interpreter& right, int array) {
  const auto bytes = part.arrays().bytes_of(array);
  FieldDifference here;
  for_each_point(part.extent(), [&](Index3 point) {
    here.add(part.arrays().value(bytes, array, point),
             right.value(array, {point.x, point.y, point.z + part.slab().begin}));
  });
  return relative_to_all(here, part.cut());
}

/// Behind that of other values.
std::uint32_t checksum_of(const StencilPart& part, const Specification& specification, int array,
                          std::uint32_t checksum) {
  const DomainCut& cut = part.cut();
  const std::size_t size = bytes_of(specification.arrays[array].precision);
  const auto bytes = part.arrays().bytes_of(array);
  const Extent3 n = part.extent();
  for (int rank = 0; rank < cut.count(); ++rank) {
    for (int row = 0; rank == cut.number() && row < n.y * n.z; ++row) {
      const auto first = static_cast<std::size_t>(part.arrays().layout().index(0, row % n.y, row / n.y));
      checksum = crc32({bytes.data() + first * size, n.x * size}, checksum);
    }
    checksum = cut.from(rank, std::vector{checksum}).front();
  }
  return checksum;
}

/// Error 65 where the equations themselves come to none: no kernel can agree with them.
void require_numbers(const Interpreter& right, const Problem& problem) {
  const Specification& specification = right.specification();
  for (const int array : results_of(specification)) {
    for_each_point(problem.n, [&](Index3 point) {
      if (std::isfinite(right.value(array, point))) return;
      throw Error(ErrorKind::data,
                  text("the equations of ", escaped(specification.name, 40), " give no number for '",
                       specification.arrays[array].name, "' at i, j, k = ", point.x, ", ", point.y, ", ",
                       point.z, " within ", problem.steps, " steps"),
                  "start from others, as in 'in float u from 0 to 1;'");
    });
  }
}

/// Bytes of all arrays around the points of the grid. The points themselves, and planes that neighbours have,
/// are set to nothing.
std::vector<std::vector<std::byte>> surroundings_of(const StencilPart& part,
                                                    const Specification& specification, Extent3 n) {
  const ArraySet& arrays = part.arrays();
  std::vector<std::vector<std::byte>> all;
  for (int array = 0; array < static_cast<int>(specification.arrays.size()); ++array) {
    std::vector<std::byte>& bytes = all.emplace_back(arrays.bytes_of(array));
    const std::size_t size = bytes_of(specification.arrays[array].precision);
    for_each_point(part.extent(), [&](Index3 point) {
      const auto index = static_cast<std::size_t>(arrays.layout().index(point.x, point.y, point.z));
      std::memset(bytes.data() + index * size, 0, size);
    });
    const auto above = arrays.reach().lower.z * arrays.plane_bytes(array),
               below = arrays.reach().upper.z * arrays.plane_bytes(array);
    if (part.slab().begin > 0) std::fill_n(bytes.begin(), above, std::byte{});
    if (part.slab().end < n.z) std::fill_n(bytes.rbegin(), below, std::byte{});
  }
  return all;
}

}  // namespace

void compile_ahead(const std::vector<Specification>& specifications, const std::vector<KernelName>& names,
                   Extent3 n, Backend* gpu) {
  on_all_cores("minimod::compile_stencils", specifications.size() * names.size(), [&](std::size_t i) {
    const Specification& specification = specifications[i / names.size()];
    const KernelName& name = names[i % names.size()];
    if (!why_not(name, specification).empty()) return;
    try {
      static_cast<void>(compile_kernels(specification, {&name, 1}, n, gpu));
    } catch (const Error&) {
      return;
    }
  });
}

Expectation::Expectation(Specification specification, const Problem& problem, const DomainCut& cut)
    : specification_(std::move(specification)), problem_(problem), cut_(cut) {}

const Interpreter& Expectation::right(Sweep sweep) {
  const auto [its, is_new] = right_.try_emplace(sweep, specification_, problem_.n);
  for (int step = 0; is_new && step < problem_.steps; ++step) its->second.step(sweep);
  if (is_new) require_numbers(its->second, problem_);
  return its->second;
}

Verdict Expectation::verdict_of(const KernelName& name, Backend* gpu) {
  return verdict_of(name, compile_together(specification_, {&name, 1}, problem_.n, cut_, gpu).front(), gpu);
}

Verdict Expectation::verdict_of(const KernelName& name, const Kernel& kernel, Backend* gpu) {
  const Interpreter& right_field = right(name.family->sweep());
  Verdict verdict{.tolerance = has_arrays_in(specification_, Precision::float32) ? 1e-6 : 1e-14};
  std::unique_lock lock(gpu_turn, std::defer_lock);
  if (gpu != nullptr) lock.lock();
  StencilPart part(specification_, problem_.n, cut_, gpu);
  const auto before = surroundings_of(part, specification_, problem_.n);
  for (int step = 0; step < problem_.steps; ++step) part.step(kernel);
  for (const int array : results_of(specification_)) {
    verdict.error = std::max(verdict.error, error_of(part, right_field, array));
    verdict.checksum = checksum_of(part, specification_, array, verdict.checksum);
  }
  const bool is_whole = surroundings_of(part, specification_, problem_.n) == before;
  if (std::ranges::count(cut_.gather(is_whole ? 1 : 0), 0) > 0) verdict.fault = "it wrote outside the grid";
  verdict.is_right = verdict.fault.empty() && verdict.error <= verdict.tolerance;
  return verdict;
}

std::vector<Verdict> verify(const Specification& specification, const std::vector<KernelName>& names,
                            const Problem& problem, Backend* gpu, const DomainCut& cut) {
  std::vector<Verdict> verdicts;
  std::vector<KernelName> possible;
  for (const KernelName& name : names) {
    std::string why = why_not(name, specification);
    if (why.empty()) why = why_not_cut(name, cut);
    if (why.empty()) possible.push_back(name);
    verdicts.push_back({.why_not = why});
  }
  if (possible.empty()) return verdicts;
  Expectation expected(specification, problem, cut);
  const std::vector<Kernel> kernels = compile_together(specification, possible, problem.n, cut, gpu);
  std::size_t next = 0;
  for (Verdict& verdict : verdicts) {
    if (verdict.is_left_out()) continue;
    verdict = expected.verdict_of(possible[next], kernels[next], gpu);
    ++next;
  }
  return verdicts;
}

void verify_all(const std::vector<Specification>& specifications, const std::vector<KernelName>& names,
                const Problem& problem, Backend* gpu,
                const std::function<void(std::size_t, const std::vector<Verdict>&)>& tell) {
  if (gpu != nullptr) compile_ahead(specifications, names, problem.n, gpu);
  std::mutex mutex;
  std::map<std::size_t, std::vector<Verdict>> done;
  std::size_t next = 0;
  on_all_cores("minimod::verify_stencils", specifications.size(), [&](std::size_t i) {
    std::vector<Verdict> verdicts = verify(specifications[i], names, problem, gpu);
    const std::scoped_lock lock(mutex);
    done.emplace(i, std::move(verdicts));
    for (; done.contains(next); ++next) tell(next, done[next]);
  });
}

}  // namespace minimod::stencil
