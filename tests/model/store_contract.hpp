#pragma once

#include "backoff_actor/engine/sender/sender_effects.hpp"
#include "backoff_actor/engine/sender/sender_engine_options.hpp"
#include "backoff_actor/engine/sender/sender_inputs.hpp"
#include "backoff_actor/observe/sender_status.hpp"
#include "drawn.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// What a driver with a store may count on: nothing is handed over, confirmed or left to the store
/// that the store has not taken; what the store is told of attempts is all that there were; each
/// delivery has a number of its own, above all before it, and ends once.
class StoreContract {
public:
  explicit StoreContract(const EngineOptions& options)
    : has_store_(options.persist),
      takes_back_(options.charging.rule == Charging::Rule::by_evidence),
      has_class_limits_(options.by_reason.has_max_attempts()),
      most_attempts_(options.by_reason.has_max_attempts()
                       ? UINT32_MAX
                       : options.max_attempts.value_or(UINT32_MAX)) {}

  struct Record {
    Instant submitted_at;
    Instant deadline;
    std::uint64_t key;
    std::uint32_t weight;
    std::uint32_t attempts; // that the store knows of
    bool is_restored;
    bool is_stored;
    bool has_source = false;   // which keeps it until it is stored
    bool is_asked_for = false; // the store was asked to take it
    bool is_owed = true;
    std::optional<std::uint32_t> own_limit{}; // of attempts
    Instant not_before{Duration::min()};

    /// Since when it is owed: since it was submitted or, once its time has come, since then.
    bool is_since(Instant at) const {
      return at == submitted_at || at == std::max(submitted_at, not_before);
    }
  };

  /// All that there ever were, by number.
  std::map<std::uint64_t, Record> all;

  bool is_stored(std::uint64_t id) const { return all.at(id).is_stored; }

  /// It has another payload, which has not failed.
  void forget_attempts(std::uint64_t id) { all.at(id).attempts = 0; }

  /// Those to which the store has not said yes or no.
  std::vector<std::uint64_t> awaited() const {
    std::vector<std::uint64_t> result;
    for (const auto& [id, record] : all)
      if (record.is_owed && !record.is_stored)
        result.push_back(id);
    return result;
  }

  /// The highest number so far, also in earlier senders.
  std::uint64_t last_number() const { return last_number_; }

  /// Whether a submission became a delivery in this step, and still is one.
  bool took_a_newcomer() const { return newcomer_ && all.at(*newcomer_).is_owed; }

  // -- one step: what goes in, the effects ------------------------------------------------

  void before(Instant now, const Input& input) {
    coming_.reset();
    coming_number_ = 0;
    newcomer_.reset();
    said_yes_to_.reset();
    said_no_to_.reset();
    if (const auto* x = std::get_if<input::Submit>(&input))
      take(*x, now);
    else if (std::holds_alternative<input::Unreadable>(input))
      coming_ = Record{now, Instant::never(), 0, 0, 0, false, !has_store_};
    else if (const auto* y = std::get_if<input::Restore>(&input))
      take(*y);
    else if (const auto* z = std::get_if<input::Persisted>(&input))
      said_yes_to_ = awaited(z->delivery);
    else if (const auto* u = std::get_if<input::NotPersisted>(&input))
      take(*u);
    else if (const auto* v = std::get_if<input::Start>(&input); v != nullptr && !is_closing_)
      last_number_ = std::max(last_number_, v->last_delivery);
    if (said_yes_to_) {
      all.at(*said_yes_to_).is_stored = true;
      --unstored_;
      ++accepted_;
    }
  }

  const Record& accept(std::uint64_t id) {
    require(coming_.has_value(), "only what comes is accepted");
    require(id > last_number_, "a delivery's number is above all before it");
    if (coming_->is_restored)
      require(id == coming_number_, "what is restored keeps its number");
    else
      require(id == last_number_ + 1, "newcomers are numbered one by one");
    last_number_ = id;
    if (!coming_->is_restored)
      newcomer_ = id;
    if (coming_->is_restored)
      ++restored_;
    else
      ++(has_store_ ? unstored_ : accepted_);
    const auto& result = all.emplace(id, *coming_).first->second;
    coming_.reset();
    return result;
  }

  void carry_out(const effect::Persist& x) {
    require(has_store_, "nothing is stored without a store");
    auto& record = all.at(x.delivery);
    require(x.delivery == last_number_ && record.is_owed && !record.is_restored,
            "what comes new is stored, at once");
    require(!std::exchange(record.is_asked_for, true), "a delivery is stored once");
  }

  void carry_out(const effect::Confirm& x) {
    require(said_yes_to_ == x.delivery, "what the store has just taken is confirmed, and no other");
    said_yes_to_.reset();
  }

  void carry_out(const effect::CountAttempts& x) {
    require(has_store_, "no attempts are noted without a store");
    auto& record = all.at(x.delivery);
    require(record.is_owed && record.is_stored,
            "attempts are noted where the store has a delivery");
    const auto is_charged = record.attempts >= limit_of(record) ? x.attempts == record.attempts
                                                                : x.attempts == record.attempts + 1;
    // Another class of failures may allow more, after the last attempt of the class before.
    const auto has_had_all = has_class_limits_ && x.attempts == record.attempts;
    require(is_charged || has_had_all || (takes_back_ && x.attempts < record.attempts),
            "the store is told of each attempt that is charged or taken back");
    record.attempts = x.attempts;
  }

