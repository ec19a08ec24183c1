/// A survey's folder, which is for the shots of one configuration.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "src/job/shot/configuration.hpp"

namespace minimod {

/// The folder that a survey of this configuration (shared_configuration with its kernels) goes on in or may
/// begin in: `output`, or, where that has another survey and `force` is set, the first of output.1, output.2,
/// … that is this one's or is not there. `other_shots` says what a folder of this configuration has under
/// numbers of ours that are other shots; nothing: it has none. A survey of a program that counted shots from
/// 0 is another one. Writes nothing. Error 73 for a folder of another survey, with what differs, or one that
/// is not empty and of no survey.
[[nodiscard]] std::filesystem::path find_survey_folder(
    const std::filesystem::path& output, Configuration configuration, bool force,
    const std::function<std::string(const std::filesystem::path& folder)>& other_shots);

/// Whether the folder has a survey. Error 73 where it has something else.
[[nodiscard]] bool is_begun(const std::filesystem::path& folder);

/// Puts `configuration.json` into a folder that has no survey, which keeps what decides the bits. Errors: 73,
/// also where another worker has begun another survey there meanwhile; 74; 77.
void begin_survey(const std::filesystem::path& folder, const Configuration& configuration);

/// Makes a folder with its parents. Errors: 73, 77.
void make_folder(const std::filesystem::path& folder);

}  // namespace minimod
