#pragma once

#include "restart_action.hpp"
#include "simulated_store.hpp"
#include "walk.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// Senders that follow each other, each beside the reference, and the store that outlives them.
/// Each has a time line of its own, and is told what the store holds.
class Lives {
public:
  explicit Lives(const Conditions& conditions) : conditions_(conditions) { begin_another(); }

  void take(const Action& x) {
    switch (x.what) {
    case Action::What::live:
      if (x.command.kind != Kind::persisted && x.command.kind != Kind::replaced
          && x.command.kind != Kind::cancel_stored && x.command.kind != Kind::restore)
        life().take(x.command); // the store has its own, and is the only one to restore
      return;
    case Action::What::commit:
      return commit(x.some_of(store_.waiting()), x.percent() < store_failures_of(conditions_));
    case Action::What::answer:
      return answer(x);
    case Action::What::kill:
      die(x);
      return begin_another(x.pause());
    case Action::What::stop:
      life().take({Kind::stop, 0, 0});
      if (x.is_cut_short())
        die(x);
      else
        end_in_peace();
      return begin_another(x.pause());
    }
  }

  /// Nothing that a client was promised is lost.
  void finish() {
    life().finish();
    end_in_peace();
    if (ending_of(conditions_) == Ending::all_are_well && !store_.owed().empty()) {
      begin_another();
      life().finish();
      end_in_peace();
      require(store_.owed().empty(), "what is left to the store is worked off by a later sender");
    }
    for (const auto& [message, fate] : fates_)
      require(!fate.is_confirmed || fate.has_ended || store_.owes(message),
              "what was confirmed has ended, or is in the store");
  }

  std::string story() const {
    std::string text;
    for (std::size_t i = 0; i + 1 < walks_.size(); ++i)
      text += "sender " + number(i + 1) + ":\n" + walks_[i]->steps();
    return text + "sender " + number(walks_.size()) + ": " + walks_.back()->story();
  }

private:
  using Message = SimulatedStore::Message;

  /// What has become of a message, as its client and the children know it.
  struct Fate {
    bool is_confirmed = false;
    bool has_ended = false;   // a sender has said so
    bool end_is_lost = false; // the process died before the store was told
    std::uint32_t begun = 0;  // the newest payload that a child had
    bool is_begun = false;    // a child had it
    bool is_dropped = false;  // from a full outbox
  };

  struct Held {
    std::uint64_t delivery;
    Message message;
    bool is_restored;
    std::uint32_t hand_overs;  // how often a process has died while a child had it
    std::string note;          // the last
    std::uint32_t version = 0; // of the newest payload
    std::size_t unwritten = 0; // payloads of which the store has said nothing
    bool is_new = false;       // of those that the sender waits for, the store has taken some
  };

  enum class About { insertion, payload, cancelled };

  struct Answer {
    std::uint64_t delivery;
    bool is_stored;
    About about;
  };

  struct Left {
    std::uint32_t attempts;
    Instant submitted_at;
    Instant deadline;
    bool is_unwritten;
    std::string note;
  };

  Walk& life() { return *walks_.back(); }

  // -- beginnings and ends ---------------------------------------------------------------

