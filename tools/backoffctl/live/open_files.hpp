#pragma once

#include <cstdint>

namespace backoffctl {

/// Lets this process open as many files as so many clients need, sockets included.
///
/// @errors throws `std::runtime_error` that says what to do if the system does not allow it.
void allow_files_of_clients(std::uint64_t clients);

/// Lets this process open as many files as the system allows without being asked.
void allow_most_open_files();

} // namespace backoffctl
