#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace worker_pool {

/// How long a service takes. The mean is 1 in all.
enum class Service {
  exponential,
  one_in_a_hundred_takes_long, ///< 99 times as long as the others
  log_normal,                  ///< with sigma 1.5
};

/// What it is called in a table.
std::string_view to_string(Service service);

/// Who decides which worker gets a message.
enum class Router {
  pool,   ///< the engine of a sender with a pool, whose workers hold one message each
  queue,  ///< the plan of such a pool, without an engine: who is free takes the oldest message
  random, ///< a router that gives each message at once to any worker, which keeps a queue
};

/// Messages that come at random times, eight workers, and a router before them.
struct Load {
  Service service = Service::exponential;
  Router router = Router::pool;
  double share = 0.7; ///< of what the workers can do; above 0, below 1
  std::uint64_t messages = 300'000;
  std::uint64_t seed = 7;
};

/// How many workers there are.
inline constexpr std::uint32_t worker_count = 8;

/// How long messages were in the system, in means of the service.
struct Times {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double idle_share = 0; ///< of the time, in which a worker idled while a message waited
};

/// The times of messages that were in the system for so long.
///
/// @range not empty
Times times_of(std::vector<double> spans);

/// Lets all messages come and be done, in virtual time. The same load gives the same times.
Times run_in_virtual_time(const Load& load);

} // namespace worker_pool
