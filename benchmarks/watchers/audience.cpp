// watchers_audience PORT READING STOPPED MILLISECONDS: those who watch the live page of a server,
// of whom the last STOPPED take nothing of what they asked for. Prints "ready" once each other has
// seen everything once. Looks on for so long, and a little longer. Prints what all have seen in
// that time: the fewest events of any that reads, the bytes of all, and the longest pause between
// two events of one, in seconds.

#include "common/live_events.hpp"
#include "common/tcp_stream.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <limits>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace {

using namespace std::chrono_literals;
using backoff_actor::test::TcpStream;
using Clock = std::chrono::steady_clock;

constexpr auto patience = 60s;
constexpr auto longer = 200ms; // until the one who measures has looked at its clocks

struct Watcher {
  TcpStream stream;
  backoff_actor::test::LiveEvents events{};
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  Clock::time_point last = Clock::now(); // event
  double longest_pause = 0;

  void pause_until(Clock::time_point now) {
    longest_pause = std::max(longest_pause, std::chrono::duration<double>(now - last).count());
    last = now;
  }

  void receive() {
    static std::vector<char> buffer(1'000'000);
    const auto size = recv(stream.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size <= 0)
      throw std::runtime_error("a watcher was turned out");
    bytes += static_cast<std::uint64_t>(size);
    events.take({buffer.data(), static_cast<std::size_t>(size)}, [this] {
      ++count;
      pause_until(Clock::now());
    });
  }
};

class Audience {
public:
  Audience(std::uint16_t port, std::size_t reading, std::size_t stopped) {
    for (std::size_t i = 0; i < reading + stopped; ++i) {
      auto stream = TcpStream::connect(port);
      stream.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      (i < reading ? all_ : stopped_).push_back({std::move(stream)});
    }
    for (const auto& watcher : all_)
      asked_.push_back({watcher.stream.get(), POLLIN, 0});
  }

  void wait_until_all_have_seen() {
    const auto limit = Clock::now() + patience;
    while (!std::ranges::all_of(all_, [](const auto& watcher) { return watcher.count > 0; }))
      if (Clock::now() < limit)
        read_for(1ms);
      else
        throw std::runtime_error("the watchers see nothing");
  }

  void read_for(Clock::duration span) {
    const auto end = Clock::now() + span;
    for (auto left = span; left > 0s; left = end - Clock::now()) {
      poll(asked_.data(), asked_.size(),
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
      for (std::size_t i = 0; i < all_.size(); ++i)
        if (asked_[i].revents != 0)
          all_[i].receive();
    }
  }

  // Forgets what was seen before.
  void begin() {
    for (auto& watcher : all_) {
      watcher.count = watcher.bytes = 0;
      watcher.last = Clock::now();
      watcher.longest_pause = 0;
    }
  }

  std::string seen() {
    auto fewest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t bytes = 0;
    double pause = 0;
    for (auto& watcher : all_) {
      watcher.pause_until(Clock::now());
      fewest = std::min(fewest, watcher.count);
      bytes += watcher.bytes;
      pause = std::max(pause, watcher.longest_pause);
    }
    return std::to_string(fewest) + ' ' + std::to_string(bytes) + ' ' + std::to_string(pause);
  }

private:
  std::vector<Watcher> all_;
  std::vector<Watcher> stopped_;
  std::vector<pollfd> asked_;
};

} // namespace

int main(int, char** argv) {
  try {
    Audience audience{static_cast<std::uint16_t>(std::stoul(argv[1])), std::stoul(argv[2]),
                      std::stoul(argv[3])};
    audience.wait_until_all_have_seen();
    audience.begin();
    std::cout << "ready" << std::endl;
    audience.read_for(std::chrono::milliseconds{std::stoul(argv[4])});
    const auto seen = audience.seen();
    audience.read_for(longer);
    std::cout << seen << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
