#pragma once

#include "article/back_off_protocol.hpp"

#include <caf/event_based_actor.hpp>

#include <functional>
#include <string>
#include <utility>

namespace transcription {

/// The article's `DangerousResource`: answers `data`, or throws.
using DangerousResource = std::function<std::string(const std::string& data)>;

/// The article's `DangerousActor`: ends the moment the resource throws.
class DangerousActor : public caf::event_based_actor {
public:
  /// Is called by CAF.
  DangerousActor(caf::actor_config& config, DangerousResource resource)
    : caf::event_based_actor(config), resource_(std::move(resource)) {}

  caf::behavior make_behavior() override {
    return {
      [this](const TrackedMsg& tracked) {
        auto response = resource_(tracked.msg.data);
        // In this order: whoever dies in between has told the BackOffSender.
        send(caf::actor_cast<caf::actor>(current_sender()), Sent{tracked.msg.id});
        if (tracked.sender)
          send(tracked.sender, Msg{tracked.msg.id, std::move(response)});
      },
    };
  }

private:
  DangerousResource resource_;
};

} // namespace transcription
