/// What a record says of the program that wrote it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace minimod {

struct BuildInfo {
  std::string version;        ///< of CMake's project()
  std::string git_hash;       ///< with "-dirty" when files were changed
  std::string compiler;       ///< of the host code
  std::string cuda_compiler;  ///< empty without CUDA
  std::string flags;
  std::string cuda_architectures;                              ///< empty without CUDA
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name and version
};

[[nodiscard]] const BuildInfo& build_info();

}  // namespace minimod
