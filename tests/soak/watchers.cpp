#include "watchers.hpp"

#include "common/live_events.hpp"
#include "common/tcp_stream.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace backoff_actor::soak {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Half of those that a server takes.
constexpr std::size_t watchers_at_once = 16;
constexpr auto longest_without_event = 2min;
constexpr auto longest_stop = 500ms;
constexpr auto most_events = 4;
constexpr auto share_of_stopped = 0.05;
constexpr auto share_of_cut = 0.3;

} // namespace

class Watchers::Watcher {
public:
  enum class State { watches, has_seen_all, has_failed };

  // With draws in [0, 1) for how it leaves and what it sees before.
  Watcher(std::uint16_t port, double how, double what)
    : stream_(test::TcpStream::connect(port)),
      events_left_(1 + static_cast<int>(what * most_events)) {
    if (!stream_.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"))
      state_ = State::has_failed;
    if (how < share_of_stopped)
      stops_until_ = begin_ + longest_stop;
    if (how < share_of_stopped / 2 + share_of_cut)
      stream_.end_by_reset();
  }

  pollfd asked() const {
    const auto reads = stops_until_ == Clock::time_point{};
    return {stream_.get(), static_cast<short>(reads ? POLLIN : 0), 0};
  }

  State look(short events, Clock::time_point now) {
    if (state_ != State::watches)
      return state_;
    if (stops_until_ != Clock::time_point{})
      return now < stops_until_ ? State::watches : State::has_seen_all;
    if (events != 0 && !receive())
      return State::has_failed;
    if (events_left_ <= 0)
      return State::has_seen_all;
    return now < begin_ + longest_without_event ? State::watches : State::has_failed;
  }

private:
  bool receive() {
    char bytes[16'384];
    const auto count = recv(stream_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count <= 0)
      return count < 0 && errno == EAGAIN;
    stream_events_.take({bytes, static_cast<std::size_t>(count)}, [this] { --events_left_; });
    return true;
  }

  test::TcpStream stream_;
  test::LiveEvents stream_events_;
  State state_ = State::watches;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point stops_until_{}; // the beginning of time: it reads
  int events_left_;
};

Watchers::Watchers(const Observatory& observatory, std::uint64_t seed)
  : server_(observatory, {.port = 0}), draws_{seed, 2}, thread_{[this] { run(); }} {}

Watchers::~Watchers() { end(); }

Watchers::Totals Watchers::end() {
  is_over_ = true;
  if (thread_.joinable())
    thread_.join();
  return totals_;
}

// Returns whether one more has come.
bool Watchers::come(std::vector<Watcher>& all, double how, double what) {
  try {
    all.emplace_back(server_.port(), how, what);
    return true;
  } catch (const std::system_error&) {
    ++totals_.failed;
    return false;
  }
}

void Watchers::run() {
  std::vector<Watcher> all;
  std::uint64_t last = 0;
  while (!is_over_) {
    while (all.size() < watchers_at_once && come(all, draws_(last), draws_(last + 1)))
      last += 2;
    std::vector<pollfd> asked;
    for (const auto& watcher : all)
      asked.push_back(watcher.asked());
    poll(asked.data(), asked.size(), 20);
    const auto now = Clock::now();
    std::vector<Watcher> staying;
    for (std::size_t i = 0; i != all.size(); ++i) {
      switch (all[i].look(asked[i].revents, now)) {
      case Watcher::State::watches:
        staying.push_back(std::move(all[i]));
        break;
      case Watcher::State::has_seen_all:
        ++totals_.came;
        break;
      case Watcher::State::has_failed:
        ++totals_.failed;
      }
    }
    all.swap(staying);
  }
}

} // namespace backoff_actor::soak
