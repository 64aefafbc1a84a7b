#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <string>
#include <variant>
#include <vector>

namespace backoff_actor {

/// The inputs that a driver gives to the engine of an outbox.
namespace outbox_input {

/// A sender uses the outbox from now on.
struct Attach {
  bool is_untidy = false; ///< as in `Done`
};

/// The sender has ended. What it has put is still written.
struct Detach {};

/// What has changed in the sender, in order.
struct Put {
  std::vector<StoreChange> changes; ///< may be empty
};

/// The sender takes all that it was to be told so far.
struct Heard {};

/// All that waited when `outbox_effect::GoOn` came was put.
struct Go {};

/// The time of `outbox_effect::Sleep` is over. An input that comes early does nothing.
struct Wake {};

/// The store has done what the last effect asked for.
struct Done {
  bool is_untidy = false; ///< whether the store has put off some of its housekeeping
};

/// The store has not done it.
struct Failed {
  StoreFailure failure;   ///< why
  std::string text;       ///< the same for people
  bool is_untidy = false; ///< as in `Done`
};

/// The store has done a part of its housekeeping, or could not.
struct Tidied {
  bool is_untidy = false; ///< as in `Done`
};

/// Its driver ends, and carries out no more effects. The next `Put` or `Attach` begins anew.
struct Halt {};

} // namespace outbox_input

/// Any of the inputs.
using OutboxInput =
  std::variant<outbox_input::Attach, outbox_input::Detach, outbox_input::Put, outbox_input::Heard,
               outbox_input::Go, outbox_input::Wake, outbox_input::Done, outbox_input::Failed,
               outbox_input::Tidied, outbox_input::Halt>;

} // namespace backoff_actor
