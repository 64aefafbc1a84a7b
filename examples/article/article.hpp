#pragma once

// The worker of the article, one to one: a resource that fails eight times in a row once it is
// armed, and an actor that uses it and knows nothing of retries.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace article {

/// The message of the domain.
struct Msg {
  std::uint64_t id = 0;
  std::string data;
};

template <class Inspector>
auto inspect(Inspector& f, Msg& x) {
  return backoff_actor::compat::object(f, x, "article::Msg",
                                       backoff_actor::compat::field("id", x.id),
                                       backoff_actor::compat::field("data", x.data));
}

/// Outlives the actors that use it. "set-err" arms it; "err" then fails eight times; anything else
/// disarms it.
class DangerousResource {
public:
  std::string danger(const std::string& data) {
    if (data == "set-err") {
      is_armed_ = true;
      failures_ = 0;
    } else if (data != "err") {
      is_armed_ = false;
    } else if (is_armed_ && failures_ < 8) {
      ++failures_;
      throw std::runtime_error("Danger, High Voltage!");
    }
    return data;
  }

private:
  bool is_armed_ = false;
  int failures_ = 0;
};

/// Ends the moment the resource throws.
class DangerousActor : public caf::event_based_actor {
public:
  DangerousActor(caf::actor_config& config, std::shared_ptr<DangerousResource> resource)
    : caf::event_based_actor(config), resource_(std::move(resource)) {}

  caf::behavior make_behavior() override {
    return {
      [this](const backoff_actor::TrackedMsg& tracked) {
        const auto& msg = tracked.payload.get_as<Msg>(0);
        auto response = resource_->danger(msg.data);
        return backoff_actor::sent(tracked, Msg{msg.id, std::move(response)});
      },
    };
  }

private:
  std::shared_ptr<DangerousResource> resource_;
};

} // namespace article

CAF_BEGIN_TYPE_ID_BLOCK(article, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(article, (article::Msg))
CAF_END_TYPE_ID_BLOCK(article)
