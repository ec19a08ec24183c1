/// What a survey's folder is for: the shots of one configuration.
#pragma once

#include <filesystem>

#include "src/shot/configuration.hpp"

namespace minimod {

/// The folder that a survey of this configuration (shared_configuration with its kernels) goes on in or
/// begins: `output`, or, where that has another survey and `force` is set, the first of output.1, output.2, …
/// that is this one's or is not there. Made where it is not, with `configuration.json` in it, which keeps
/// what decides the bits. Errors: 73 a folder of another survey, with what differs, or one that is not empty
/// and of no survey; 74; 77.
[[nodiscard]] std::filesystem::path take_survey_folder(const std::filesystem::path& output,
                                                       const Configuration& configuration, bool force);

/// Makes a folder with its parents. Errors: 73, 77.
void make_folder(const std::filesystem::path& folder);

}  // namespace minimod
