#pragma once

// Design notes
//
//     reader --put--> waiting --take--> sender --Insert--> writer --settle--> gone
//        ^                                 |
//        +----------- give_back -----------+
//
// A row is held from `put` until its deletion is committed, or until it is given back. Which rows
// are held changes only between two looks of the reader, in `begin_look` and `put`: a look that
// began before a deletion may still see the row.
//
// A new owner catches up first: all rows that were committed before come before the sender's own
// messages. So the sender takes none of these until it has all messages that were put by then.
//
// A row that cancels or replaces comes before an older row with its idempotency key, if that one
// has waited for its time. What becomes of the older row is decided by the commit of the younger
// one. So the older one is withheld until then, and read again: it may be gone by then, or another.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/incoming.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace backoff_actor {

/// Which messages of other programs are held in memory, and how many more may be.
///
/// @thread one at a time
class BACKOFF_ACTOR_EXPORT IntakeRows {
public:
  /// How many messages are held at the most, and how many bytes the messages before the last of
  /// them have.
  static constexpr std::size_t most_rows = 1000;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  // -- the sender -----------------------------------------------------------------------

  /// A sender begins. All rows that are committed now come before its own messages.
  void begin();

  /// All rows that are committed now come before the sender's next messages.
  void catch_up();

  /// Whether the sender has taken all of them.
  bool has_caught_up() const { return caught_up_after_ && taken_ >= *caught_up_after_; }

  /// Whether a message waits for the sender.
  bool is_waiting() const { return !waiting_.empty(); }

  /// The sender takes all messages that wait, in order.
  std::vector<IncomingMessage> take();

  /// No delivery was made of this row.
  ///
  /// @returns whether the reader, which waits for room, is to look again
  bool give_back(std::uint64_t row);

  /// The sender ends. What waits is given back.
  void end();

  // -- the writer -----------------------------------------------------------------------

  /// These changes are committed, and with them the deletion of the rows they are made of.
  ///
  /// @returns whether the reader, which waits for room, is to look again
  bool settle(std::span<const StoreChange> changes);

  // -- the reader -----------------------------------------------------------------------

  /// What a look of the reader may do.
  struct Look {
    std::size_t room = 0; ///< how many messages it may take; 0: it is told when there is room
    bool is_to_catch_up = false;             ///< call `Intake::catch_up` first
    std::vector<std::uint64_t> given_back{}; ///< for `Intake::give_back`, after a delay
    std::vector<std::uint64_t> read_again{}; ///< for `Intake::give_back`, at once
  };

  /// The reader is about to look.
  Look begin_look();

  /// The rows that a look must not take, between `begin_look` and `put`.
  const std::unordered_set<std::uint64_t>& in_hand() const { return in_hand_; }

  /// A look has taken these.
  ///
  /// @param has_caught_up as `Intake::has_caught_up`
  /// @returns whether the sender could be waiting for the news that it has caught up
  bool put(std::vector<IncomingMessage> messages, bool has_caught_up);

private:
  // A row that cancels or replaces, from `put` until a look begins after its commit, or until it is
  // given back.
  struct Order {
    std::string idempotency_key{};
    std::vector<std::uint64_t> withheld{};
    bool is_settled = false;
  };

  std::size_t room() const;
  void forget_bytes(std::uint64_t row);
  bool withholds(const IncomingMessage& message);
  bool withholds_any() const;
  void end_order(std::unordered_map<std::uint64_t, Order>::iterator order);

  std::vector<IncomingMessage> waiting_{};
  std::unordered_set<std::uint64_t> in_hand_{};
  std::unordered_map<std::uint64_t, std::size_t> bytes_of_{};
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> settled_{};    // since the last look
  std::vector<std::uint64_t> given_back_{}; // since the last look
  std::vector<std::uint64_t> read_again_{}; // since the last look
  std::unordered_map<std::uint64_t, Order> orders_{};
  std::uint64_t put_ = 0;                          // messages, for this sender
  std::uint64_t taken_ = 0;                        // of those, by the sender
  std::optional<std::uint64_t> caught_up_after_{}; // so many messages; none: it is not known yet
  bool is_to_catch_up_ = false;                    // the reader does not know it yet
  bool waits_for_room_ = false;                    // the reader
};

} // namespace backoff_actor
