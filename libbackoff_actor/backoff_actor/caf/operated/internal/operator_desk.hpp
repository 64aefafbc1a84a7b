#pragma once

#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/sinks/internal/operable.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace backoff_actor::detail {

// Where operators and a sender meet. An operator leaves an order, sends the sender `OperatorNews`,
// and waits. The sender keeps its dead letters here, unless they are in its outbox.
//
// It does not keep the sender alive, and needs no actor system: an operator's thread may be the
// last to let go of it.
class BACKOFF_ACTOR_EXPORT OperatorDesk final : public Operable {
public:
  OperatorDesk(caf::actor_addr sender, DurableOutbox outbox);
  ~OperatorDesk() override;

  // -- for the sender -----------------------------------------------------------------

  // Keeps the letter, and drops the oldest if there are too many.
  void keep(DeadLetter letter);

  // Answers all orders. `state` is the sender's, in one line.
  void answer(caf::event_based_actor& sender, const std::string& state);

  // -- for operators ------------------------------------------------------------------

  OperatorOutcome act(OperatorAction action) override;
  Letters letters() override;
  OperatorOutcome resubmit(std::span<const std::uint64_t> ids) override;
  OperatorOutcome remove(std::span<const std::uint64_t> ids) override;
  void end() override;

private:
  struct Order;
  struct Kept {
    std::deque<DeadLetter> letters;
    std::uint64_t dropped = 0;
  };

  std::vector<DeadLetter> all_letters() const;
  std::size_t remove_letters(std::span<const std::uint64_t> ids);
  OperatorOutcome wait_for(const std::shared_ptr<Order>& order, Duration limit);

  const caf::actor_addr sender_;
  const DurableOutbox outbox_; // none: the letters are here
  std::mutex actions_;         // no letter is resubmitted by two operators
  mutable std::mutex mutex_;   // guards what follows it
  std::vector<std::shared_ptr<Order>> orders_;
  std::unique_ptr<Kept> kept_; // none: no letter was kept yet
  bool has_ended_ = false;
};

} // namespace backoff_actor::detail
