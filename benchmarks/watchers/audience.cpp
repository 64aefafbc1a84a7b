#include "watchers/audience.hpp"

#include "common/live_events.hpp"
#include "common/tcp_stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace watchers {

namespace {

using namespace std::chrono_literals;
using backoff_actor::test::TcpStream;
using Clock = std::chrono::steady_clock;

constexpr auto patience = 60s;

struct Coming {
  std::uint16_t port;
  std::uint32_t reading;
  std::uint32_t stopped;
};

template <class T>
bool put(int pipe, const T& value) {
  return write(pipe, &value, sizeof value) == static_cast<ssize_t>(sizeof value);
}

template <class T>
bool get(int pipe, T& value) {
  return read(pipe, &value, sizeof value) == static_cast<ssize_t>(sizeof value);
}

// One that reads.
class Watcher {
public:
  explicit Watcher(std::uint16_t port) : stream_(TcpStream::connect(port)) {
    stream_.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

  int descriptor() const { return stream_.get(); }
  bool has_seen_all() const { return frames_ >= 1; }

  // Counts from now on.
  void begin(Clock::time_point now) {
    seen_ = {};
    first_frame_ = frames_;
    last_frame_at_ = now;
  }

  Seen seen(Clock::time_point now) const {
    auto result = seen_;
    result.fewest_frames = frames_ - first_frame_;
    result.longest_pause =
      std::max(result.longest_pause, std::chrono::duration<double>(now - last_frame_at_).count());
    return result;
  }

  void receive() {
    static std::vector<char> buffer(1'000'000);
    const auto count = recv(descriptor(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count <= 0)
      throw std::runtime_error("a watcher was turned out");
    seen_.bytes += static_cast<std::uint64_t>(count);
    const auto now = Clock::now();
    events_.take({buffer.data(), static_cast<std::size_t>(count)}, [&] { note_frame(now); });
  }

private:
  void note_frame(Clock::time_point now) {
    ++frames_;
    seen_.longest_pause =
      std::max(seen_.longest_pause, std::chrono::duration<double>(now - last_frame_at_).count());
    last_frame_at_ = now;
  }

  TcpStream stream_;
  backoff_actor::test::LiveEvents events_;
  std::uint64_t frames_ = 0;
  std::uint64_t first_frame_ = 0;
  Clock::time_point last_frame_at_{};
  Seen seen_{};
};

// Lets all read until a command comes, or until `is_enough`.
template <class Condition>
void read_until(std::vector<Watcher>& all, int commands, Condition is_enough) {
  const auto limit = Clock::now() + patience;
  std::vector<pollfd> asked{{commands, POLLIN, 0}};
  for (const auto& watcher : all)
    asked.push_back({watcher.descriptor(), POLLIN, 0});
  while (!is_enough() && asked[0].revents == 0) {
    if (Clock::now() > limit)
      throw std::runtime_error("the watchers see nothing");
    poll(asked.data(), asked.size(), 1000);
    for (std::size_t i = 0; i != all.size(); ++i)
      if (asked[i + 1].revents != 0)
        all[i].receive();
  }
}

// What the process does: each time watchers come, look and leave.
void watch(int commands, int answers) {
  for (Coming coming{}; get(commands, coming);) {
    std::vector<Watcher> all;
    for (std::uint32_t i = 0; i != coming.reading; ++i)
      all.emplace_back(coming.port);
    std::vector<Watcher> stopped;
    for (std::uint32_t i = 0; i != coming.stopped; ++i)
      stopped.emplace_back(coming.port);
    read_until(all, commands, [&] { return std::ranges::all_of(all, &Watcher::has_seen_all); });
    const auto begin = Clock::now();
    for (auto& watcher : all)
      watcher.begin(begin);
    if (!put(answers, true))
      return;
    read_until(all, commands, [] { return false; });
    bool leaves = false;
    if (!get(commands, leaves))
      return;
    const auto end = Clock::now();
    Seen seen;
    for (const auto& watcher : all) {
      const auto one = watcher.seen(end);
      seen.fewest_frames = &watcher == all.data() ? one.fewest_frames
                                                  : std::min(seen.fewest_frames, one.fewest_frames);
      seen.bytes += one.bytes;
      seen.longest_pause = std::max(seen.longest_pause, one.longest_pause);
    }
    if (!put(answers, seen))
      return;
  }
}

} // namespace

Audience::Audience() {
  int commands[2];
  int answers[2];
  if (pipe(commands) != 0 || pipe(answers) != 0)
    throw std::runtime_error("cannot create a pipe");
  std::fflush(nullptr);
  process_ = fork();
  if (process_ < 0)
    throw std::runtime_error("cannot create a process");
  if (process_ == 0) {
    close(commands[1]);
    close(answers[0]);
    try {
      watch(commands[0], answers[1]);
      _exit(0);
    } catch (const std::exception& exception) {
      std::fprintf(stderr, "%s\n", exception.what());
      std::fflush(stderr);
      _exit(1);
    }
  }
  close(commands[0]);
  close(answers[1]);
  commands_ = commands[1];
  answers_ = answers[0];
}

Audience::~Audience() {
  close(commands_);
  close(answers_);
  int status = 0;
  waitpid(process_, &status, 0);
}

void Audience::come(std::uint16_t port, std::uint32_t reading, std::uint32_t stopped) {
  put(commands_, Coming{port, reading, stopped});
  answer<bool>();
}

Seen Audience::leave() {
  put(commands_, true);
  return answer<Seen>();
}

template <class T>
T Audience::answer() const {
  T result{};
  if (!get(answers_, result))
    throw std::runtime_error("the watchers have failed");
  return result;
}

} // namespace watchers
