#pragma once

// Messages between a sender and the processes that offer it workers; not for users.

#include "backoff_actor/caf/messages/type_ids.hpp"

#include <caf/actor.hpp>

#include <cstdint>

namespace backoff_actor {

/// A process's request to the sender that owns an outbox: take so many workers into your pool. The
/// actor that asks takes `MakeWorker`, and the offer stands as long as it lives. Answered with
/// `WorkersTaken`, or with an error.
struct OfferWorkers {
  std::uint32_t workers = 0; ///< 1 and above
};

/// A sender's answer to `OfferWorkers`. The workers end when the sender does.
struct WorkersTaken {
  caf::actor taker{}; ///< the sender: with CAF 1.x an answer does not say whose it is
};

/// The same actor's message to the sender that has taken its workers: they are to take nothing
/// more, to finish what they hold, and to end.
struct WithdrawWorkers {};

/// A sender's request to a process: make the worker at this place. One that is there ends. Answered
/// with its handle, or with an error.
struct MakeWorker {
  std::uint32_t place = 0; ///< from 0, below `OfferWorkers::workers`
};

/// Shows CAF the parts of each message, in their order on the network.
/// @{
auto inspect(auto& f, OfferWorkers& x) {
  return compat::object(f, x, "backoff_actor::OfferWorkers", compat::field("workers", x.workers));
}
auto inspect(auto& f, WorkersTaken& x) {
  return compat::object(f, x, "backoff_actor::WorkersTaken", compat::field("taker", x.taker));
}
auto inspect(auto& f, WithdrawWorkers& x) {
  return compat::object(f, x, "backoff_actor::WithdrawWorkers");
}
auto inspect(auto& f, MakeWorker& x) {
  return compat::object(f, x, "backoff_actor::MakeWorker", compat::field("place", x.place));
}
/// @}

} // namespace backoff_actor
