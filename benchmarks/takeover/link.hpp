#pragma once

namespace takeover {

/// Gives this program a network of its own, which has nothing but 127.0.0.1.
///
/// @returns whether that is permitted: to root, usually. If not, nothing has changed.
bool enter_own_network();

/// Cuts the connections by 127.0.0.1, or mends them. In the network of its own only.
///
/// @errors throws `std::system_error`
void set_cable(bool is_whole);

} // namespace takeover
