#pragma once

#include <backoff_actor/core/unit_random.hpp>
#include <backoff_actor/sinks/observatory.hpp>
#include <backoff_actor/web/web_server.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace backoff_actor::soak {

/// A server of the live page, and those who watch it. They come, see some events, and leave; some
/// cut the connection, and some read nothing for a while. For each that leaves, another comes.
class Watchers {
public:
  /// What has become of them.
  struct Totals {
    std::uint64_t came = 0;   ///< who saw what they had come for, and have left
    std::uint64_t failed = 0; ///< who were turned out, or saw nothing for a long time
  };

  /// All begin to watch.
  Watchers(const Observatory& observatory, std::uint64_t seed);
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  ~Watchers();

  /// Lets all leave. May be called again.
  Totals end();

private:
  class Watcher;

  void run();
  bool come(std::vector<Watcher>& all, double how, double what);

  WebServer server_;
  const Draws draws_;
  Totals totals_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

} // namespace backoff_actor::soak
