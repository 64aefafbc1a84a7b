#include "backoff_actor/caf/main/graceful_shutdown.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/actor/internal/sender_registry.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/main/internal/forced_end.hpp"
#include "backoff_actor/caf/main/internal/still_owing.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr Duration longest_span = 24h * 365; // a clock can still add it

// How much longer than a root its answer may take, which it has sent before it ended.
constexpr Duration time_to_answer = 2s;

// How much longer than its roots a program may take.
constexpr Duration time_to_end = 2s;

bool is_failure(const caf::error& reason) {
  return reason && reason != caf::exit_reason::user_shutdown;
}

// Whether the actor system will wait for something that has not ended.
bool something_hangs(const ShutdownSummary& summary) {
  return summary.abandoned > 0 || summary.silent_roots > 0;
}

// Only senders and supervisors understand `Stop`; CAF would write a warning for any other actor.
bool understands_stop(const caf::actor& root) {
  const auto pointer = caf::actor_cast<caf::strong_actor_ptr>(root);
  const auto* const one_of_ours = compat::RequestingActorBase::own_kind(pointer);
  return one_of_ours != nullptr && one_of_ours->can_finish_work();
}

} // namespace

// -- the roots ----------------------------------------------------------------------

// Knows which roots have ended. The roots call it, in their own threads, when they end.
class GracefulShutdown::Roots {
public:
  static void add(const std::shared_ptr<Roots>& self, caf::actor root) {
    {
      const detail::Lock lock{self->mutex_};
      ++self->living_;
      self->list_.push_back(root);
    }
    // Without the lock: if the root has ended, CAF calls the function at once.
    root->attach_functor([self](const caf::error& reason) { self->on_end(reason); });
  }

  // From now on, the end of the roots is a reason to stop.
  void begin_to_wait() {
    const detail::Lock lock{mutex_};
    is_waiting_ = true;
    request_if_over();
  }

  // Returns the roots, which are no longer held.
  std::vector<caf::actor> take() {
    const detail::Lock lock{mutex_};
    return std::exchange(list_, {});
  }

  void wait_until_ended(const std::vector<caf::actor>& roots, Clock::time_point limit) {
    detail::Lock lock{mutex_};
    changed_.wait_until(lock, limit, [&] {
      return std::all_of(roots.begin(), roots.end(),
                         [](const auto& root) { return compat::has_ended(root); });
    });
  }

private:
  void on_end(const caf::error& reason) {
    const detail::Lock lock{mutex_};
    --living_;
    has_failed_ |= is_failure(reason);
    request_if_over();
    changed_.notify_all();
  }

  void request_if_over() const BACKOFF_ACTOR_REQUIRES(mutex_) {
    if (is_waiting_ && !list_.empty() && (living_ == 0 || has_failed_))
      StopSignals::request();
  }

  detail::Mutex mutex_;
  std::condition_variable changed_;
  std::vector<caf::actor> list_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  std::size_t living_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = 0;
  bool has_failed_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = false;
  bool is_waiting_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = false;
};

namespace {

using StopHandle = decltype(compat::request_within(std::declval<caf::blocking_actor&>(), Duration{},
                                                   caf::actor{}, Stop{}));

// Stops roots side by side, within `limit`.
class Stopping {
public:
  Stopping(caf::actor_system& system, Clock::time_point limit) : self_(system), limit_(limit) {}

  void tell_all(const std::vector<caf::actor>& roots, Duration grace) {
    for (const auto& root : roots)
      if (understands_stop(root))
        asked_.push_back({root, compat::request_within(*self_, left(), root, Stop{grace})});
      else
        compat::send_exit_now(root, {}, caf::exit_reason::user_shutdown);
  }

  // Adds what the roots have said that have ended.
  void add_answers_of(const std::vector<caf::actor>& ended, ShutdownSummary& summary) {
    for (auto& [root, handle] : asked_) {
      if (std::find(ended.begin(), ended.end(), root) == ended.end())
        continue;
      std::move(handle).receive(
        [&](const Stopped& x) {
          summary.acknowledged += x.acknowledged;
          summary.suspended += x.suspended;
          summary.dead_lettered += x.dead_lettered;
          summary.abandoned += x.abandoned;
        },
        [](const caf::error&) {}); // it has ended without an answer
    }
  }

private:
  struct Asked {
    caf::actor root;
    StopHandle handle;
  };

