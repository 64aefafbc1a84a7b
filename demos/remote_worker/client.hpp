#pragma once

#include "common/line_file.hpp"
#include "tally.hpp"

#include <caf/actor.hpp>
#include <caf/behavior.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace remote_worker {

/// What a client needs and tells. Outlives it.
struct Desk {
  Tally tally;
  std::optional<example::LineFile> acknowledged;
  std::atomic<bool> client_has_ended = false;
};

/// Requests the numbers 1 to `count` of a sender, up to `window` at a time. The first error is its
/// end.
class Client final : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor guard, std::uint64_t count, std::uint64_t window,
         Desk* desk);

  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  void request_next();

  caf::actor sender_;
  std::uint64_t count_;
  std::uint64_t window_;
  Desk& desk_;
  std::uint64_t last_ = 0; // that was requested
};

} // namespace remote_worker
