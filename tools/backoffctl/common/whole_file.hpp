#pragma once

#include <filesystem>
#include <string>

namespace backoffctl {

/// Finds out whether a file can be written, as far as that is to be known without doing it.
///
/// @errors throws `std::runtime_error` that names the file and the reason if not.
void check_whole_file(const std::filesystem::path& file);

/// Writes a file, in place of one that may be there. Nobody sees half of it: there is the whole
/// file, or what was there before.
///
/// @errors throws `std::runtime_error` that names the file and the reason.
void write_whole_file(const std::filesystem::path& file, const std::string& content);

} // namespace backoffctl
