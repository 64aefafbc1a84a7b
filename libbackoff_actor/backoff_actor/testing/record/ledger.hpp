#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/events.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::testing {

using backoff_actor::to_string; // of spans, which would be hidden by those below

/// What is wrong with some keys of a ledger.
struct LedgerFault {
  /// How many keys a fault names.
  static constexpr std::size_t named = 5;

  std::uint64_t count = 0;         ///< how often it happened
  std::vector<std::string> keys{}; ///< where: the first keys, in the order of their first note
  std::uint64_t more_keys = 0;     ///< how many more keys there are

  /// Whether two are the same.
  friend bool operator==(const LedgerFault&, const LedgerFault&) = default;
};

/// What the notes of a ledger come to.
struct BACKOFF_ACTOR_EXPORT LedgerSummary {
  std::uint64_t submitted = 0;     ///< messages that were submitted
  std::uint64_t executed = 0;      ///< executions
  std::uint64_t acknowledged = 0;  ///< endings by an acknowledgement
  std::uint64_t dead_lettered = 0; ///< endings by giving up
  std::uint64_t refused = 0;       ///< endings without having been accepted
  std::uint64_t owed = 0;          ///< messages without an ending that somebody still owes
  LedgerFault lost{};              ///< messages without an ending that nobody owes
  LedgerFault unexecuted{};        ///< messages acknowledged that were never executed, see `Ledger`
  LedgerFault duplicates{};        ///< executions beyond one per submission
  LedgerFault ended_twice{};       ///< endings beyond one per submission
  LedgerFault phantoms{};          ///< executions and endings of what nobody submitted
  std::uint64_t forwarded = 0;     ///< endings by being passed on at most once

  /// What is wrong as far as losses go, as a clause without a full stop, each fault with its keys:
  /// `lost: a, b; acknowledged but never executed: c`. Empty: nothing was lost.
  std::string losses_text() const;

  /// All that is wrong but duplicates, in the same form: losses, endings beyond one per submission,
  /// and phantoms. Empty: every message that was submitted, and none else, ended once.
  std::string faults_text() const;

  /// The executions beyond one per submission, in the same form. Empty: there are none.
  std::string duplicates_text() const;
};

/// Renders a summary in one line, what is seldom only if it is not 0:
/// `submitted 1000, acknowledged 998, dead-lettered 2, refused 0, lost 0, duplicates 3`.
BACKOFF_ACTOR_EXPORT std::string to_string(const LedgerSummary& summary);

/// Proves that nothing was lost, and counts duplicates: those who submit note what they submit and
/// how it ends, workers note what they do, and the summary compares. Copies of a ledger share its
/// notes.
///
/// A key names a message, in words of the test's own. One that is submitted again, such as a dead
/// letter, is owed one more ending. If executions are noted, an acknowledged message that was never
/// executed is wrong too; a ledger in which nobody notes any looks at endings alone.
///
/// A note costs one look-up, and some 120 bytes for the first of a key.
///
/// @thread safe: notes may come from any thread, and those of one key in any order.
class BACKOFF_ACTOR_EXPORT Ledger {
public:
  /// Begins with no notes.
  Ledger();

  /// Notes that a message was submitted, or is about to be.
  void submitted(std::string_view key) const;
  /// Notes that a worker did what a message asks for.
  void executed(std::string_view key) const;
  /// Notes that a message ended well: its client has the answer.
  void acknowledged(std::string_view key) const;
  /// Notes that a message ended without success.
  void dead_lettered(std::string_view key) const;
  /// Notes that a message was not accepted.
  void refused(std::string_view key) const;
  /// Notes that a message was passed on and forgotten.
  void forwarded(std::string_view key) const;

  /// A hook for `SenderOptions::on_event` that keeps the books by itself, from the words of the
  /// sender: each accepted delivery, whose key is its number, is to end once. What was not accepted
  /// has no number and is not noted. What a sender passes on at most once is submitted and ended by
  /// that: nobody knows more of it. With more than one sender, name each: keys are `orders 17`.
  EventHook hook(const std::string& sender = {}) const;

  /// Compares all notes so far, in linear time.
  ///
  /// @param owed how many messages may be without an ending, because somebody still owes them: for
  ///             a sender `SenderStatus::owed`, for an outbox on disk how many it holds.
  LedgerSummary summary(std::uint64_t owed = 0) const;

private:
  struct State;

  std::shared_ptr<State> state_;
};

/// Prints the summary, for test frameworks.
BACKOFF_ACTOR_EXPORT std::ostream& operator<<(std::ostream& out, const Ledger& ledger);
/// Prints the summary, for test frameworks.
BACKOFF_ACTOR_EXPORT std::ostream& operator<<(std::ostream& out, const LedgerSummary& summary);

} // namespace backoff_actor::testing
