#pragma once

#include "article/back_off_protocol.hpp"

#include <caf/event_based_actor.hpp>

namespace versus {

/// Answers each message with itself: a worker that knows nothing of supervision.
class Echo : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const transcription::Msg& msg) { return msg; }};
  }
};

} // namespace versus
