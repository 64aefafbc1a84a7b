#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/observe/actor_name.hpp"
#include "backoff_actor/sinks/observatory.hpp"
#include "backoff_actor/sinks/operator_event.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// What became of an action.
struct OperatorOutcome {
  /// How an action ended.
  enum class Result : std::uint8_t {
    done,      ///< it was done
    nobody,    ///< nobody has that name
    refused,   ///< it was not done, or not to all of the letters
    no_answer, ///< there was no answer in time; it may be done later
  };
  Result result{};        ///< how it ended
  std::size_t letters{0}; ///< dead letters that it was done to
  std::string text{};     ///< the state after it, or why it was not done
};

/// A dead letter that can be looked at.
struct KeptLetter {
  std::uint64_t id = 0;          ///< as `DeadLetter::id`
  DeadLetterReason reason{};     ///< why it was given up
  std::uint32_t attempts = 0;    ///< failed attempts
  std::string cause{};           ///< the last failure; empty: none
  Duration age{0};               ///< since the submission, when it was given up
  std::string message{};         ///< the message as text; empty: it cannot be read
  std::string key{};             ///< its key; empty: none
  std::string idempotency_key{}; ///< with which it was submitted; empty: none
  /// It is being submitted again, and the sender has not accepted or refused it yet. Until then
  /// nothing else can be done to it.
  bool is_under_way = false;
};

/// The dead letters of a sender that match.
struct KeptLetters {
  std::vector<KeptLetter> letters{}; ///< the newest first
  std::size_t left_out = 0;          ///< that matched and are beyond the number asked for
  std::uint64_t dropped = 0;         ///< that gave way to newer ones since the sender began
};

/// Which dead letters are meant.
struct LetterChoice {
  std::optional<std::uint64_t> id{}; ///< the one of this number; none: all that match `find`
  std::string find{}; ///< a part of the cause, message, key or name of the reason; empty: any
};

/// Acts on the senders and guards that an observatory sees. From the construction of the first on,
/// each sender without a durable outbox keeps its last 1,000 dead letters in memory while it lives.
///
/// A handle: copies do the same.
///
/// @thread safe from any thread but those of the actor system, as it waits: for a sender up to five
///         seconds, and for dead letters up to thirty
class BACKOFF_ACTOR_EXPORT Operator {
public:
  /// The hook is told of each action, by the thread that does it. Without one, each is a line on
  /// the error stream.
  explicit Operator(Observatory observatory,
                    std::function<void(const OperatorEvent&)> on_action = {});

  /// Makes a sender `pause`, `resume`, `retry_now` or `drain`.
  ///
  /// @range `action` is one of these
  OperatorOutcome act(const std::string& who, OperatorAction action, const ActorName& sender) const;

  /// Closes the circuit breakers of all guards of this name.
  OperatorOutcome close_guard(const std::string& who, const std::string& guard) const;

  /// Submits dead letters of a sender again, at most 1,000 of them, the oldest first. Each one is
  /// removed once the sender has accepted it, also after the time to wait for that is over. Letters
  /// that are under way already are left out. If no others are left, it is refused.
  ///
  /// After a crash between acceptance and removal, a letter can be submitted a second time.
  OperatorOutcome resubmit(const std::string& who, const ActorName& sender,
                           const LetterChoice& choice) const;

  /// Removes dead letters of a sender, at most 1,000 of them, the oldest first. Letters that are
  /// being submitted again are left out.
  OperatorOutcome remove(const std::string& who, const ActorName& sender,
                         const LetterChoice& choice) const;

  /// Returns the dead letters of a sender, at most so many. Nothing if there is no such sender. The
  /// hook is told of it, as of each action. Only a text to find makes it read other letters.
  ///
  /// @errors throws `StoreError` if its outbox cannot be read
  std::optional<KeptLetters> letters(const std::string& who, const ActorName& sender,
                                     const LetterChoice& choice, std::size_t at_most) const;

private:
  OperatorOutcome tell(const std::string& who, OperatorAction action, const std::string& whom,
                       OperatorOutcome outcome) const;

  Observatory observatory_;
  std::function<void(const OperatorEvent&)> on_action_;
};

} // namespace backoff_actor
