#include "backoff_actor/caf/actor/work_in_hand.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"

#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <stdexcept>
#include <utility>

namespace backoff_actor {

WorkInHand::WorkInHand(caf::local_actor& self) : self_(&self) {
  const auto* const element = self.current_mailbox_element();
  if (element == nullptr)
    return;
  const auto is_taken = element->mid.is_request() && !element->sender;
  if (is_taken || element->mid.is_answered())
    throw std::logic_error("WorkInHand: make it before the promise of an answer");
  *this = WorkInHand{self, {element->sender, element->mid}};
}

WorkInHand::WorkInHand(caf::local_actor& self, const compat::OpenRequest& request) : self_(&self) {
  if (request.is_request() && compat::is_of_requesting_actor(request.id)) {
    sender_ = caf::actor_cast<caf::weak_actor_ptr>(request.client);
    request_ = compat::name_of_request(request.id);
  }
}

void WorkInHand::still_working(std::string note) const {
  if (const auto sender = sender_.lock())
    compat::respond({sender, {}}, caf::make_message(detail::WorkingOn{request_, std::move(note)}),
                    self_->ctrl());
}

} // namespace backoff_actor
