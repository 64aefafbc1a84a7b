#pragma once

#include <cstdint>
#include <string>

namespace backoffctl {

/// Lets this process open so many files, sockets included.
///
/// @errors throws `std::runtime_error` that says what to do if the system does not allow it.
void allow_open_files(std::uint64_t count, const std::string& what_for);

/// Lets this process open as many files as the system allows without being asked, and returns how
/// many.
std::uint64_t allow_most_open_files();

} // namespace backoffctl
