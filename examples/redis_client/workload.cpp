#include "workload.hpp"

#include "redis_connection.hpp"

#include "backoff_actor/retry/retry.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <stdexcept>

namespace redis_client {

using backoff_actor::Attempt;
using backoff_actor::Duration;
using backoff_actor::GaveUp;
using backoff_actor::RetryNotice;
using backoff_actor::SteadyClock;

namespace {

using namespace std::chrono_literals;

const backoff_actor::Policy policy =
  backoff_actor::Exponential{.first = 50ms, .cap = 500ms} | backoff_actor::full_jitter;
const backoff_actor::Limits limits{.max_elapsed = 30s, .attempt_timeout = 1s};
constexpr auto outage_length = 300ms;

std::string key_of(std::uint64_t number) { return "key:" + std::to_string(number); }
std::string value_of(std::uint64_t number) { return "value " + std::to_string(number); }

/// Commands to a server that may be gone at any time.
class PatientClient {
public:
  PatientClient(RedisServer& server, std::stop_token stop)
    : server_(server), clock_(std::move(stop)), connection_(server.port()) {}

  /// Carries out a command, once or more often. Returns false if it was stopped before that.
  bool carry_out(const std::string& name,
                 const std::function<void(RedisConnection&, Duration)>& command) {
    const auto announce = [&](const RetryNotice& notice) {
      ++retries_;
      std::cerr << name << ": " << to_string(notice) << std::endl;
    };
    const auto result = backoff_actor::retry(
      policy, limits, [&](const std::exception& error) { return is_retried(error); },
      [&](const Attempt& attempt) { command(connection_, attempt.time_allowed.value()); }, clock_,
      {.on_retry = announce});
    if (!result && result.reason != GaveUp::cancelled) {
      const auto ending = server_.unexpected_ending();
      throw std::runtime_error(name + ": " + (ending.empty() ? to_string(result) : ending));
    }
    return static_cast<bool>(result);
  }

  std::uint64_t retries() const { return retries_; }

private:
  bool is_retried(const std::exception& error) {
    const auto* redis_error = dynamic_cast<const RedisError*>(&error);
    return redis_error && !redis_error->is_final() && server_.unexpected_ending().empty();
  }

  RedisServer& server_;
  SteadyClock clock_;
  RedisConnection connection_;
  std::uint64_t retries_ = 0;
};

/// The fault: the server is killed while commands go on, and started again later.
class Outage {
public:
  Outage(RedisServer& server, std::stop_token stop) : server_(server), stop_(std::move(stop)) {}

  void begin() {
    over_ = std::async(std::launch::async, [this] {
      server_.kill();
      killed_.set_value();
      const SteadyClock clock{stop_};
      if (clock.sleep_until(clock.now() + outage_length))
        server_.start();
    });
  }

  void wait_for_kill() { killed_.get_future().wait(); }

  /// @errors throws what starting the server threw.
  void wait_for_end() { over_.get(); }

private:
  RedisServer& server_;
  std::stop_token stop_;
  std::promise<void> killed_;
  std::future<void> over_; // waits in its destructor, so it comes last
};

} // namespace

Counts run(RedisServer& server, std::uint64_t keys, std::stop_token stop) {
  Counts counts;
  PatientClient client{server, stop};
  Outage outage{server, stop};
  auto goes_on = true;
  for (std::uint64_t i = 0; i < keys && goes_on; ++i) {
    if (i == keys / 2) {
      outage.begin();
      counts.kills = 1;
    }
    if (i == keys - 1)
      outage.wait_for_kill(); // so that it meets one write at the least
    goes_on = client.carry_out("SET " + key_of(i), [&](auto& connection, Duration time_allowed) {
      connection.set(key_of(i), value_of(i), time_allowed);
    });
    if (goes_on)
      ++counts.written;
  }
  if (counts.kills > 0)
    outage.wait_for_end();
  for (std::uint64_t i = 0; i < keys && goes_on; ++i)
    goes_on = client.carry_out("GET " + key_of(i), [&](auto& connection, Duration time_allowed) {
      if (connection.get(key_of(i), time_allowed) == value_of(i))
        ++counts.found;
    });
  counts.retries = client.retries();
  counts.is_complete = goes_on;
  return counts;
}

} // namespace redis_client