  void carry_out(const effect::Suspend& x) {
    require(has_store_, "nothing is left to a store that is not there");
    const auto& record = all.at(x.delivery);
    require(record.is_stored || record.has_source,
            "only what the store has taken is left to it, and what has another source");
    require(record.attempts == x.attempts, "the store knows of all attempts of what is left to it");
    require(record.is_since(x.submitted_at), "it is known since when a delivery is owed");
    require(record.deadline == x.deadline,
            "a delivery that is left to the store keeps its deadline");
    if (!record.is_stored) {
      --unstored_;
      ++accepted_;
    }
    ++suspended_;
    end(x.delivery);
  }

  void carry_out(const effect::DeadLetter& x) {
    const auto& record = all.at(x.delivery);
    require((x.reason == DeadLetterReason::not_stored) == (said_no_to_ == x.delivery),
            "what the store could not take is given up for that, and no other");
    if (said_no_to_ == x.delivery) {
      require(x.cause != nullptr && x.cause->text == said_why_, "the store's cause is told");
      said_no_to_.reset();
    }
    require(!has_store_ || !(record.is_stored || record.has_source)
              || (x.reason != DeadLetterReason::stopped && x.reason != DeadLetterReason::gave_up),
            "what the store has outlives the sender");
    require(!has_store_ || x.attempts - record.attempts <= 1,
            "the store knows of all attempts but the one that ended the delivery");
    require(record.is_since(x.submitted_at), "it is known since when a delivery was owed");
    if (!record.is_stored)
      --unstored_;
    if (x.reason == DeadLetterReason::not_stored) {
      ++refused_; // it was never accepted
    } else {
      accepted_ += record.is_stored ? 0U : 1U; // it is stored as a dead letter
      ++dead_;
    }
    end(x.delivery);
  }

  void carry_out(const effect::Cancelled& x) {
    if (!all.at(x.delivery).is_stored) {
      --unstored_;
      ++accepted_;
    }
    ++cancelled_;
    end(x.delivery);
  }

  void carry_out(const effect::Acknowledge& x) {
    ++acknowledged_;
    end(x.delivery);
  }

  /// How often it may be charged.
  std::uint32_t limit_of(const Record& x) const { return x.own_limit.value_or(most_attempts_); }

  void after(const SenderStatus& status, std::size_t owed, bool has_ended) {
    const auto& counters = status.counters;
    has_ended_ = has_ended;
    is_closing_ = has_ended || status.phase >= Phase::finishing;
    require(!coming_ || !coming_->is_restored, "what is left in the store is taken in, in order");
    require(!said_yes_to_, "what the store has taken is confirmed at once");
    require(!said_no_to_, "what the store could not take ends at once");
    require(!has_store_ || !newcomer_ || all.at(*newcomer_).is_asked_for,
            "what comes new is stored");
    require(counters.accepted == accepted_ && counters.restored == restored_,
            "what comes is counted");
    require(counters.acknowledged == acknowledged_ && counters.dead_lettered == dead_
              && counters.suspended == suspended_ && counters.cancelled == cancelled_,
            "what ends is counted");
    require(counters.refused >= refused_, "what the store could not take counts as refused");
    require(has_ended || status.unstored == unstored_,
            "it is known what the store has not taken yet");
    require(accepted_ + restored_ + unstored_
              == acknowledged_ + dead_ + suspended_ + cancelled_ + owed,
            "what came has ended, or is owed");
  }

private:
  void take(const input::Submit& x, Instant now) {
    coming_ = Record{now, x.deadline, x.key, x.weight, 0, false, !has_store_, x.has_source};
    take(x.own);
  }

  void take(const input::Restore& x) {
    if (has_ended_ || !has_store_ || x.delivery <= last_number_)
      return;
    coming_ = Record{x.submitted_at, x.deadline, x.key, x.weight, x.attempts, true, true};
    take(x.own);
    coming_number_ = x.delivery;
  }

  void take(const std::shared_ptr<const input::OwnTerms>& own) {
    if (!own)
      return;
    if (own->retries)
      coming_->own_limit = own->retries->max_attempts;
    coming_->not_before = own->not_before;
  }

  void take(const input::NotPersisted& x) {
    said_no_to_ = awaited(x.delivery);
    said_why_ = x.cause.text;
  }

  std::optional<std::uint64_t> awaited(std::uint64_t id) const {
    const auto found = all.find(id);
    const auto is_awaited = found != all.end() && found->second.is_owed && !found->second.is_stored;
    return is_awaited ? std::optional{id} : std::nullopt;
  }

  void end(std::uint64_t id) {
    require(std::exchange(all.at(id).is_owed, false), "each delivery ends once");
  }

  bool has_store_;
  bool takes_back_; // charges
  bool has_class_limits_;
  std::uint32_t most_attempts_;
  bool has_ended_ = false;
  bool is_closing_ = false; // such a sender numbers nothing any more
  std::uint64_t last_number_ = 0;
  std::optional<Record> coming_{}; // in this step
  std::uint64_t coming_number_ = 0;
  std::optional<std::uint64_t> newcomer_{}; // in this step
  std::optional<std::uint64_t> said_yes_to_{};
  std::optional<std::uint64_t> said_no_to_{};
  std::string said_why_{};
  std::uint64_t accepted_ = 0;
  std::uint64_t restored_ = 0;
  std::uint64_t refused_ = 0; // by the store
  std::uint64_t unstored_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t dead_ = 0;
  std::uint64_t suspended_ = 0;
  std::uint64_t cancelled_ = 0;
};

} // namespace backoff_actor::model_test
