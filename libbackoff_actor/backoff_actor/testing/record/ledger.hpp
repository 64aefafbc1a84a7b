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

using backoff_actor::to_string; // for spans; the overloads below would hide it

/// One kind of fault in a ledger, with the keys concerned.
struct LedgerFault {
  /// The maximum number of keys that are named.
  static constexpr std::size_t named = 5;

  std::uint64_t count = 0;         ///< how often it happened
  std::vector<std::string> keys{}; ///< the first keys concerned, in the order of their first note
  std::uint64_t more_keys = 0;     ///< how many further keys are concerned

  /// Whether two are the same.
  friend bool operator==(const LedgerFault&, const LedgerFault&) = default;
};

/// The totals and the faults of a ledger.
struct BACKOFF_ACTOR_EXPORT LedgerSummary {
  std::uint64_t submitted = 0;     ///< messages that were submitted
  std::uint64_t executed = 0;      ///< executions
  std::uint64_t acknowledged = 0;  ///< messages that ended with an acknowledgement
  std::uint64_t dead_lettered = 0; ///< messages that were given up
  std::uint64_t refused = 0;       ///< messages that were not accepted
  std::uint64_t owed = 0;          ///< messages that have not ended and are still owed
  LedgerFault lost{};              ///< messages that have not ended and are not owed
  LedgerFault unexecuted{};        ///< messages acknowledged but never executed, see `Ledger`
  LedgerFault duplicates{};        ///< executions beyond one per submission
  LedgerFault ended_twice{};       ///< endings beyond one per submission
  LedgerFault phantoms{};          ///< executions and endings of messages never submitted

  /// Renders the losses as a clause without a full stop, each fault with its keys:
  /// `lost: a, b; acknowledged but never executed: c`. Empty: nothing was lost.
  std::string losses_text() const;

  /// Renders all faults except duplicates, in the same form: losses, endings beyond one per
  /// submission, and phantoms. Empty: each submitted message ended once, and no other message did.
  std::string faults_text() const;

  /// The executions beyond one per submission, in the same form. Empty: there are none.
  std::string duplicates_text() const;
};

/// Renders a summary in one line. Rare numbers appear only if they are not 0:
/// `submitted 1000, acknowledged 998, dead-lettered 2, refused 0, lost 0, duplicates 3`.
BACKOFF_ACTOR_EXPORT std::string to_string(const LedgerSummary& summary);

/// Proves that nothing was lost, and counts duplicates. Clients note each message that they submit
/// and how it ends; workers note each execution. The summary compares these notes. Copies of a
/// ledger share its notes.
///
/// A key names a message; the test chooses its text. A message that is submitted again, such as a
/// resubmitted dead letter, needs one more ending. If executions are noted, an acknowledged message
/// without an execution is a fault too. Without any noted execution only endings are compared.
///
/// A note costs one look-up, and the first note of a key about 120 bytes.
///
/// @thread safe: notes may come from any thread, and those of one key in any order.
class BACKOFF_ACTOR_EXPORT Ledger {
public:
  /// Begins with no notes.
  Ledger();

  /// Notes that a message was submitted, or is about to be.
  void submitted(std::string_view key) const;
  /// Notes that a worker executed a message.
  void executed(std::string_view key) const;
  /// Notes that a message ended well: its client has the answer.
  void acknowledged(std::string_view key) const;
  /// Notes that a message ended without success.
  void dead_lettered(std::string_view key) const;
  /// Notes that a message was not accepted.
  void refused(std::string_view key) const;

  /// A hook for `SenderOptions::on_event` that notes the events of a sender. Its keys are the
  /// numbers of the deliveries; each accepted delivery must end once. A message that was not
  /// accepted has no number and is not noted. With several senders, name each: keys are then
  /// `orders 17`.
  EventHook hook(const std::string& sender = {}) const;

  /// Compares all notes so far, in linear time.
  ///
  /// @param owed how many messages are still owed and need no ending yet: `SenderStatus::owed` of a
  ///             sender, or the number of deliveries in a durable outbox.
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