  void begin_another(Duration pause = Duration::zero()) {
    const auto born = walks_.empty() ? Instant{} : wall(life().now()) + pause;
    for (const auto& [message, fate] : fates_)
      require(!fate.is_confirmed || fate.has_ended || store_.owes(message),
              "what was confirmed is in the store until it ends");
    slots_.clear();
    answers_.clear();
    left_.clear();
    walks_.push_back(std::make_unique<Walk>(conditions_));
    origin_ = born + -life().now().since_origin;
    life().listen([this](const Input& input, const Effects& effects) { look_at(input, effects); });
    life().store_by([this] {
      commit(store_.waiting(), false);
      for (const auto& x : std::exchange(answers_, {}))
        tell(x);
    });
    const auto owed = store_.owed();
    for (const auto& [delivery, x] : owed)
      life().restore(
        {delivery, x.attempts, x.hand_overs, local(x.submitted_at), local(x.deadline), x.key,
         x.weight,
         std::make_shared<const input::OwnTerms>(input::OwnTerms{
           nullptr, local(x.not_before), x.is_cancelled, x.wants_letter, !x.note.empty()})});
    const auto exhausted = std::count_if(owed.begin(), owed.end(), [&](const auto& entry) {
      const auto most = static_cast<std::uint32_t>(conditions_.max_hand_overs);
      if (entry.second.is_cancelled)
        return true;
      return most > 0 && conditions_.persist != 0 && entry.second.hand_overs >= most;
    });
    require(slots_.size() + static_cast<std::size_t>(exhausted) == owed.size(),
            "all that the store has is owed again, was handed over as often as it may be, or was "
            "cancelled");
    life().start(store_.last_number());
  }

  void die(const Action& x) {
    if (!x.makes_what_failed() || !store_.make_what_failed())
      store_.commit(x.any_of(store_.waiting()));
    life().remark("killed; the last " + number(store_.waiting()) + " changes are lost");
    for (const auto message : store_.lose_what_waits())
      fates_.at(message).end_is_lost = true;
  }

  // The sender has ended, and the store is told of all of it.
  void end_in_peace() {
    store_.commit(store_.waiting());
    require(slots_.empty(), "a sender that has ended holds nothing");
    require(store_.owed().size() == left_.size(), "the store has what was left to it, and no more");
    for (const auto& [delivery, x] : store_.owed()) {
      const auto left = left_.find(delivery);
      require(left != left_.end(), "the store has what was left to it");
      require(left->second.is_unwritten || x.attempts == left->second.attempts,
              "the store knows of all attempts");
      require(x.note == left->second.note, "the store has the last note of each");
      const auto since = left->second.submitted_at;
      require((since == x.submitted_at || since == std::max(x.submitted_at, x.not_before))
                && x.deadline == left->second.deadline,
              "age and deadline are the same in all lives");
    }
  }

  // -- the store -------------------------------------------------------------------------

  void commit(std::size_t count, bool fails) {
    if (count == 0)
      return;
    life().remark(number(count) + " changes " + (fails ? "fail" : "are committed"));
    for (const auto& x : fails ? store_.fail(count) : store_.commit(count)) {
      if (x.version != 0) {
        settle(x, !fails);
        continue;
      }
      answers_.push_back(
        {x.delivery, !fails, x.is_of_cancelled ? About::cancelled : About::insertion});
      if (fails)
        left_.erase(x.delivery); // where it came from has it still
    }
  }

  Held* held(std::uint64_t delivery) {
    for (auto& [slot, x] : slots_)
      if (x.delivery == delivery)
        return &x;
    return nullptr;
  }

  // The sender is told once it is known of all payloads of the delivery.
  void settle(const SimulatedStore::Answer& x, bool is_stored) {
    auto* const known = held(x.delivery);
    if (known == nullptr)
      return;
    known->is_new |= is_stored;
    if (--known->unwritten == 0)
      answers_.push_back({x.delivery, true, About::payload});
  }

  void answer(const Action& x) {
    if (answers_.empty())
      return;
    const auto which =
      std::next(answers_.begin(), static_cast<std::ptrdiff_t>(x.some_of(answers_.size())) - 1);
    const auto what = *which;
    if (!x.is_told_again())
      answers_.erase(which);
    tell(what);
  }

  void tell(const Answer& x) {
    if (x.about == About::insertion)
      return life().answer(x.delivery, x.is_stored);
    if (x.about == About::cancelled)
      return life().answer_cancelled(x.delivery);
    auto* const known = held(x.delivery);
    if (known == nullptr || known->unwritten != 0)
      return; // it has ended, or has a newer payload
    const auto is_new = std::exchange(known->is_new, false);
    if (is_new)
      known->hand_overs = 0;
    const auto owed = store_.owed().find(x.delivery); // if it is not there, its insertion failed
    life().answer_replaced(x.delivery, owed == store_.owed().end() ? 1 : owed->second.weight,
                           is_new);
  }

