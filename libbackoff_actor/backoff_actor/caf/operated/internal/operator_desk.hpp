#pragma once

#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"
#include "backoff_actor/sinks/internal/letter_book.hpp"
#include "backoff_actor/sinks/internal/operable.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace backoff_actor::detail {

// Where operators and a sender meet. An operator leaves an order, sends the sender `OperatorNews`,
// and waits. The sender keeps its dead letters here, unless they are in its outbox.
//
// A dead letter is submitted again at most once. From then on until the sender has accepted or
// refused it, it is under way, and nobody can do anything to it. An accepted one is removed first.
//
// It does not keep the sender alive, and needs no actor system: an operator's thread may be the
// last to let go of it.
class BACKOFF_ACTOR_EXPORT OperatorDesk final : public Operable,
                                                public std::enable_shared_from_this<OperatorDesk> {
public:
  static constexpr Duration patience_with_letters = std::chrono::seconds{30};

  // How long an operator waits until the sender has taken or refused letters.
  OperatorDesk(caf::actor_addr sender, DurableOutbox outbox,
               Duration patience = patience_with_letters);
  ~OperatorDesk() override;

  // -- for the sender -----------------------------------------------------------------

  // Keeps the letter, and drops the oldest if there are too many.
  void keep(DeadLetter letter, WallTime now);

  // How many letters are here; null: none was kept yet. The sender's.
  const std::shared_ptr<LetterCount>& letter_count() const { return letter_count_; }

  // Answers all orders. `state` is the sender's, in one line.
  void answer(caf::event_based_actor& sender, const std::string& state);

  // -- for operators ------------------------------------------------------------------

  OperatorOutcome act(OperatorAction action) override;
  Letters letters(std::uint64_t below, std::size_t at_most) override;
  std::optional<KeptLetter> letter(std::uint64_t id) override;
  OperatorOutcome resubmit(std::span<const std::uint64_t> ids) override;
  OperatorOutcome remove(std::span<const std::uint64_t> ids) override;
  void end() override;

private:
  struct Order;
  class Claim;
  using Ids = std::vector<std::uint64_t>;
  struct KeptOne {
    DeadLetter letter;
    WallTime at; // when it came
  };
  struct Kept {
    std::deque<KeptOne> letters;
    std::uint64_t dropped = 0;
  };

  std::vector<DeadLetter> newest_letters(std::uint64_t below, std::size_t at_most) const;
  std::optional<DeadLetter> letter_of(std::uint64_t id) const;
  std::size_t remove_letters(std::span<const std::uint64_t> ids);
  void count_kept() BACKOFF_ACTOR_REQUIRES(mutex_);
  Ids claim(std::span<const std::uint64_t> ids);
  void release(std::span<const std::uint64_t> ids);
  void release_letters_of(const Order& order);
  void remove_accepted();
  bool withdraw(const std::shared_ptr<Order>& order);
  OperatorOutcome wait_for(const std::shared_ptr<Order>& order, Duration limit);
  static caf::behavior resubmit_in(caf::event_based_actor* helper, const caf::actor& sender,
                                   const std::shared_ptr<OperatorDesk>& desk,
                                   const std::shared_ptr<Order>& order);
  void add_helper(caf::actor helper);
  void remove_helper(const caf::actor& helper);
  void finish(Order& order, const Ids& accepted, std::string error);

  const caf::actor_addr sender_;
  const DurableOutbox outbox_; // none: the letters are here
  const Duration patience_;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Order>> orders_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  std::vector<caf::actor> helpers_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // that submit letters
  std::unique_ptr<Kept> kept_ BACKOFF_ACTOR_GUARDED_BY(mutex_);      // none: no letter was kept yet
  std::shared_ptr<LetterCount> letter_count_;                        // as `kept_`
  std::unordered_set<std::uint64_t>
    under_way_ BACKOFF_ACTOR_GUARDED_BY(mutex_);  // letters that one action has
  Ids accepted_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // of these: only their removal is left
  bool has_ended_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = false;
};

} // namespace backoff_actor::detail
