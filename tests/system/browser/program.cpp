// page_program: a program to be seen and acted on in a browser. It prints `port N` and obeys lines
// from its input until that ends.
//
// usage: page_program many      10,000 senders without actors, which change all the time

#include "backoff_actor/retry/steady_clock.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"
#include "backoff_actor/web/web_server.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;

constexpr std::size_t many = 10'000;

// Senders of four kinds. Those of each tenth number are down, and some of the others work.
class Many {
public:
  explicit Many(const Observatory& observatory) {
    constexpr const char* kinds[] = {"invoices", "mail", "orders", "search_index"};
    for (std::size_t i = 0; i != many; ++i)
      seats_.push_back(
        std::make_unique<detail::SenderSeat>(observatory.state()->senders(kinds[i % 4]), i + 1));
    glances_.resize(many);
    begin_ = SteadyClock{}.now();
    thread_ = std::thread{[this] {
      while (!is_over_) {
        change();
        std::this_thread::sleep_for(100ms);
      }
    }};
  }
  Many(const Many&) = delete;
  Many& operator=(const Many&) = delete;
  ~Many() {
    is_over_ = true;
    thread_.join();
  }

private:
  void change() {
    const auto now = SteadyClock{}.now();
    ++round_;
    for (std::size_t i = 0; i != many; ++i) {
      auto& glance = glances_[i];
      if (i % 10 == 9) {
        glance.phase = Phase::waiting;
        glance.owed = 1 + i % 90;
        glance.oldest_since = begin_ + -1s * static_cast<int>(i % 600);
        glance.due = now + 1s * static_cast<int>(1 + (i + round_) % 9);
        glance.is_delayed = true;
        ++glance.counters.crashes;
        seats_[i]->note_cause("connection refused", now);
      } else if ((i + round_) % 5 == 0) {
        glance.phase = Phase::running;
        glance.counters.acknowledged += i % 7;
        glance.owed = i % 3;
        glance.oldest_since = glance.owed == 0 ? Instant::never() : now;
      } else {
        continue;
      }
      seats_[i]->publish(glance, now);
    }
  }

  std::vector<std::unique_ptr<detail::SenderSeat>> seats_;
  std::vector<SenderGlance> glances_;
  Instant begin_{};
  std::size_t round_ = 0;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

int run_many() {
  const Observatory observatory;
  const Many senders{observatory};
  WebOptions options;
  options.port = 0;
  const WebServer web{observatory, options};
  std::printf("port %u\n", static_cast<unsigned>(web.port()));
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
  }
  return 0;
}

} // namespace

int main() { return run_many(); }
