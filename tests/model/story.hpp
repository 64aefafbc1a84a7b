#pragma once

#include "contract.hpp"

#include <string>
#include <variant>

namespace backoff_actor::model_test {

/// Inputs in words, from which a test can be written.
class Story {
public:
  explicit Story(const Contract& contract) : contract_(contract) {}

  std::string operator()(const Input& input) const {
    return std::visit([this](const auto& x) { return tell(x); }, input);
  }

private:
  std::string tell(const input::Restore& x) const {
    return "Restore " + number(x.delivery) + ", " + number(x.attempts) + " attempts, since "
           + describe(x.submitted_at) + ", key " + number(x.key) + " weight " + number(x.weight)
           + until(x.deadline);
  }
  std::string tell(const input::Start& x) const {
    return x.last_delivery == 0 ? "Start" : "Start after " + number(x.last_delivery);
  }
  std::string tell(const input::Submit& x) const {
    return "Submit key " + number(x.key) + " weight " + number(x.weight) + until(x.deadline)
           + (x.has_source ? ", from elsewhere" : "");
  }
  std::string tell(const input::Unreadable&) const { return "Unreadable"; }
  std::string tell(const input::Join& x) const {
    return "Join " + number(x.delivery) + (x.until_stored ? " until it is stored" : "");
  }
  std::string tell(const input::Persisted& x) const { return "Persisted " + number(x.delivery); }
  std::string tell(const input::StoreBehind& x) const {
    return x.is_behind ? x.cause.is_error() ? "StoreBehind, it fails" : "StoreBehind, it is slow"
                       : "StoreBehind no longer";
  }
  std::string tell(const input::SureUntil& x) const { return "SureUntil " + describe(x.until); }
  std::string tell(const input::StoreNotice& x) const { return "StoreNotice " + x.text; }
  std::string tell(const input::NotPersisted& x) const {
    return "NotPersisted " + number(x.delivery);
  }
  std::string tell(const input::ChildStarted& x) const {
    return "ChildStarted " + number(x.incarnation);
  }
  std::string tell(const input::StartFailed& x) const {
    return "StartFailed " + number(x.incarnation) + verdict(x.verdict);
  }
  std::string tell(const input::ChildDown& x) const {
    return "ChildDown " + number(x.incarnation) + words(x.end) + code(x.cause)
           + verdict(x.decision.verdict) + words(x.decision.blame);
  }
  std::string tell(const input::Acknowledged& x) const {
    return "Acknowledged " + name(x.hand_over);
  }
  std::string tell(const input::ErrorAnswer& x) const {
    return "ErrorAnswer " + name(x.hand_over) + code(x.cause) + (x.is_bounce ? ", bounce" : "")
           + (x.is_settled ? ", settled" : "") + verdict(x.decision.verdict)
           + after(x.decision.retry_after) + words(x.decision.blame);
  }
  std::string tell(const input::ChildAlive& x) const {
    return "ChildAlive " + number(x.incarnation) + ", probe " + number(x.probe);
  }
  std::string tell(const input::Nacked& x) const {
    return "Nacked " + name(x.hand_over) + after(x.retry_after) + words(x.blame);
  }
  std::string tell(const input::Rejected& x) const { return "Rejected " + name(x.hand_over); }
  std::string tell(const input::Working& x) const {
    return "Working " + name(x.hand_over)
           + (x.note.empty() ? "" : ", note " + x.note.substr(0, 10));
  }
  std::string tell(const input::Cancel& x) const {
    return "Cancel " + number(x.delivery) + (x.wants_letter ? ", for a letter" : "");
  }
  std::string tell(const input::CancelStored& x) const {
    return "CancelStored " + number(x.delivery);
  }
  std::string tell(const input::Replace& x) const {
    return "Replace " + number(x.delivery) + ", " + number(x.weight) + " bytes";
  }
  std::string tell(const input::Replaced& x) const {
    return "Replaced " + number(x.delivery) + ", " + number(x.weight) + " bytes"
           + (x.is_new ? "" : ", not stored");
  }
  std::string tell(const input::Wake&) const { return "Wake"; }
  std::string tell(const input::GuardClosed&) const { return "GuardClosed"; }
  std::string tell(const input::RetryNow&) const { return "RetryNow"; }
  std::string tell(const input::Reset&) const { return "Reset"; }
  std::string tell(const input::Pause&) const { return "Pause"; }
  std::string tell(const input::Resume&) const { return "Resume"; }
  std::string tell(const input::Resize& x) const {
    return "Resize kind " + number(x.kind) + " to " + number(x.workers.least) + ".."
           + number(x.workers.most);
  }
  std::string tell(const input::RetireWorker& x) const {
    return "RetireWorker " + number(x.worker);
  }
  std::string tell(const input::Drain& x) const {
    return "Drain, ticket " + number(x.ticket) + until(x.deadline);
  }
  std::string tell(const input::Stop& x) const {
    return x.is_timed ? "Stop" : "Stop, without a limit";
  }
  std::string tell(const input::Kill&) const { return "Kill"; }
  std::string tell(const input::Finish& x) const {
    return std::string{x.ends ? "Finish" : "Finish until told"} + until(x.deadline);
  }

  static std::string until(Instant deadline) {
    return deadline == Instant::never() ? "" : " until " + describe(deadline);
  }
  static std::string after(std::optional<Duration> span) {
    return span ? " after " + to_string(*span) : "";
  }
  static std::string code(const Cause& cause) { return ", code " + number(cause.code); }
  static std::string verdict(Verdict x) { return ", " + words(x); }

  std::string name(HandOverId name) const {
    const auto* meaning = contract_.meaning(name);
    if (meaning == nullptr)
      return "of no hand-over, " + number(name.value);
    return "of delivery " + number(meaning->delivery) + " by child " + number(meaning->incarnation)
           + ", tag " + number(name.tag());
  }

  const Contract& contract_;
};

} // namespace backoff_actor::model_test
