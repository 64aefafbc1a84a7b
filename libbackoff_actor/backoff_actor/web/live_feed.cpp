#include "backoff_actor/web/internal/live_feed.hpp"

#include "backoff_actor/process/internal/no_signals.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <utility>

namespace backoff_actor::web {

namespace {

using namespace std::chrono_literals;
using LookClock = std::chrono::steady_clock;

// How long a new watcher waits at most, if looks cost little.
constexpr auto soon = 50ms;

// The time of a processor that this thread has used. A busy machine makes no look dearer.
Duration used_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

// The clock of an observatory.
Instant present() {
  return {std::chrono::duration_cast<Duration>(LookClock::now().time_since_epoch())};
}

} // namespace

LiveFeed::LiveFeed(const Observatory& observatory, const net::Signal& has_frame)
  : observatory_(observatory), has_frame_(has_frame) {
  const detail::NoSignals none;
  thread_ = std::thread{[this] { run(); }};
}

LiveFeed::~LiveFeed() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LiveFeed::set(bool is_watched, bool needs_all) {
  {
    const std::lock_guard lock{mutex_};
    if (is_watched_ == is_watched && needs_all_ == needs_all)
      return;
    is_watched_ = is_watched;
    needs_all_ = needs_all;
  }
  changed_.notify_one();
}

std::optional<LiveFeed::Frame> LiveFeed::take() {
  std::optional<Frame> result;
  {
    const std::lock_guard lock{mutex_};
    result.swap(frame_);
  }
  changed_.notify_one();
  return result;
}

LiveFeed::Frame LiveFeed::look(bool needs_all) {
  const auto now = present();
  const auto& observed = *observatory_.state();
  frames_.begin(now);
  observed.for_each_sender([&](const ObservedSender& sender) { frames_.add(sender); });
  frames_.end(observed.status_of_others(std::numeric_limits<std::size_t>::max(), now));
  return {std::make_shared<const std::string>(frames_.changes()),
          needs_all ? std::make_shared<const std::string>(frames_.all()) : nullptr};
}

void LiveFeed::run() {
  auto last = LookClock::time_point{};
  Duration pause{0};
  std::unique_lock lock{mutex_};
  while (!is_over_) {
    if (!is_watched_ || frame_) {
      changed_.wait(lock);
      continue;
    }
    const auto due = last + (needs_all_ ? std::min<Duration>(pause, soon) : pause);
    if (LookClock::now() < due) {
      changed_.wait_until(lock, due);
      continue;
    }
    const auto needs_all = needs_all_;
    lock.unlock();
    last = LookClock::now();
    const auto used_before = used_time();
    Frame frame;
    try {
      frame = look(needs_all);
    } catch (...) { // no memory is left
    }
    pause = time_between_looks(used_time() - used_before);
    lock.lock();
    frame_ = std::move(frame);
    has_frame_.raise();
  }
}

} // namespace backoff_actor::web
