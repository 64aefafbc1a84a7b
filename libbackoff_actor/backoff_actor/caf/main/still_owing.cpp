#include "backoff_actor/caf/main/internal/still_owing.hpp"

#include "backoff_actor/caf/actor/internal/sender_registry.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <utility>

namespace backoff_actor::detail {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// To answer, each time.
constexpr auto time_to_answer = 1s;
// So many are asked at a time: the answers wait in one mailbox, which is searched from its front.
constexpr std::size_t asked_at_once = 1000;

// A sender that owes, beside what was found out about it.
struct Debtor {
  RegisteredSender sender;
  OwingSender found;
};

// Asks the senders for their status, and returns those that owe or do not answer until `limit`. Of
// very many it asks as many as it can until then.
class Inquiry {
public:
  Inquiry(caf::actor_system& system, Clock::time_point limit) : self_(system), limit_(limit) {}

  std::vector<Debtor> ask(std::span<const RegisteredSender> senders) {
    while (!senders.empty() && Clock::now() < limit_) {
      const auto some = senders.first(std::min(senders.size(), asked_at_once));
      ask_some(some);
      senders = senders.subspan(some.size());
    }
    return std::move(debtors_);
  }

private:
  auto request(const caf::actor& whom, Duration within) {
    return compat::request_within(*self_, within, whom, Status{});
  }

  void ask_some(std::span<const RegisteredSender> senders) {
    using Handle = decltype(request(caf::actor{}, Duration{}));
    std::vector<std::pair<const RegisteredSender*, Handle>> asked;
    const auto left = std::max<Duration>(limit_ - Clock::now(), 1ms);
    for (const auto& sender : senders)
      if (const auto whom = caf::actor_cast<caf::actor>(sender.address))
        asked.emplace_back(&sender, request(whom, left));
    for (auto& [sender, handle] : asked)
      std::move(handle).receive(
        [this, who = sender](const SenderStatus& status) {
          if (status.owed > 0)
            note(*who, status);
        },
        [this, who = sender](const caf::error& error) {
          if (error == caf::sec::request_timeout) // any other error means that it has ended
            note(*who, std::nullopt);
        });
  }

  void note(const RegisteredSender& sender, std::optional<SenderStatus> status) {
    debtors_.push_back({sender, {sender.name, std::move(status), sender.ack_timeout}});
  }

  caf::scoped_actor self_;
  Clock::time_point limit_;
  std::vector<Debtor> debtors_;
};

} // namespace

std::vector<OwingSender> still_owing(caf::actor_system& system, SenderRegistry& registry,
                                     Duration patience) {
  const auto end = Clock::now() + std::min<Duration>(patience, 24h);
  const auto ask = [&](std::span<const RegisteredSender> senders) {
    return Inquiry{system, Clock::now() + time_to_answer}.ask(senders);
  };
  auto interval = 10ms;
  auto senders = registry.senders();
  for (auto are_all = true;; are_all = false) {
    auto debtors = ask(senders);
    if (debtors.empty() && !are_all)
      debtors = ask(registry.senders()); // those that were done may owe again, or be new
    if (debtors.empty())
      return {};
    const auto left = end - Clock::now();
    if (left <= 0s) {
      std::vector<OwingSender> result;
      for (auto& debtor : debtors)
        result.push_back(std::move(debtor.found));
      return result;
    }
    senders.clear();
    for (auto& debtor : debtors)
      senders.push_back(std::move(debtor.sender));
    registry.wait_for_end(std::min<Duration>(left, interval));
    interval = std::min(2 * interval, 100ms);
  }
}

bool report_exit(caf::actor_system& system, SenderRegistry& registry,
                 const ExitReportOptions& options) noexcept {
  try {
    auto senders = still_owing(system, registry, options.patience);
    const auto are_some = !senders.empty();
    for (const auto& line : exit_report_lines(std::move(senders), options.patience))
      tell(options.on_line, line);
    return are_some;
  } catch (...) {
    return false; // there is no memory left for a report
  }
}

void tell(const std::function<void(const std::string& line)>& on_line,
          const std::string& line) noexcept {
  try {
    if (on_line)
      on_line(line);
    else
      tell_error_stream("backoff_actor: " + line);
  } catch (...) {
    // A function of the program threw.
  }
}

} // namespace backoff_actor::detail
