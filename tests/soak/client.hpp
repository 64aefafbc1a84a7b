#pragma once

#include "place.hpp"

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <memory>

namespace backoff_actor::soak {

/// Keeps a window of submissions open with whoever is at a place, until the soak is over.
class Client final : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, std::shared_ptr<Place> place);

  caf::behavior make_behavior() override;

private:
  void submit();
  void submit(std::uint64_t number);
  template <class Message>
  void ask(const caf::actor& owner, std::uint64_t number, Message message);
  void on_error(const caf::actor& owner, std::uint64_t number, const caf::error& error);
  void on_durable_error(const caf::actor& owner, std::uint64_t number, const caf::error& error);
  void submit_later();
  void submit_later(std::uint64_t number);

  std::shared_ptr<Place> place_;
};

} // namespace backoff_actor::soak
