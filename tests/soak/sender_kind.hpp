#pragma once

#include <backoff_actor/caf/child/child_factory.hpp>
#include <backoff_actor/caf/sender/sender_options.hpp>
#include <backoff_actor/testing/faults/fault_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace backoff_actor::soak {

/// How clients give a sender their numbers.
enum class Submission {
  request,       ///< as a request of the bare number
  keyed_request, ///< as a request of a `Submit` with one of a few keys
  /// as a request of a `Submit` with an idempotency key, repeated until it has ended; such a sender
  /// has a durable outbox, which its successor takes over when it has ended
  until_acknowledged,
  plain_send, ///< as a plain send; such a sender must never be ended, nor refuse anything
};

/// One sender under load, its children and its clients.
struct SenderKind {
  std::string name;
  SenderOptions options{};
  ChildFactory children{};
  testing::FaultPlan faults{}; ///< of the messages that children are given
  testing::BirthPlan births{};
  Submission submission = Submission::request;
  std::uint32_t clients = 4;
  std::uint32_t window = 16; ///< how many submissions each client keeps open
};

/// Senders of every kind, whose children fail by themselves.
std::vector<SenderKind> faulty_senders(std::uint64_t seed);

/// Senders whose children call the service at `port` of 127.0.0.1, through which faults come.
std::vector<SenderKind> calling_senders(std::uint16_t port, std::uint64_t seed);

} // namespace backoff_actor::soak