  // -- what a sender wants to be done -----------------------------------------------------

  void look_at(const Input& input, const Effects& effects) {
    if (const auto* const working = std::get_if<input::Working>(&input))
      note_ = working->note;
    for (const auto& effect : effects) {
      if (const auto* x = std::get_if<effect::Accept>(&effect))
        accept(input, *x);
      else if (const auto* y = std::get_if<effect::Persist>(&effect))
        persist(input, *y);
      else
        std::visit([this](const auto& z) { carry_out(z); }, effect);
    }
  }

  void accept(const Input& input, const effect::Accept& x) {
    if (std::holds_alternative<input::Restore>(input)) {
      const auto& owed = store_.owed().at(x.delivery);
      check_that_it_is_alive(owed.message);
      require(owed.version >= fates_.at(owed.message).begun,
              "no payload comes back after a newer one was begun");
      slots_[x.slot] = {x.delivery, owed.message, true, owed.hand_overs, owed.note, owed.version};
      return;
    }
    require(x.delivery > store_.last_number(), "a number that was stored is never used again");
    const auto message = fates_.size() + 1;
    fates_[message] = {};
    slots_[x.slot] = {x.delivery, message, false, 0, {}};
  }

  void persist(const Input& input, const effect::Persist& x) {
    const auto* submitted = std::get_if<input::Submit>(&input);
    const auto given = submitted != nullptr ? *submitted : input::Submit{};
    const auto message = slots_.at(x.slot).message;
    store_.add({x.delivery, SimulatedStore::Insert{{message,
                                                    wall(life().now()),
                                                    wall(given.deadline),
                                                    given.key,
                                                    given.weight,
                                                    0,
                                                    0,
                                                    time_of(given),
                                                    false,
                                                    false,
                                                    0,
                                                    {}}}});
  }

  Instant time_of(const input::Submit& x) {
    return x.own && x.own->not_before > life().now() ? wall(x.own->not_before)
                                                     : Instant{Duration::min()};
  }

  template <class T>
  void carry_out(const T&) {} // concerns neither the store nor a client

  void carry_out(const effect::Confirm& x) {
    const auto message = slots_.at(x.slot).message;
    require(store_.knows(message), "what is confirmed is on the disk");
    require(!std::exchange(fates_.at(message).is_confirmed, true),
            "a client is told once that its message is safe");
  }

  void carry_out(const effect::HandOver& x) {
    const auto& held = slots_.at(x.slot);
    require(store_.knows(held.message), "what is handed over is on the disk");
    require(held.is_restored || fates_.at(held.message).is_confirmed,
            "a client is told that its message is safe before a child has it");
    check_that_it_is_alive(held.message);
    require(held.unwritten == 0, "a payload that is handed over is on the disk");
    const auto& owed = store_.owed().at(held.delivery);
    auto& fate = fates_.at(held.message);
    check_order(held.delivery, owed, fate);
    fate.is_begun = true;
    fate.begun = owed.version;
    count_hand_overs(held, 1);
  }

  void carry_out(const effect::GiveBack& x) {
    const auto held = slots_.find(x.slot);
    if (held != slots_.end() && held->second.delivery == x.delivery) // otherwise it has ended
      count_hand_overs(held->second, 0);
  }

  // Charged is what a child has, as long as it has it.
  void count_hand_overs(const Held& held, std::uint32_t now) {
    if (conditions_.max_hand_overs > 0)
      store_.add({held.delivery, SimulatedStore::CountHandOvers{held.hand_overs + now}});
  }

  void carry_out(const effect::CountAttempts& x) {
    store_.add({x.delivery, SimulatedStore::CountAttempts{x.attempts}});
  }

