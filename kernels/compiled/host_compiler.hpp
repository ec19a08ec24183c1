/// The host's compiler at run time: shapes that are emulated thread by thread (`--emulate`), and kernels for
/// its cores.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/compiled/code_cache.hpp"
#include "kernels/compiled/shape_source.hpp"

namespace minimod {

/// The kernels of a shape, in the order of compiled_formulas; null, at the end, what its source has not. Each
/// takes the arguments of its equation.
using HostFunctions = std::array<void (*)(const void* args), compiled_formulas.size()>;

/// The compiler that built the program, or the one that MINIMOD_CXX names, whose code must fit the program's.
[[nodiscard]] std::string host_compiler();

/// Purpose of compiled code.
enum class HostCode {
  emulated,  ///< a GPU's threads one by one: it compiles fast
  of_cores,  ///< speed, at the processor's level
};

/// The functions of that name, in their order; compiles and throws as compile_for_host.
[[nodiscard]] std::vector<void*> compile_functions_for_host(const ShapeSource& source,
                                                            const std::vector<std::string>& names,
                                                            const std::string& compiler,
                                                            const CodeCache& cache,
                                                            HostCode code = HostCode::emulated);

/// Compiles, unless the cache has it, and loads for the rest of the process. Error 69 where there is no such
/// compiler, where it refuses the source, and where the code cannot be loaded.
[[nodiscard]] HostFunctions compile_for_host(const ShapeSource& source, const std::string& compiler,
                                             const CodeCache& cache);

}  // namespace minimod
