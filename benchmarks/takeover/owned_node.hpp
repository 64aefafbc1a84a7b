#pragma once

#include "takeover/node.hpp"

#include <functional>

namespace takeover {

/// Tells the program that started the node.
using Teller = std::function<void(News)>;

/// Starts a sender by `spawn_owned_sender`, and never returns. Its child never answers, so what is
/// owed is handed over again by the next owner. The child tells `owns` with each delivery.
void be_owned_node(const NodeOptions& options, const Teller& tell);

} // namespace takeover
