#include "tally.hpp"

#include <variant>

namespace remote_worker {

namespace {

namespace event = backoff_actor::event;

bool is_failure(const backoff_actor::Event& event) {
  if (const auto* down = std::get_if<event::ChildDown>(&event))
    return down->is_failure;
  return std::holds_alternative<event::StartFailed>(event)
         || std::holds_alternative<event::AckTimedOut>(event);
}

} // namespace

std::string summary(const Counts& counts) {
  return "accepted " + std::to_string(counts.accepted) + ", acknowledged "
         + std::to_string(counts.acknowledged) + ", dead-lettered "
         + std::to_string(counts.dead_lettered) + ", children started "
         + std::to_string(counts.children) + ", resent " + std::to_string(counts.resent);
}

std::string progress(const Counts& counts, std::uint64_t of) {
  auto result = std::to_string(counts.acknowledged) + " of " + std::to_string(of) + " acknowledged";
  if (!counts.worker.empty())
    result += ", the last by " + counts.worker;
  result += "; child " + std::to_string(counts.children);
  if (!counts.last_failure.empty())
    result += "; the last failure: " + counts.last_failure;
  return result;
}

void Tally::on_event(const backoff_actor::Event& event) {
  const std::lock_guard lock{mutex_};
  if (is_failure(event))
    counts_.last_failure = to_string(event);
  else if (std::holds_alternative<event::Accepted>(event))
    ++counts_.accepted;
  else if (std::holds_alternative<event::Acknowledged>(event))
    ++counts_.acknowledged;
  else if (std::holds_alternative<event::DeadLettered>(event))
    ++counts_.dead_lettered;
  else if (std::holds_alternative<event::ChildStarted>(event))
    ++counts_.children;
  else if (std::holds_alternative<event::GaveUp>(event))
    counts_.gave_up = true;
  else if (const auto* handed_over = std::get_if<event::HandedOver>(&event))
    counts_.resent += handed_over->again ? 1 : 0;
}

void Tally::answered_by(const std::string& worker) {
  const std::lock_guard lock{mutex_};
  counts_.worker = worker;
}

Counts Tally::counts() const {
  const std::lock_guard lock{mutex_};
  return counts_;
}

} // namespace remote_worker
