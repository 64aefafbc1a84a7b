#include "sender_part.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <cstddef>

namespace backoff_actor::soak {

SenderPart::SenderPart(Shared& shared, const std::vector<SenderKind>& kinds) {
  for (const auto& kind : kinds) {
    auto& slot =
      slots_.emplace_back(std::make_shared<SenderSlot>(shared, kind, shared.seed + slots_.size()));
    for (std::uint32_t i = 0; i != kind.clients; ++i)
      clients_.push_back(caf::actor_cast<caf::actor>(shared.system.spawn<Client>(slot)));
  }
}

void SenderPart::disturb(double kind, double which) {
  auto& slot = *slots_[static_cast<std::size_t>(which * static_cast<double>(slots_.size()))];
  if (kind < 0.4)
    slot.end_child(true);
  else if (kind < 0.8)
    slot.end_child(false);
  else
    slot.end_sender(kind < 0.9);
}

void SenderPart::end() {
  for (const auto& slot : slots_)
    slot->end();
  for (const auto& client : clients_)
    caf::anon_send_exit(client, caf::exit_reason::user_shutdown);
  clients_.clear();
  slots_.clear();
}

} // namespace backoff_actor::soak
