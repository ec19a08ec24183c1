/// GPUs that code is compiled for, whether or not there is one.
#pragma once

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "kernels/compiled/gpu_compiler.hpp"

namespace minimod {

class GpuTarget {
 public:
  static GpuTarget h100() { return {GpuCompiler::nvrtc(), "sm_90"}; }
  static GpuTarget mi200() { return {GpuCompiler::hiprtc(), "gfx90a"}; }

  void skip_without_compiler() const {
    if (!compiler_.why_none().empty()) SKIP(compiler_.why_none());
  }
  [[nodiscard]] std::string compile(const ShapeSource& source, const CodeCache& cache) const {
    return compiler_.compile(source, architecture_, cache);
  }
  [[nodiscard]] bool takes(const ShapeSource& source, const CodeCache& cache) const {
    return compile(source, cache)
        .starts_with(
            "\x7f"
            "ELF");
  }

 private:
  GpuTarget(const GpuCompiler& compiler, const char* architecture)
      : compiler_(compiler), architecture_(architecture) {}

  const GpuCompiler& compiler_;
  const char* architecture_;
};

}  // namespace minimod
