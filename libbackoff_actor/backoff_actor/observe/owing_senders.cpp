#include "backoff_actor/observe/internal/owing_senders.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace backoff_actor {

namespace {

constexpr std::size_t most_senders = 10;

// Longer than any sender has owed anything: who does not answer comes first.
Duration age(const OwingSender& sender) {
  return sender.status ? sender.status->oldest_age : Duration::max();
}

// Without the digits that nobody reads.
OwingSender readable(OwingSender sender) {
  if (!sender.status)
    return sender;
  for (auto* span : {&sender.status->oldest_age, &sender.status->due_in})
    *span = std::chrono::round<std::chrono::milliseconds>(*span);
  return sender;
}

std::string number_of(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

std::string advice_about_store(const SenderStatus& status) {
  std::string result =
    "Its store fails or is slow, and it hands nothing over until the store has caught up";
  if (!status.store_notices.empty())
    result += " (" + status.store_notices.back() + ')';
  return result + ". Mend the store, or send the sender Stop.";
}

std::string advice_about_child(const SenderStatus& status, const OwingSender& sender) {
  if (status.phase == Phase::starting)
    return "It has no child: one is being made, or the last one has not ended. Send it Stop.";
  if (status.owed == status.scheduled && status.ghosts == 0)
    return "Each delivery waits for its time. Send the sender Stop.";
  if (status.in_flight == 0 && status.ghosts == 0)
    return "Each delivery waits out a delay of its own. Send the sender RetryNow, or Stop.";
  if (!sender.ack_timeout)
    return "Its child has not answered, and without an ack_timeout the sender waits for ever. Set "
           "SenderOptions::ack_timeout, or send the sender Stop.";
  return "Its child has not answered yet. The sender replaces a child that is silent for "
         + to_string(*sender.ack_timeout) + " (ack_timeout). Send it Stop to end earlier.";
}

} // namespace

std::string advice_for(const OwingSender& sender) {
  if (!sender.status)
    return "A handler that blocks may hold the thread that it needs. Spawn workers that block as "
           "`detached`.";
  const auto& status = *sender.status;
  if (status.phase == Phase::finishing)
    return "It is ending, and its child finishes what it has, until the grace of its Stop is over.";
  if (status.phase == Phase::stopping)
    return "It is ending, and waits for its child. After SenderOptions::kill_grace it kills the "
           "child, and after the same time again it ends without it.";
  if (status.is_paused)
    return "It is paused. Send it Resume, or Stop.";
  if (status.is_store_behind)
    return advice_about_store(status);
  if (status.held_back_by == HeldBackBy::rate)
    return "It waits for the rate of its service. Its next turn comes in "
           + to_string(status.due_in) + ". Send it Stop if its backlog takes too long.";
  if (status.is_held_back)
    return "The guard of its service lets nothing through"
           + (status.is_delayed ? " before " + to_string(status.due_in) + " are over"
                                : std::string{})
           + ". Send it Stop if the service does not come back.";
  if (status.is_delayed)
    return "Its next retry is in " + to_string(status.due_in)
           + ". Send it RetryNow, which ends the delay, or Stop.";
  return advice_about_child(status, sender);
}

std::vector<std::string> exit_report_lines(std::vector<OwingSender> senders, Duration patience) {
  if (senders.empty())
    return {};
  std::stable_sort(senders.begin(), senders.end(),
                   [](const auto& a, const auto& b) { return age(a) > age(b); });
  std::uint64_t owed = 0;
  for (const auto& sender : senders)
    owed += sender.status ? sender.status->owed : 0;
  const auto shown = std::min(senders.size(), most_senders);

  const auto since =
    patience > Duration::zero() ? "after " + to_string(patience) + ' ' : std::string{};
  std::vector<std::string> result{since + "the actor system still waits for "
                                  + number_of(senders.size(), "sender", "senders") + " ("
                                  + number_of(owed, "delivery", "deliveries") + " owed):"};
  for (std::size_t i = 0; i < shown; ++i) {
    const auto sender = readable(senders[i]);
    result.push_back(
      "  " + (sender.status ? to_string(*sender.status) : sender.name + ": does not answer"));
    result.push_back("    " + advice_for(sender));
  }
  if (senders.size() > shown)
    result.push_back("  and " + number_of(senders.size() - shown, "other", "others"));
  return result;
}

} // namespace backoff_actor
