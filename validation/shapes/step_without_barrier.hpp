/// A step by a kernel of a stencil whose source was edited, emulated on the host.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "kernels/compiled/code_cache.hpp"
#include "kernels/compiled/host_compiler.hpp"
#include "src/stencil/array_set.hpp"
#include "src/stencil/interpreter.hpp"
#include "src/stencil/kernel_source.hpp"

namespace minimod::stencil {

/// One step by a kernel whose source is edited before it is compiled, beside a right one.
class EditedStep {
 public:
  /// `edit`: of the text that the program writes, and of the header.
  EditedStep(const Specification& specification, const KernelName& kernel, const std::string& header,
             const std::function<void(std::string& text, std::string& header)>& edit, Extent3 n)
      : arrays_(specification, n, nullptr), right_(specification, n) {
    const std::vector<KernelName> kernels{kernel};
    ShapeSource source = host_source(specification, kernels);
    std::string edited(source.headers.at(header));
    edit(source.text, edited);
    source.headers.at(header) = edited;
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

/// The same with the `barrier`-th barrier of the header taken out.
class StepWithoutBarrier : public EditedStep {
 public:
  StepWithoutBarrier(const Specification& specification, const KernelName& kernel, const std::string& header,
                     int barrier, Extent3 n)
      : EditedStep(
            specification, kernel, header,
            [barrier](std::string&, std::string& text) {
              const std::string call = "block.sync();";
              auto at = text.find(call);
              for (int k = 0; k < barrier; ++k) at = text.find(call, at + 1);
              REQUIRE(at != std::string::npos);
              text.replace(at, call.size(), ";");
            },
            n) {}
};

}  // namespace minimod::stencil
