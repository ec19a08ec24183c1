/// Facts of the program, for the records that it writes.
#pragma once

#include <string>

namespace minimod {

struct BuildInfo {
  std::string version;        ///< version of CMake's project()
  std::string git_hash;       ///< with "-dirty" when files were changed
  std::string compiler;       ///< name of the host code's compiler
  std::string cuda_compiler;  ///< compiler of the GPU's code, nvcc or hipcc; empty without GPUs
  std::string flags;
  std::string cuda_architectures;  ///< GPUs that there is code for; empty without GPUs
  std::string libraries;           ///< names and versions
};

[[nodiscard]] const BuildInfo& build_info();

}  // namespace minimod
