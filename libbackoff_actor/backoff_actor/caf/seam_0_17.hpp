#pragma once

// CAF 0.17.6. Include seam.hpp instead.

#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/hand_over_id.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/behavior.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/response_promise.hpp>
#include <caf/send.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <utility>

namespace backoff_actor::seam {

// -- inspection ---------------------------------------------------------------

template <class T>
struct Field {
  T& value;
};

template <class T>
Field<T> field(const char*, T& value) {
  return {value};
}

template <class Inspector, class Object, class... Ts>
auto object(Inspector& inspector, Object&, const char* name, Field<Ts>... fields) {
  return inspector(caf::meta::type_name(name), fields.value...);
}

// -- types --------------------------------------------------------------------

template <class IdBlock>
void register_types(caf::actor_system_config& config) {
  config.add_message_types<IdBlock>();
}

/// Lets the actor system render this library's errors.
void register_errors(caf::actor_system_config& config);

// -- errors -------------------------------------------------------------------

/// Tells an error's category and code apart from any other's; never 0 for an error.
Cause cause_of(const caf::actor_system& system, const caf::error& error, bool with_text);

/// Lets an exception that leaves a handler of `self` end it with `caf::sec::runtime_error` and the
/// exception's text. CAF's default loses the text and prints to the console.
void keep_cause(caf::scheduled_actor& self);

// -- sending ------------------------------------------------------------------

/// Sends without a sender.
template <class... Ts>
void enqueue(const caf::actor& receiver, Ts&&... values) {
  caf::anon_send(receiver, std::forward<Ts>(values)...);
}

/// Sends to `self` after a delay.
template <class... Ts>
void send_later(caf::event_based_actor& self, Duration delay, Ts&&... values) {
  self.delayed_send(&self, delay, std::forward<Ts>(values)...);
}

// -- the actor ----------------------------------------------------------------

class Alarm;

/// What became of a hand-over, as far as CAF can say.
struct ErrorInfo {
  caf::error error;
  bool from_child; ///< the receiver itself sent it
  bool is_bounce;  ///< CAF answered for a receiver that was gone
};

/// An actor that hands messages of any type over to another one and gets back whatever comes.
///
/// A hand-over is a request whose id carries the `HandOverId`, so that no table of open requests is
/// needed: CAF's own costs linear time. Answers are taken in `consume`, because a response handler of
/// CAF 0.17.6 cannot take a message of any type.
///
/// @thread all members run in the actor's own thread.
class SupervisingActor : public caf::event_based_actor {
public:
  explicit SupervisingActor(caf::actor_config& config);
  ~SupervisingActor() override;

  caf::invoke_message_result consume(caf::mailbox_element& element) override;

  /// Called when the actor ends; an overrider calls it too.
  void on_exit() override;

protected:
  // -- what is told -------------------------------------------------------------

  /// A message that is none of this library's own.
  virtual void on_submission(caf::message payload, caf::response_promise client) = 0;
  virtual void on_answer(HandOverId id, caf::message answer, bool from_child) = 0;
  virtual void on_error_answer(HandOverId id, ErrorInfo info) = 0;
  virtual void on_probe_answer(std::uint32_t probe) = 0;
  /// The watched child terminated.
  virtual void on_down(const caf::error& reason) = 0;
  /// The time asked for with `wake_at` has come.
  virtual void on_wake() = 0;

  // -- what can be done ---------------------------------------------------------

  /// Makes this the child: its end will be told, and that of an earlier one no longer.
  void watch(const caf::actor& child);
  void hand_over(HandOverId id, const caf::message& payload);
  /// Asks the child for a sign of life, ahead of all that waits in its mailbox.
  void send_probe(std::uint32_t probe);
  /// Ends the child, ahead of all that waits in its mailbox, and forgets it.
  void end_child();
  void forget_child() { child_ = nullptr; }
  bool has_child() const { return static_cast<bool>(child_); }
  bool is_child(const caf::strong_actor_ptr& who) const;

  /// Whether an error that the child answers may be that of a crash, which CAF reports right after it.
  /// Blocking actors answer nothing when they crash, and no probes either.
  bool crash_answers_first() const;

  Instant now();
  void wake_at(Instant at);
  void cancel_wake();

  /// Gives a client what the child answered. An empty answer is none for a client that used a plain send.
  static void answer(caf::response_promise& client, caf::message answer);

  /// Gives a client an error, unless it used a plain send: a bare error would end it.
  static void refuse(caf::response_promise& client, caf::error error);

  /// Installs what is the same for every such actor; takes the handlers of the derived class.
  caf::behavior complete(caf::behavior handlers);

private:
  caf::actor child_;
  caf::intrusive_ptr<caf::actor_control_block> alarm_;
};

} // namespace backoff_actor::seam
