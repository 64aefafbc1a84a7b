#pragma once

#include "walk_conditions.hpp"

#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

namespace backoff_actor::model_test {

enum class Kind {
  submit,
  unreadable, // another program has handed it over
  join,
  persisted, // or not
  restore,
  child_started,
  start_failed,
  child_down,
  acknowledged,
  error_answer,
  child_alive,
  nacked,
  rejected,
  working,
  tick,    // to the wake-up that is out
  advance, // and wake if that is due
  be_late, // the wake-up does not come
  wake,    // though nothing may be due
  retry_now,
  reset,
  pause,
  resume,
  drain,
  start,
  stop,
  finish,
  store_behind,   // or no longer
  sure_until,     // no other process can own the store
  others_succeed, // that share the guard
  cancel,
  replace,
  replaced,      // the store has answered
  cancel_stored, // the same of what was cancelled
};

/// One input in the making. What it refers to is looked up when its turn comes, so that a walk from
/// which inputs were dropped still makes sense.
struct Command {
  Kind kind;
  std::uint32_t who; // which of the children, hand-overs ...
  std::uint32_t how; // which variant; 0 is the simplest

  // -- who -------------------------------------------------------------------------------

  enum class Child { apt, youngest, any };

  Child child() const {
    return who % 16 < 13 ? Child::apt : who % 16 < 14 ? Child::youngest : Child::any;
  }

  enum class HandOver { held, ever, never };

  HandOver hand_over() const {
    return who % 16 < 13 ? HandOver::held : who % 16 < 15 ? HandOver::ever : HandOver::never;
  }

  /// Which of those.
  std::uint32_t which() const { return who / 16; }

  // -- how -------------------------------------------------------------------------------

  /// In a hundred, the rest of `how` left out.
  static Verdict verdict(std::uint32_t x) {
    x %= 400;
    return x < 350   ? Verdict::retry
           : x < 396 ? Verdict::reject
           : x < 398 ? Verdict::give_up
                     : Verdict::escalate;
  }

  static std::optional<Duration> retry_after(std::uint32_t x) {
    if (x % 3 == 0)
      return std::nullopt;
    return std::chrono::milliseconds{1} * (static_cast<int>(x / 3 % 130) - 5);
  }

  std::uint64_t code() const { return how % 3; } // 0: no error
  Verdict verdict() const { return verdict(how / 3); }

  /// Mostly by itself.
  input::ChildEnd end() const {
    const auto x = how / 1200 % 8;
    return x < 5    ? input::ChildEnd::own
           : x == 5 ? input::ChildEnd::withdrawn
                    : input::ChildEnd::lost;
  }

  Cause error() const {
    return {1 + how % 2, kind == Kind::nacked ? "nacked" : "error " + std::to_string(how % 7)};
  }
  bool is_bounce() const { return how / 2 % 5 == 4; }
  bool is_settled() const { return how / 10 % 4 == 3; }

  Decision decision() const {
    const auto x = how / 40;
    const auto what = verdict(x);
    if (what != Verdict::retry)
      return what;
    if (x % 3 == 2)
      return Verdict::reject;
    return Decision::retry_as(reason(), retry_after(x / 3), blame());
  }

  /// The class of a failure. Most walks have something of their own for a and b.
  std::string reason_name() const {
    constexpr const char* names[] = {"", "a", "b"};
    return names[how / 5 % 3];
  }
  FailureReason reason() const { return reason_name(); }

  /// As a child or a decider says. `nobody`: the child had a guard of its own.
  Blame blame() const {
    constexpr Blame faults[] = {Blame::unknown, Blame::unknown, Blame::unknown, Blame::unknown,
                                Blame::unknown, Blame::message, Blame::service, Blame::nobody};
    return faults[how % 8];
  }

  bool is_store_behind() const { return how % 3 == 0; }
  bool is_store_failing() const { return how % 2 == 0; }

  /// Seen from now; unset: for ever. Mostly for a while, at times not at all.
  std::optional<Duration> sure_for() const {
    return how % 5 == 0 ? std::nullopt
                        : std::optional{std::chrono::milliseconds{1} * (how / 5 % 150)};
  }

  bool wants_letter() const { return how % 3 == 1; }

