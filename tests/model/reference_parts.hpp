#pragma once

#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "lines.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

// -- what the reference sender is made of -----------------------------------------

/// One hand-over of a delivery.
struct HandOver {
  HandOverId name; // as the engine called it
  std::uint32_t incarnation;
  std::uint32_t epoch;
};

/// One message that is owed, or its ghost: it expired while a child had it.
struct Delivery {
  std::uint64_t id;
  Instant submitted_at;
  Instant deadline;
  std::uint64_t key;
  std::uint32_t weight;
  bool is_stored;
  BackOff own_backoff;
  OwnRetries own_retries{};
  bool is_owed = true;  // otherwise a ghost
  bool is_kept = false; // a ghost that no child has: its end is not stored, so it keeps its place
  bool is_end_stored = false; // that it is cancelled: it was restored for its end
  bool is_in_flight = false;
  bool is_suspect = false;
  bool is_cancelled = false; // and a child has it
  bool wants_letter = false;
  bool is_unwritten = false; // it has a payload of which the store has said nothing
  std::string note{};        // the last that its child has left
  std::optional<Instant> pauses_until{};
  std::optional<Instant> scheduled_for{}; // its time has not come
  std::uint64_t place = 0;                // of two of a key, the smaller one comes first
  std::optional<Duration> pause_asked{};  // in this step: the wait that was asked for
  bool pauses_after_fallback = false;     // the lane whose delay comes first
  std::uint32_t attempts = 0;
  std::optional<Cause> last_failure{};
  FailureReason reason{}; // the class of the last failure
  std::optional<Instant> uncharged_since{};
  bool has_failed = false;
  bool has_source = false; // which keeps it until it is stored
  std::size_t joined = 0;
  std::size_t joined_until_stored = 0;
  std::uint64_t turn = 0; // of those that a child has the smallest is the first
  Instant clock_start{};
  std::vector<HandOver> hand_overs{};

  bool is_waiting() const { return is_owed && !is_in_flight && !pauses_until; }
};

/// An error that may turn out to be an answer.
struct Held {
  std::uint64_t delivery;
  Cause cause;
  bool is_bounce;
  Decision decision;
  bool is_probed; // the probe that is out was sent after it came
};

enum class Child { none, starting, alive, leaving };

/// A guard that lets everything through. Others share it.
class OpenGuard final : public GuardPort {
public:
  std::uint64_t others = 0; // their calls that succeeded

  Admission admit(Instant, Call) override { return Permit{1, 0}; }
  void succeeded(Permit, Instant) override { ++own_; }
  void failed(Permit, Instant) override {}
  void forgotten(Permit, Instant) override {}
  bool is_closed() const override { return true; }
  std::uint64_t answers() const override { return own_ + others; }

private:
  std::uint64_t own_ = 0;
};

/// What is known of a service, as the words of `Charging::Rule::by_evidence` need it.
struct Service {
  struct Failure {
    std::uint64_t delivery;
    bool was_charged; // before, with anything
    bool is_charged;  // with this
  };
  std::vector<Failure> failures{};  // since it last answered, without a word
  bool is_said_down = false;        // since then
  std::vector<Instant> failed_at{}; // since then, with and without a word
  bool is_told = false;             // that nothing succeeds since then
  std::optional<Instant> back_at{}; // when it last answered after it was down

  bool is_down() const {
    std::set<std::uint64_t> all;
    std::set<std::uint64_t> uncharged;
    for (const auto& x : failures) {
      all.insert(x.delivery);
      if (!x.was_charged)
        uncharged.insert(x.delivery);
    }
    return is_said_down || all.size() >= 5 || uncharged.size() >= 2;
  }
};

/// A child and what belongs to it: the worker's, or the fallback's.
struct Lane {
  bool is_fallback;
  BackOff backoff;
  std::uint32_t epoch;
  std::uint32_t max_window;
  std::uint32_t window;

  Child child = Child::none;
  std::uint32_t incarnation = 0;
  bool was_handed_something = false;
  int failures_in_series = 0;
  bool is_done = false;               // it stopped normally, with nothing owed
  std::optional<Instant> due{};       // of the delay that runs
  std::optional<Instant> grace_end{}; // of a child that leaves, until it is overdue
  Instant last_progress{};
  std::optional<Instant> series_began{}; // of failures in a row
  std::optional<Cause> last_failure{};
  std::vector<Held> held{};
  bool probe_is_out = false;
  std::uint32_t probe = 0; // as the engine numbered it
};

/// Who asked to be told when nothing is owed any more.
struct Drain {
  std::uint32_t ticket;
  Instant deadline;
};

/// A backoff with the parameters of `other` from the beginning, in another stream.
inline BackOff in_stream(const BackOff& other, std::uint64_t stream) {
  return BackOff{other.policy(), other.seed(), stream};
}

/// A backoff with this policy, as far as if the last failures had all been of its class. `before`:
/// the other one, before it counted the last of them.
inline BackOff as_far(const Policy& policy, const BackOff& before, std::uint32_t failures) {
  const auto steps = std::min(failures, before.total_retries() + 1);
  BackOffState state{policy.start()};
  state.progress.draws = before.total_retries() + 1 - steps;
  BackOff result{policy, before.seed(), before.stream(), state};
  for (std::uint32_t i = 0; i < steps; ++i)
    result = result.next();
  return result;
}

inline std::string words(Verdict x) {
  static const char* const names[] = {"retry", "reject", "give_up", "escalate"};
  return names[static_cast<int>(x)];
}

inline std::string words(Blame x) {
  static const char* const names[] = {"", ", the message's fault", ", the service's fault",
                                      ", nobody's fault"};
  return names[static_cast<int>(x)];
}