  void carry_out(const effect::TellCancelled& x) {
    store_.add({x.delivery, SimulatedStore::Cancel{x.wants_letter}});
  }
  void carry_out(const effect::Replace& x) {
    auto& held = slots_.at(x.slot);
    ++held.unwritten;
    store_.add({x.delivery, SimulatedStore::Replace{++held.version, 1}});
  }
  void carry_out(const effect::Cancelled& x) { end(x.slot, true); }
  void carry_out(const effect::KeepNote& x) {
    auto& note = slots_.at(x.slot).note;
    note = note_;
    store_.add({x.delivery, SimulatedStore::Note{note}});
  }
  void carry_out(const effect::Acknowledge& x) { end(x.slot); }
  void carry_out(const effect::DeadLetter& x) {
    const auto& held = slots_.at(x.slot);
    const auto is_of_the_end =
      x.reason == DeadLetterReason::stopped || x.reason == DeadLetterReason::gave_up;
    require(!is_of_the_end || !(held.is_restored || fates_.at(held.message).is_confirmed),
            "what was confirmed outlives its sender");
    fates_.at(held.message).is_dropped |= x.reason == DeadLetterReason::dropped;
    end(x.slot, x.reason == DeadLetterReason::cancelled);
  }

  void carry_out(const effect::Suspend& x) {
    count_hand_overs(slots_.at(x.slot), 0);
    if (store_.will_have(x.delivery)) // otherwise where it came from has it still
      left_[x.delivery] = {x.attempts, wall(x.submitted_at), wall(x.deadline),
                           slots_.at(x.slot).unwritten != 0 || slots_.at(x.slot).is_new,
                           slots_.at(x.slot).note};
    slots_.erase(x.slot);
  }

  void end(std::uint32_t slot, bool is_cancelled = false) {
    const auto held = slots_.at(slot);
    auto& fate = fates_.at(held.message);
    fate.has_ended = true;
    fate.end_is_lost = false;
    store_.add({held.delivery, SimulatedStore::End{held.message, is_cancelled}});
    slots_.erase(slot);
  }

  // What no child had yet comes after what was submitted before it, also in an earlier life. What
  // is dropped from a full outbox may come back, and what has a time has no place in the order.
  void check_order(std::uint64_t delivery, const SimulatedStore::Owed& owed, const Fate& fate) {
    const auto ordering = static_cast<Ordering>(conditions_.ordering);
    if (ordering == Ordering::unordered || (ordering == Ordering::per_key && owed.key == 0)
        || owed.not_before != Instant{Duration::min()})
      return;
    auto& youngest = youngest_begun_[ordering == Ordering::strict ? 0 : owed.key];
    require(fate.is_begun || fate.is_dropped || delivery > youngest,
            "nothing comes back behind a younger one that was begun before it");
    youngest = std::max(youngest, delivery);
  }

  // It may have been handed over in an earlier life, but that life did not end it for good.
  void check_that_it_is_alive(Message message) const {
    const auto& fate = fates_.at(message);
    require(!store_.has_ended(message), "what has ended on the disk never comes back");
    require(!fate.has_ended || fate.end_is_lost,
            "what has ended comes back only if the process died before that was stored");
  }

  // -- time lines ------------------------------------------------------------------------

  Instant wall(Instant at) const { return at == Instant::never() ? at : at + origin_.since_origin; }
  Instant local(Instant at) const {
    return at == Instant::never() ? at : at + -origin_.since_origin;
  }

  Conditions conditions_;
  std::string note_; // that came with this step
  SimulatedStore store_;
  std::map<Message, Fate> fates_;
  std::map<std::uint64_t, std::uint64_t> youngest_begun_; // by key; in strict order there is one
  std::vector<std::unique_ptr<Walk>> walks_;              // the last one lives
  Instant origin_{};                                      // of its time line
  std::map<std::uint32_t, Held> slots_;                   // what it owes
  std::map<std::uint64_t, Left> left_; // what it has left to the store, at its end
  std::vector<Answer> answers_;        // that the store has not given yet
};

} // namespace backoff_actor::model_test
