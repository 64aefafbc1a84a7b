#pragma once

#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/caf/sender/while_down.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/supervision/lifecycle.hpp"

#include <caf/message.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace backoff_actor {

/// The options of a forwarder, see `spawn_forwarder`. The decider is asked about crashes and failed
/// starts; `reject` counts as `retry`.
///
/// What a function of the options captures must live as long as the actor system, see
/// `SenderOptions`.
struct ForwarderOptions {
  std::string name{};                             ///< as `SenderOptions::name`
  Policy backoff = RandomSlots{};                 ///< as `SenderOptions::backoff`
  std::optional<std::uint64_t> seed{};            ///< as `SenderOptions::seed`
  std::optional<std::uint64_t> stream{};          ///< as `SenderOptions::stream`
  RestartTiming restart = RestartTiming::at_once; ///< as `SenderOptions::restart`
  Decider decider{};                              ///< as `SenderOptions::decider`
  std::optional<RestartLimit> restart_limit{};    ///< as `SenderOptions::restart_limit`
  std::optional<Duration> max_elapsed{};          ///< as `SenderOptions::max_elapsed`
  FirstStart child_start = FirstStart::at_once;   ///< as `SenderOptions::child_start`
  Duration kill_grace = std::chrono::seconds{5};  ///< as `SenderOptions::kill_grace`

  /// What the forwarder does with a message that it cannot pass on now. By default it keeps a
  /// thousand, so that only messages that the child held are lost in a crash.
  WhileDown while_down = BufferWhileDown{};

  /// How long a child must have been up, with no delay running, for the backoff to start over.
  /// Unset: the longest delay of the backoff. If you set a shorter time, a child that always fails
  /// just after that time may be started more often than a child that fails at once.
  /// `Duration::max()`: only `Reset` starts it over. The forwarder checks this when the child
  /// fails, when a message comes, and when somebody asks for the status.
  ///
  /// @range 1 us and above
  std::optional<Duration> healthy_after{};

  /// What follows a normal stop of the child. A stop while messages wait for the child is a
  /// failure, unless this is `end`.
  AfterNormalStop after_normal_stop = AfterNormalStop::rest;

  /// Says whether a message is the last. A child that is up gets the last message after everything
  /// that waits; when that child has ended, the forwarder ends normally. Without a child the
  /// forwarder ends at once; the message and everything that waits become dead letters, `stopped`.
  /// Empty: no message is the last.
  ///
  /// @errors if it throws, the message is not accepted, and its client gets
  ///         `caf::sec::runtime_error` with the exception's text.
  std::function<bool(const caf::message&)> final_stop{};

  caf::actor dead_letters{};                               ///< as `SenderOptions::dead_letters`
  std::function<void(const DeadLetter&)> on_dead_letter{}; ///< as `SenderOptions::on_dead_letter`
  EventHook on_event{};                                    ///< as `SenderOptions::on_event`
  std::optional<Observatory> observed_by{};                ///< as `SenderOptions::observed_by`
};

/// Returns everything that is wrong with the options; nothing if a forwarder can be made with them.
BACKOFF_ACTOR_EXPORT Problems check(const ForwarderOptions& options);

} // namespace backoff_actor
