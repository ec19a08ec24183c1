/// A vendor's compiler of kernels as a library: NVIDIA's (nvrtc), AMD's (hiprtc).
#pragma once

#include <string>

#include "kernels/compiled/code_cache.hpp"
#include "kernels/compiled/shape_source.hpp"

namespace minimod {

/// Loaded when it is first asked for: a program that was built for no GPU compiles with it, too, though it
/// launches nothing.
class GpuCompiler {
 public:
  [[nodiscard]] static const GpuCompiler& nvrtc();
  [[nodiscard]] static const GpuCompiler& hiprtc();

  /// Empty when it is there.
  [[nodiscard]] const std::string& why_none() const { return why_none_; }
  /// Machine code, an ELF file, for GPUs of an architecture ("sm_90", "gfx90a"), unless the cache has it.
  /// Error 69 where there is no such compiler, where it knows no such GPU, and where it refuses the source.
  [[nodiscard]] std::string compile(const ShapeSource& source, const std::string& architecture,
                                    const CodeCache& cache) const;

  struct Vendor;

 private:
  class Program;
  /// The functions that are needed here, which both vendors have; 0 is success.
  struct Functions {
    using Handle = struct GpuProgram*;
    int (*version)(int* major, int* minor) = nullptr;
    int (*create)(Handle*, const char* text, const char* name, int headers, const char* const* texts,
                  const char* const* names) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*compile)(Handle, int count, const char* const* options) = nullptr;
    int (*log_size)(Handle, std::size_t*) = nullptr;
    int (*log)(Handle, char*) = nullptr;
    int (*code_size)(Handle, std::size_t*) = nullptr;
    int (*code)(Handle, char*) = nullptr;
    const char* (*error_text)(int) = nullptr;
  };

  explicit GpuCompiler(const Vendor& vendor);

  const Vendor& vendor_;
  Functions functions_;
  std::string name_;  ///< "nvrtc 13.0"
  std::string file_;  ///< file of the library, by which versions differ that call themselves the same
  std::string why_none_;
};

}  // namespace minimod
