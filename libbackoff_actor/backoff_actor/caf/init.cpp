#include "backoff_actor/caf/init.hpp"

#include "backoff_actor/caf/calendar/internal/sender_calendar.hpp"
#include "backoff_actor/caf/calendar/repeat.hpp"
#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/retried_reply.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/caf/offered/internal/offer_messages.hpp"
#include "backoff_actor/caf/owned/internal/standby_hand.hpp"
#include "backoff_actor/caf/supervisor/supervisor_messages.hpp"

namespace backoff_actor::detail {

// The serialization of the types consists of templates, which take a compiler seconds. They are
// compiled here once, and not in each program.
void register_library(caf::actor_system_config& config) {
  compat::register_types<caf::id_block::backoff_actor>(config);
  compat::register_errors(config);
}

} // namespace backoff_actor::detail