inline std::string words(input::ChildEnd x) {
  static const char* const names[] = {"", ", withdrawn", ", lost"};
  return names[static_cast<int>(x)];
}

// -- the lines ----------------------------------------------------------------------

inline std::string describe(const Cause* cause) {
  return cause == nullptr ? "no cause" : "cause " + number(cause->code) + " " + cause->text;
}

inline std::string accept_line(std::uint64_t delivery) { return "accept " + number(delivery); }
inline std::string refuse_line(Refusal why) { return "refuse: " + std::string{to_string(why)}; }
inline std::string persist_line(std::uint64_t delivery) { return "persist " + number(delivery); }
inline std::string join_line(std::uint64_t delivery, bool until_stored) {
  return "join " + number(delivery) + (until_stored ? " until it is stored" : "");
}
inline std::string confirm_line(std::uint64_t delivery) { return "confirm " + number(delivery); }
inline std::string count_line(std::uint64_t delivery, std::uint32_t attempts) {
  return "count " + number(attempts) + " attempts of " + number(delivery);
}
inline std::string suspend_line(std::uint64_t delivery, std::uint32_t attempts,
                                Instant submitted_at, Instant deadline) {
  return "suspend " + number(delivery) + ", " + number(attempts) + " attempts, since "
         + describe(submitted_at) + ", until " + describe(deadline);
}
inline std::string start_line(std::uint32_t child, bool is_fallback) {
  return (is_fallback ? "start fallback " : "start child ") + number(child);
}
inline std::string ask_to_end_line(std::uint32_t child) {
  return "ask child " + number(child) + " to end";
}
inline std::string tell_to_end_line(std::uint32_t child) {
  return "tell child " + number(child) + " to end";
}
inline std::string abandon_line(std::uint32_t child) { return "abandon child " + number(child); }
inline std::string stop_line(std::uint32_t child) { return "stop child " + number(child); }
inline std::string keep_note_line(std::uint64_t delivery) {
  return "keep the note of " + number(delivery);
}
/// What a note is called of which an earlier sender has left it known only that there is one.
inline const std::string restored_note = "left";
inline std::string hand_over_line(std::uint64_t delivery, std::uint32_t child,
                                  const std::string& note) {
  return "hand over " + number(delivery) + " to child " + number(child)
         + (note.empty() ? "" : ", with the note " + note);
}
inline std::string probe_line(std::uint32_t child) { return "probe child " + number(child); }
inline std::string hold_line(std::uint64_t delivery) { return "hold " + number(delivery); }
inline std::string acknowledge_line(std::uint64_t delivery) {
  return "acknowledge " + number(delivery);
}
inline std::string dead_letter_line(std::uint64_t delivery, DeadLetterReason reason,
                                    std::uint32_t attempts, Instant submitted_at,
                                    const Cause* cause) {
  return "dead letter " + number(delivery) + ": " + std::string{to_string(reason)} + ", "
         + number(attempts) + " attempts, since " + describe(submitted_at) + ", " + describe(cause);
}
inline std::string cancelled_line(std::uint64_t delivery) {
  return "cancelled " + number(delivery);
}
inline std::string tell_cancelled_line(std::uint64_t delivery, std::uint32_t child, bool letter) {
  return "tell child " + number(child) + " that " + number(delivery) + " is cancelled"
         + (letter ? ", for a letter" : "");
}
inline std::string replace_line(std::uint64_t delivery) { return "replace " + number(delivery); }
inline std::string drained_line(std::uint32_t ticket, std::size_t left) {
  return "drained, ticket " + number(ticket) + ", " + number(left) + " left";
}
inline constexpr const char* finished_line = "finished";
inline std::string wake_line(Instant at) { return "wake at " + describe(at); }
/// `holder` is the delivery for which the error is held; 0: it just came.
inline std::string quit_line(bool escalates, std::uint64_t holder) {
  if (!escalates)
    return "quit";
  return holder == 0 ? "quit with the error that came"
                     : "quit with the error held for " + number(holder);
}

/// An event with all that its own rendering leaves out, but the name of its sender.
inline std::string describe(const Event& event) {
  auto text = describe(time_of(event)) + " " + text_of(event);
  if (const auto* x = std::get_if<event::RetryScheduled>(&event))
    text += ", delay " + to_string(x->delay) + ", " + to_string(x->backoff) + ", "
            + to_string(x->backoff.policy());
  else if (const auto* w = std::get_if<event::BackOffReset>(&event))
    text += ", " + to_string(w->backoff);
  else if (const auto* y = std::get_if<event::Acknowledged>(&event))
    text += ", child " + number(y->incarnation) + (y->is_late ? ", late" : "");
  else if (const auto* z = std::get_if<event::Restored>(&event))
    text += ", " + number(z->attempts) + " attempts";
  else if (const auto* u = std::get_if<event::Suspended>(&event))
    text += ", " + number(u->attempts) + " attempts";
  return text;
}

inline std::string describe(const SenderStatus& x) {
  auto text = to_string(x) + "; due in " + to_string(x.due_in) + ", restarts " + number(x.restarts)
              + ", total_retries " + number(x.total_retries) + ", resets " + number(x.resets)
              + ", last delay " + to_string(x.last_delay) + ", bytes " + number(x.owed_bytes)
              + ", unstored " + number(x.unstored) + ", in flight " + number(x.in_flight)
              + ", oldest " + to_string(x.oldest_age);
  for (const auto& one : backoff_actor::detail::sender_counters)
    text += std::string{", "} + one.key + " " + number(x.counters.*one.member);
  return text;
}

} // namespace backoff_actor::model_test
