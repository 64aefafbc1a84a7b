#include "backoff_actor/lab/simulation/internal/contention.hpp"

#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/normal.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/lab/simulation/internal/event_queue.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

// An event is the arrival of a message at the service. Its tag is the client. The way to the client
// and back is one span, because nothing that happens at a client affects other clients.

namespace backoff_actor {

namespace {

constexpr std::int64_t mean_latency_ns = 10'000'000;
constexpr double latency_deviation_ns = 2e6;

static_assert(Contention::most_clients <= EventQueue::tags);

class Client {
public:
  Client(const Policy& policy, std::uint64_t seed, std::uint64_t stream)
    : progress_(policy.start()), for_latencies_(seed, stream), for_delays_(seed, stream + 1) {}

  // Returns how long the next message travels.
  Duration latency() {
    const auto number = detail::normal_number(for_latencies_(messages_++));
    return Duration{
      std::abs(mean_latency_ns + static_cast<std::int64_t>(latency_deviation_ns * number))};
  }

  Duration there_and_back() {
    const auto there = latency();
    return there + latency();
  }

  Duration delay(const Contention& contention) {
    const auto step = contention.policy.next(progress_, for_delays_(progress_.draws));
    progress_ = step.progress;
    progress_.level = std::min(progress_.level, detail::in_nanoseconds(contention.cut_off));
    return std::min(step.delay, contention.cut_off);
  }

  // The version that the client read. Unset while its next message to arrive is a read.
  std::optional<std::uint32_t> version{};

private:
  Progress progress_;
  Draws for_latencies_;
  Draws for_delays_;
  std::uint32_t messages_ = 0;
};

std::vector<Client> started(const Contention& contention, std::uint64_t seed, std::uint64_t trial) {
  std::vector<Client> result;
  result.reserve(contention.clients);
  for (std::uint64_t i = 0; i < contention.clients; ++i)
    result.emplace_back(contention.policy, seed, trial << 32 | i << 1);
  return result;
}

} // namespace

ContentionOutcome simulate(const Contention& contention, std::uint64_t seed, std::uint64_t trial,
                           const std::function<void()>& on_write) {
  Problems problems;
  detail::check_count(problems, "clients", contention.clients, 1, Contention::most_clients);
  problems.raise_if_any();
  auto clients = started(contention, seed, trial);
  EventQueue arrivals;
  for (std::uint32_t i = 0; i < contention.clients; ++i)
    arrivals.push(whole_us(Instant{} + clients[i].latency()), i);
  ContentionOutcome outcome;
  Instant completion;
  std::uint32_t version = 0; // also the number of clients that are done
  while (version < contention.clients) {
    const auto [at_us, i] = arrivals.pop();
    if (at_us == EventQueue::last_us)
      return outcome;
    const Instant now{std::chrono::microseconds{at_us}};
    auto& client = clients[i];
    if (!client.version) {
      client.version = version;
      arrivals.push(whole_us(now + client.there_and_back()), i);
      continue;
    }
    ++outcome.calls;
    if (*client.version == version) {
      ++version;
      completion = std::max(completion, now + client.latency());
      if (on_write)
        on_write();
    } else {
      client.version.reset();
      arrivals.push(whole_us(now + client.there_and_back() + client.delay(contention)), i);
    }
  }
  outcome.completion = completion.since_origin;
  return outcome;
}

} // namespace backoff_actor