  /// How far a child says that it is. Mostly nothing; rarely too much.
  std::string note() const {
    if (how % 64 == 63)
      return std::string(65'537, '-');
    return how % 2 == 0 ? "" : "row " + std::to_string(how / 2 % 5);
  }

  bool joins_until_stored() const { return how % 3 == 1; }

  std::optional<Duration> retry_after() const { return retry_after(how / 2); }

  /// For advance, for the deadlines of drains, and for being late.
  Duration span() const { return std::chrono::milliseconds{1} * (how % 120); }

  /// Until the deadline; unset: there is none.
  std::optional<Duration> time_to_live() const {
    return how % 6 == 5 ? std::optional{std::chrono::milliseconds{1} * (how / 6 % 100)}
                        : std::nullopt;
  }
  /// How the message is retried; null: as the options say.
  std::shared_ptr<const OwnRetries> own_retries() const {
    const auto x = how / 3 % 11;
    if (x < 7)
      return nullptr;
    OwnRetries result;
    if (x != 7)
      result.backoff = Exponential{.first = std::chrono::milliseconds{1 + x},
                                   .cap = std::chrono::milliseconds{100}}
                       | full_jitter;
    if (x < 10)
      result.max_attempts = 1 + how % 3;
    return std::make_shared<const OwnRetries>(result);
  }

  /// From now until its time; unset: it names none. It may be over.
  std::optional<Duration> delay() const {
    return how / 13 % 6 == 5
             ? std::optional{std::chrono::milliseconds{1} * (static_cast<int>(how / 6 % 150) - 20)}
             : std::nullopt;
  }
  std::shared_ptr<const input::OwnTerms> own(Instant now) const {
    auto retries = own_retries();
    if (!retries && !delay())
      return nullptr;
    input::OwnTerms result{std::move(retries)};
    if (delay())
      result.not_before = now + *delay();
    return std::make_shared<const input::OwnTerms>(std::move(result));
  }

  std::uint64_t key() const { return how / 7 % 4; }
  std::uint32_t weight() const { return how / 5 % 8; }
  bool has_source() const { return how % 5 == 2; }

  // -- what an earlier sender has left ---------------------------------------------------

  /// Whether a sender that finishes ends by itself, and within how much time; unset: in any.
  bool finish_ends() const { return how % 3 != 0; }
  std::optional<Duration> grace() const {
    return how / 3 % 4 == 0 ? std::nullopt
                            : std::optional{std::chrono::milliseconds{1} * (how / 12 % 100)};
  }

  /// By how much its number is above the last; 0: by nothing, but `back` below.
  std::uint32_t step() const { return who % 16 < 13 ? 1 + which() % 3 : 0; }
  std::uint32_t back() const { return which() % 3; }
  std::uint32_t attempts() const { return how % 4; }
  Duration age() const { return std::chrono::milliseconds{1} * (how / 3 % 500); }

  /// Until the deadline, which may have passed; unset: there is none.
  std::optional<Duration> time_left() const {
    return how / 11 % 2 == 1
             ? std::optional{std::chrono::milliseconds{1} * (static_cast<int>(how / 22 % 120) - 40)}
             : std::nullopt;
  }

  /// Whether a `Start` comes with numbers above those of all so far, and by how much.
  std::uint32_t jump() const { return how % 4 == 3 ? how / 4 % 5 : 0; }
};

inline constexpr Choice<Kind> commands[] = {{180, Kind::submit, "submit"},
                                            {10, Kind::unreadable, "unreadable"},
                                            {250, Kind::persisted, "persisted"},
                                            {300, Kind::child_started, "child_started"},
                                            {20, Kind::start_failed, "start_failed"},
                                            {80, Kind::child_down, "child_down"},
                                            {250, Kind::acknowledged, "acknowledged"},
                                            {150, Kind::error_answer, "error_answer"},
                                            {60, Kind::child_alive, "child_alive"},
                                            {80, Kind::nacked, "nacked"},
                                            {30, Kind::rejected, "rejected"},
                                            {40, Kind::working, "working"},
                                            {200, Kind::tick, "tick"},
                                            {100, Kind::advance, "advance"},
                                            {20, Kind::be_late, "be_late"},
                                            {20, Kind::wake, "wake"},
                                            {10, Kind::retry_now, "retry_now"},
                                            {10, Kind::reset, "reset"},
                                            {10, Kind::pause, "pause"},
                                            {40, Kind::resume, "resume"},
                                            {8, Kind::drain, "drain"},
                                            {4, Kind::start, "start"},
                                            {1, Kind::stop, "stop"},
                                            {1, Kind::finish, "finish"},
                                            {4, Kind::restore, "restore"},
                                            {30, Kind::join, "join"},
                                            {15, Kind::store_behind, "store_behind"},
                                            {15, Kind::sure_until, "sure_until"},
                                            {30, Kind::others_succeed, "others_succeed"},
                                            {30, Kind::cancel, "cancel"},
                                            {30, Kind::replace, "replace"},
                                            {30, Kind::replaced, "replaced"},
                                            {40, Kind::cancel_stored, "cancel_stored"}};

inline void show(const std::shared_ptr<const OwnRetries>& x, std::ostream& out) {
  if (x && x->backoff)
    out << ", backoff " << to_string(*x->backoff);
  if (x && x->max_attempts)
    out << ", max_attempts " << *x->max_attempts;
}

inline void showValue(const Command& x, std::ostream& out) {
  static const char* const children[] = {"a child to which that happens", "the youngest child",
                                         "any child"};
  static const char* const hand_overs[] = {"a hand-over that a child has", "any hand-over",
                                           "no hand-over"};
  const auto after = [](std::optional<Duration> y) {
    return y ? " after " + to_string(*y) : std::string{};
  };
  out << test::name_of(x.kind, commands);
  switch (x.kind) {
  case Kind::submit:
    out << " key " << x.key() << " weight " << x.weight();
    if (x.time_to_live())
      out << " time to live " << to_string(*x.time_to_live());
    out << (x.has_source() ? ", from elsewhere" : "");
    show(x.own_retries(), out);
    if (x.delay())
      out << ", not before " << to_string(*x.delay()) << " from now";
    break;
  case Kind::cancel:
    out << (x.wants_letter() ? " for a letter" : "");
    break;
  case Kind::join:
    out << (x.joins_until_stored() ? " until it is stored" : "");
    break;
  case Kind::persisted:
    out << " for " << (x.hand_over() == Command::HandOver::held ? "one that waits for it" : "any")
        << ", " << x.how % 100 << " of 100";
    break;
  case Kind::restore:
    out << " of a number " << (x.step() > 0 ? x.step() : x.back())
        << (x.step() > 0 ? " above" : " below") << " the last, " << x.attempts()
        << " attempts, key " << x.key() << " weight " << x.weight() << ", since "
        << to_string(x.age());
    if (x.time_left())
      out << ", time left " << to_string(*x.time_left());
    show(x.own_retries(), out);
    if (x.delay())
      out << ", not before " << to_string(*x.delay()) << " from now";
    break;
  case Kind::start:
    out << " with numbers " << x.jump() << " above the last";
    break;
  case Kind::child_started:
  case Kind::child_alive:
    out << " by " << children[static_cast<int>(x.child())];
    break;
  case Kind::start_failed:
  case Kind::child_down:
    if (x.kind == Kind::child_down)
      out << words(x.end());
    out << " of " << children[static_cast<int>(x.child())] << ", code " << x.code() << ", "
        << words(x.verdict()) << ", reason '" << x.reason_name() << "'";
    break;
  case Kind::error_answer:
    out << " to " << hand_overs[static_cast<int>(x.hand_over())] << ", code " << x.error().code
        << (x.is_bounce() ? ", bounce" : "") << (x.is_settled() ? ", settled" : "") << ", "
        << words(x.decision().verdict) << after(x.decision().retry_after)
        << words(x.decision().blame) << ", reason '" << x.reason_name() << "'";
    break;
  case Kind::nacked:
    out << " for " << hand_overs[static_cast<int>(x.hand_over())] << after(x.retry_after())
        << words(x.blame()) << ", reason '" << x.reason_name() << "'";
    break;
  case Kind::acknowledged:
  case Kind::rejected:
    out << " for " << hand_overs[static_cast<int>(x.hand_over())];
    break;
  case Kind::working:
    out << " for " << hand_overs[static_cast<int>(x.hand_over())]
        << (x.note().empty() ? "" : ", note " + x.note().substr(0, 10));
    break;
  case Kind::advance:
  case Kind::be_late:
    out << " " << to_string(x.span());
    break;
  case Kind::sure_until:
    out << " " << (x.sure_for() ? to_string(*x.sure_for()) : "never") << " from now";
    break;
  case Kind::finish:
    out << (x.finish_ends() ? "" : " until told");
    if (x.grace())
      out << " within " << to_string(*x.grace());
    break;
  case Kind::drain:
    if (x.time_to_live())
      out << " within " << to_string(*x.time_to_live());
    break;
  default:
    break;
  }
  out << " {" << x.who << ", " << x.how << "}\n";
}

inline rc::Gen<Command> arbitrary_command() {
  return rc::gen::build<Command>(rc::gen::set(&Command::kind, test::weighted(commands)),
                                 rc::gen::set(&Command::who, below<std::uint32_t>(1600)),
                                 rc::gen::set(&Command::how, below<std::uint32_t>(100'000)));
}

/// What an earlier sender has left: comes before all others.
inline rc::Gen<Command> arbitrary_restore() {
  return rc::gen::build<Command>(rc::gen::set(&Command::kind, rc::gen::just(Kind::restore)),
                                 rc::gen::set(&Command::who, below<std::uint32_t>(1600)),
                                 rc::gen::set(&Command::how, below<std::uint32_t>(100'000)));
}

} // namespace backoff_actor::model_test
