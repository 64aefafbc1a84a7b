#pragma once

#include "backoff_actor/engine/outbox/outbox_engine.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor {

inline StoreChange insertion(std::uint64_t id) { return change::Insert{{.id = id}}; }
inline StoreChange acknowledgement(std::uint64_t id) { return change::Acknowledge{id, {}}; }
inline StoreChange burial(std::uint64_t id) {
  return change::Bury{id, DeadLetterReason::expired, 0, "", {}};
}

/// Says what a change is: `insert 1`, `ack 1`.
struct NameOfChange {
  std::string operator()(const change::Insert& x) const {
    return "insert " + std::to_string(x.delivery.id);
  }
  std::string operator()(const change::Acknowledge& x) const {
    return (x.is_dropped ? "drop " : "ack ") + std::to_string(x.delivery);
  }
  std::string operator()(const change::CountAttempts& x) const {
    return "count " + std::to_string(x.attempts) + " of " + std::to_string(x.delivery);
  }
  std::string operator()(const change::CountHandOvers& x) const {
    return "hand-over of " + std::to_string(x.delivery);
  }
  std::string operator()(const change::SetContext& x) const {
    return "context of " + std::to_string(x.delivery) + ": " + x.context;
  }
  std::string operator()(const change::SetMessage& x) const {
    return "message of " + std::to_string(x.delivery);
  }
  std::string operator()(const change::Bury& x) const {
    return "bury " + std::to_string(x.delivery);
  }
  std::string operator()(const change::ForgetKeys&) const { return "forget"; }
  std::string operator()(const change::KeepAnswer& x) const {
    return "answer of " + x.idempotency_key;
  }
  std::string operator()(const change::DropIncoming& x) const {
    return "drop row " + std::to_string(x.incoming);
  }
};

/// Gives inputs to the engine of an outbox, and says what it asks for.
class OutboxDriver {
public:
  using Strings = std::vector<std::string>;

  explicit OutboxDriver(const OutboxEngineOptions& options) : engine(options) {}

  Strings step(OutboxInput input) {
    OutboxEffects effects;
    engine.step(now, std::move(input), effects);
    Strings result;
    for (const auto& x : effects)
      result.push_back(std::visit([this](const auto& one) { return name(one); }, x));
    return result;
  }

  Strings attach() { return step(outbox_input::Attach{}); }
  Strings put(std::vector<StoreChange> changes) {
    return step(outbox_input::Put{std::move(changes)});
  }
  Strings insert(std::initializer_list<std::uint64_t> ids) {
    std::vector<StoreChange> changes;
    for (const auto id : ids)
      changes.push_back(insertion(id));
    return put(std::move(changes));
  }
  Strings detach() { return step(outbox_input::Detach{}); }
  Strings go() { return step(outbox_input::Go{}); }
  Strings done(bool is_untidy = false) { return step(outbox_input::Done{is_untidy}); }
  Strings fail(StoreFailure failure) { return step(outbox_input::Failed{failure, "told to"}); }

  /// Lets the time pass, and then says that it is over.
  Strings wake(Duration span) {
    now = now + span;
    return step(outbox_input::Wake{});
  }

  Instant now{std::chrono::hours{1}};
  OutboxEngine engine;

private:
  std::string name(const outbox_effect::GoOn&) const { return "go on"; }
  std::string name(const outbox_effect::Sleep& x) const { return "sleep " + to_string(x.span); }
  std::string name(const outbox_effect::Commit& x) const {
    std::string result;
    for (const auto& one : x.changes)
      result.append(result.empty() ? "" : ", ").append(std::visit(NameOfChange{}, one));
    return "commit " + result + (x.are_burials_doubtful ? " (doubtful)" : "");
  }
  std::string name(const outbox_effect::Renew&) const { return "renew"; }
  std::string name(const outbox_effect::TidyUp&) const { return "tidy up"; }
  std::string name(const outbox_effect::ReportFailure&) const { return "report"; }
  std::string name(const outbox_effect::TellInsertions& x) const {
    return std::to_string(x.last_id) + (x.failure ? " failed" : " stored");
  }
  std::string name(const outbox_effect::TellHandOver& x) const {
    return "hand-over of " + std::to_string(x.count.delivery) + " is counted";
  }
  std::string name(const outbox_effect::TellCancelled& x) const {
    return "cancellation of " + std::to_string(x.delivery) + " is stored";
  }
  std::string name(const outbox_effect::TellReplaced& x) const {
    return "message of " + std::to_string(x.delivery) + " for " + std::to_string(x.sender)
           + (x.failure ? " is not stored: " + x.failure->text : " is stored");
  }
  std::string name(const outbox_effect::TellBehind& x) const {
    return std::string{x.is_behind ? "behind" : "not behind"}
           + (x.failure.text.empty() ? "" : ": " + x.failure.text);
  }
  std::string name(const outbox_effect::TellSure& x) const {
    if (x.is_lost)
      return "lost";
    return x.until <= now ? "unsure" : "sure for " + to_string(x.until - now);
  }
};

} // namespace backoff_actor
