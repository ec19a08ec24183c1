/// What a kernel of a stencil computes, played on the host, when one of its barriers is missing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels/compiled/code_cache.hpp"
#include "kernels/compiled/host_compiler.hpp"
#include "src/stencil/array_set.hpp"
#include "src/stencil/interpreter.hpp"
#include "src/stencil/kernel_source.hpp"

namespace minimod::stencil {

/// One step by the kernel from whose header the `barrier`-th barrier is taken, beside a right one.
class StepWithoutBarrier {
 public:
  StepWithoutBarrier(const Specification& specification, const KernelName& kernel, const std::string& header,
                     int barrier, Extent3 n)
      : arrays_(specification, n, nullptr), right_(specification, n) {
    const std::vector<KernelName> kernels{kernel};
    ShapeSource source = host_source(specification, kernels);
    std::string faulty(source.headers.at(header));
    const std::string call = "block.sync();";
    auto at = faulty.find(call);
    for (int k = 0; k < barrier; ++k) at = faulty.find(call, at + 1);
    REQUIRE(at != std::string::npos);
    faulty.replace(at, call.size(), ";");
    source.headers.at(header) = faulty;
    const auto run = reinterpret_cast<void (*)(const ArrayArgs&)>(
        compile_functions_for_host(source, {stencil_function(0)}, host_compiler(), CodeCache("")).front());
    run(arrays_.args());
    arrays_.hand_on();
    right_.step();
    bytes_ = arrays_.bytes_of(0);
  }

  [[nodiscard]] double value(Index3 p) const { return arrays_.value(bytes_, 0, p); }
  [[nodiscard]] double right_value(Index3 p) const { return right_.value(0, p); }

 private:
  ArraySet arrays_;
  Interpreter right_;
  std::vector<std::byte> bytes_;
};

}  // namespace minimod::stencil