  Duration left() const { return std::max<Duration>(limit_ - Clock::now(), 1ms) + time_to_answer; }

  caf::scoped_actor self_;
  Clock::time_point limit_;
  std::vector<Asked> asked_;
};

} // namespace

// -- the object -----------------------------------------------------------------------

Problems check(const ShutdownOptions& options) {
  Problems problems{"ShutdownOptions"};
  if (options.grace <= Duration::zero())
    problems.add("grace", to_string(options.grace), "more than 0ns");
  if (options.force_end_after < Duration::zero())
    problems.add("force_end_after", to_string(options.force_end_after), "0 and above");
  problems.add_nested("report", check(options.report));
  return problems;
}

GracefulShutdown::GracefulShutdown(caf::actor_system& system, ShutdownOptions options)
  : system_(system), options_(std::move(options)), roots_(std::make_shared<Roots>()) {
  check(options_).raise_if_any();
  signals_.emplace();
  if (options_.force_end_after != Duration::max())
    detail::force_end_after_signal(longest_stop() + time_to_end);
  senders_ = detail::SenderRegistry::of(system_);
}

GracefulShutdown::~GracefulShutdown() {
  roots_->take();
  signals_.reset();
  detail::force_end_after_signal(Duration::max());
  auto report = options_.report;
  if (summary_ && something_hangs(*summary_))
    report.patience = Duration::zero(); // it had its time
  detail::report_exit(system_, *senders_, report);
}

void GracefulShutdown::add(caf::actor root) { Roots::add(roots_, std::move(root)); }

void GracefulShutdown::wait() {
  roots_->begin_to_wait();
  signals_->wait();
}

bool GracefulShutdown::wait_for(Duration span) {
  roots_->begin_to_wait();
  return signals_->wait_for(span);
}

int GracefulShutdown::stop() {
  if (summary_)
    return exit_code(*summary_);
  auto& summary = summary_.emplace();
  summary.signal = signal();
  if (summary.signal != 0)
    tell(announcement(summary.signal, options_.grace));
  const auto begin = Clock::now();
  const auto grace = std::min(options_.grace, longest_span);
  const auto force_end_at = begin + longest_stop();

  const auto note_end = [&](const caf::actor& root, const char* how) {
    if (const auto reason = compat::reason_of_end(root); is_failure(reason)) {
      ++summary.failed_roots;
      tell("a root has ended " + std::string{how} + ": " + render(system_, reason));
    }
  };
  auto roots = roots_->take();
  std::erase_if(roots, [&](const caf::actor& root) {
    const auto has_ended = compat::has_ended(root);
    if (has_ended)
      note_end(root, "by itself");
    return has_ended;
  });
  Stopping stopping{system_, force_end_at};
  stopping.tell_all(roots, grace);
  roots_->wait_until_ended(roots, force_end_at);
  // Who ends later has not ended: what it leaves behind is not known.
  summary.silent_roots = static_cast<std::uint32_t>(
    std::erase_if(roots, [](const caf::actor& root) { return !compat::has_ended(root); }));
  stopping.add_answers_of(roots, summary);
  for (const auto& root : roots)
    note_end(root, "with an error");
  summary.took = Clock::now() - begin;
  if (summary.signal != 0 || !summary.is_complete() || summary.suspended > 0)
    tell(to_string(summary));
  signal(); // one that came meanwhile asked for what is done
  if (something_hangs(summary) && options_.force_end_after != Duration::max())
    detail::force_end_at(std::max(force_end_at, Clock::now() + time_to_end));
  return exit_code(summary);
}

Duration GracefulShutdown::longest_stop() const {
  return std::min(options_.grace, longest_span) + std::min(options_.force_end_after, longest_span);
}

int GracefulShutdown::wait_and_stop() {
  wait();
  return stop();
}

void GracefulShutdown::tell(const std::string& line) const {
  detail::tell(options_.report.on_line, line);
}

} // namespace backoff_actor
