#pragma once

#include "reference_answers.hpp"

namespace backoff_actor::model_test {

/// What the store says, what an earlier sender has left there, and who joins what is owed: the part
/// of the reference sender that has to do with deliveries which outlive it or have more than one
/// client.
class ReferenceStoring : public ReferenceAnswers {
public:
  using ReferenceAnswers::ReferenceAnswers;
  using ReferenceAnswers::operator();

  void operator()(const input::Join& x) {
    if (is_stopped)
      return refuse(Refusal::stopped);
    auto* found = find(x.delivery);
    if (found == nullptr || !found->is_owed)
      return;
    if (is_closing())
      return refuse(Refusal::draining);
    if (owed().size() + joined() >= options.capacity)
      return refuse(Refusal::outbox_full);
    ++(x.until_stored ? found->joined_until_stored : found->joined);
    taken.push_back(join_line(x.delivery, x.until_stored));
  }

  void operator()(const input::Unreadable& x) {
    if (is_stopped || is_closing())
      return refuse(is_stopped ? Refusal::stopped : Refusal::draining);
    bury(accept(input::Submit{}), DeadLetterReason::unreadable, &x.cause);
  }

  void operator()(const input::Persisted& x) {
    auto* found = find(x.delivery);
    if (found == nullptr || found->is_stored)
      return;
    found->is_stored = true;
    count_accepted(x.delivery);
    found->joined_until_stored = 0;
    taken.push_back(confirm_line(x.delivery));
  }

  void operator()(const input::NotPersisted& x) {
    const auto* found = find(x.delivery);
    if (found != nullptr && !found->is_stored)
      bury(x.delivery, DeadLetterReason::not_stored, &x.cause);
  }

  void operator()(const input::StoreBehind& x) {
    if (is_stopped)
      return;
    is_store_behind = x.is_behind;
    if (!is_store_behind && is_store_lag_told)
      tell(event::StoreCaughtUp{now});
    else if (is_store_behind && x.cause.code != 0 && !is_store_lag_told)
      tell(event::StoreFellBehind{now, x.cause});
    is_store_lag_told = is_store_behind && (is_store_lag_told || x.cause.code != 0);
  }

  void operator()(const input::SureUntil& x) { sure_until = x.until; }

  void operator()(const input::StoreNotice& x) {
    if (!is_stopped)
      tell(event::StoreNotice{now, x.text});
  }

  void operator()(const input::Restore& x) {
    if (is_stopped || !options.persist || x.delivery <= last_id_)
      return;
    const auto is_over = x.own && x.own->not_before <= now;
    auto& delivery = take_in(
      x, x.delivery, is_over ? std::max(x.submitted_at, x.own->not_before) : x.submitted_at);
    delivery.attempts = x.attempts;
    delivery.is_stored = true;
    if (x.own)
      keep_own(delivery, *x.own);
    ++counters.restored;
    tell(event::Restored{now, x.delivery, x.attempts});
    if (x.own && x.own->is_cancelled) {
      delivery.wants_letter = x.own->wants_letter;
      delivery.is_end_stored = true;
      return end_cancelled(x.delivery);
    }
    if (options.max_hand_overs && x.hand_overs > 0) {
      delivery.is_suspect = true;
      if (x.hand_overs >= *options.max_hand_overs) {
        const Cause cause{0, "the process ended " + std::to_string(x.hand_overs)
                               + (x.hand_overs == 1 ? " time" : " times")
                               + " while a child had it"};
        return bury(x.delivery, DeadLetterReason::hand_overs_exhausted, &cause);
      }
    }
  }
};

} // namespace backoff_actor::model_test
