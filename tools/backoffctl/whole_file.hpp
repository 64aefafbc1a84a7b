#pragma once

#include <filesystem>
#include <string>

namespace backoffctl {

/// Writes a file, in place of one that may be there. Nobody sees half of it: there is the whole
/// file, or what was there before.
///
/// @errors throws `std::runtime_error` that names the file and the reason.
void write_whole_file(const std::filesystem::path& file, const std::string& content);

} // namespace backoffctl
