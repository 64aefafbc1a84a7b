#pragma once

#include "event_loop.hpp"
#include "retry_clients.hpp"

#include "backoff_actor/net/internal/socket.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace backoffctl {

/// Names a call that an actor asked for.
using CallNumber = std::uint64_t;

/// The way from actors to the event loop that makes their calls, and back. An actor that asks for a
/// call is told the end by a message `(CallNumber, bool is_ok)`.
///
/// @thread `begin` may be called by any; the rest belongs to the loop's.
class CallsFromActors : public std::enable_shared_from_this<CallsFromActors> {
public:
  /// @param call must outlive this
  CallsFromActors(EventLoop& loop, const CountedCall& call);
  CallsFromActors(const CallsFromActors&) = delete;
  CallsFromActors& operator=(const CallsFromActors&) = delete;

  /// Asks for a call, and returns at once.
  CallNumber begin(caf::actor asker);

  /// Lets go of all actors. Nobody is told any more.
  void close();

private:
  void make_calls();
  void end(CallNumber number, bool is_ok);

  const CountedCall& call_;
  const backoff_actor::net::Descriptor wake_up_; // an eventfd
  std::unique_ptr<LoopEvent> on_wake_up_;
  std::mutex mutex_; // of all below
  bool is_closed_ = false;
  CallNumber last_ = 0;
  std::vector<CallNumber> asked_for_; // and not yet begun
  std::unordered_map<CallNumber, caf::actor> askers_;
};

} // namespace backoffctl
