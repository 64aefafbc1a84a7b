#pragma once

// Inside of senders; not for their users.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>

namespace backoff_actor {

// Asks a sender again and again, after 2 ms, 4 ms ... 1 s, until the message is done or dead, or
// `Ask::within` is over. Then it gives the client the last answer. It ends with the client, and
// does not keep the sender alive.
void spawn_asker(caf::actor_system& system, const caf::actor_addr& sender, Ask what,
                 compat::OpenRequest client);

} // namespace backoff_actor
