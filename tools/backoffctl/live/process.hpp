#pragma once

#include <cstdint>
#include <string>

namespace backoffctl {

/// Prints a line, at once.
///
/// @errors throws `std::runtime_error` if it cannot be written.
void print_line(const std::string& line);

/// The time of day: `21:03:12`.
std::string clock_text();

/// Lets this process open as many files as so many clients need, sockets included.
///
/// @errors throws `std::runtime_error` that says what to do if the system does not allow it.
void allow_files_of_clients(std::uint64_t clients);

/// Lets this process open as many files as the system allows without being asked.
void allow_most_open_files();

} // namespace backoffctl
