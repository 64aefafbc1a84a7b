#pragma once

#include "article/back_off_sender.hpp"
#include "common/actors.hpp"

#include <backoff_actor/caf/compat/compat_scheduler.hpp>

#include <cstdint>
#include <utility>

namespace versus {

using namespace benchmarks;
using transcription::Msg;

/// Returns a new actor system with so many threads for its actors. It is never taken down, for the
/// process of a subject ends without.
///
/// @shape `shares`: the threads take what there is to do from one queue, instead of each other's
inline caf::actor_system& system_with(std::int64_t threads, bool shares = false) {
  auto& config = *new caf::actor_system_config;
  backoff_actor::init<caf::id_block::transcription>(config);
  set_threads(config, static_cast<std::uint64_t>(threads));
  if (shares)
    backoff_actor::compat::share_work(config);
  return *new caf::actor_system{config};
}

/// Keeps an actor until the process ends.
inline caf::actor kept(caf::actor actor) { return *new caf::actor{std::move(actor)}; }

/// Returns the message of an operation, which has 12 bytes and a number.
inline Msg message(std::uint64_t number) { return {number, "twelve bytes"}; }

/// Answers each message with itself: a worker that knows nothing of supervision.
class Echo : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const Msg& msg) { return msg; }};
  }
};

} // namespace versus
