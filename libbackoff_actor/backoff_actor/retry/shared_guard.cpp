#include "backoff_actor/retry/shared_guard.hpp"

#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/guard/internal/guard.hpp"
#include "backoff_actor/observe/actor_name.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"
#include "backoff_actor/retry/default_draws.hpp"
#include "backoff_actor/retry/internal/guard_parts.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

// Returns a hook that calls `hook`, and tells of the first exception.
GuardHook telling_hook(GuardHook hook, const GuardOptions& options) {
  if (!hook)
    return {};
  return [hook = std::move(hook), guard = "guard " + to_string(options),
          has_told = false](const GuardEvent& event) mutable {
    try {
      hook(event);
    } catch (...) {
      if (!std::exchange(has_told, true))
        detail::tell_error_stream(
          detail::failed_hook_line(guard, detail::thrown_text(std::current_exception())));
    }
  };
}

} // namespace

// A guard behind a lock. The lock is recursive, so that a hook may ask for the status.
class SharedGuard::Shared final : public GuardPort,
                                  public detail::ClosableGuard,
                                  public std::enable_shared_from_this<Shared> {
public:
  Shared(const GuardOptions& options, std::uint64_t seed, GuardHook on_event)
    : guard_(options, seed, telling_hook(std::move(on_event), options)) {}

  Admission admit(Instant now, Call call) override {
    const Turn turn{*this, now};
    return guard_.admit(now, call);
  }

  Admission admit_retry(Instant now, double cost) override {
    const Turn turn{*this, now};
    return guard_.admit_retry(now, cost);
  }

  void succeeded(Permit permit, Instant now) override {
    const Turn turn{*this, now};
    guard_.succeeded(permit, now);
  }

  void failed(Permit permit, Instant now) override {
    const Turn turn{*this, now};
    guard_.failed(permit, now);
  }

  void forgotten(Permit permit, Instant now) override {
    const Turn turn{*this, now};
    guard_.forgotten(permit, now);
  }

  bool is_closed() const override {
    const std::lock_guard lock{mutex_};
    return guard_.is_closed();
  }

  std::uint64_t answers() const override {
    const std::lock_guard lock{mutex_};
    return guard_.answers();
  }

  void isolate(Instant now) {
    const Turn turn{*this, now};
    guard_.isolate(now);
  }

  void close(Instant now) {
    std::vector<std::shared_ptr<const detail::GuardClosedHook>> watchers;
    Duration spread{};
    {
      const Turn turn{*this, now};
      guard_.close(now);
      spread = guard_.options().circuit_breaker->spread;
      for (const auto& watcher : watchers_)
        if (auto hook = watcher.lock())
          watchers.push_back(std::move(hook));
    }
    for (const auto& hook : watchers) // without the lock: they send messages
      (*hook)(spread);
  }

  bool close_by_hand() override {
    if (!options().circuit_breaker)
      return false;
    close(SteadyClock{}.now());
    return true;
  }

  void observed_by(const Observatory& observatory, const std::string& name, Instant now) {
    observatory.state()->add_closable_guard(name, weak_from_this());
    const std::lock_guard lock{mutex_};
    seat_ = std::make_unique<detail::GuardSeat>(observatory.state()->guards(name),
                                                guard_.status(now), now);
  }

  GuardStatus status(Instant now) const {
    const std::lock_guard lock{mutex_};
    return guard_.status(now);
  }

  GuardOptions options() const {
    const std::lock_guard lock{mutex_};
    return guard_.options();
  }

  std::shared_ptr<const void> watch(detail::GuardClosedHook hook) {
    auto result = std::make_shared<const detail::GuardClosedHook>(std::move(hook));
    const std::lock_guard lock{mutex_};
    // Expired watchers are removed only when the list has doubled since the last cleaning. So the
    // cost of adding a watcher does not grow with their number.
    if (watchers_.size() >= clean_at_) {
      std::erase_if(watchers_, [](const auto& watcher) { return watcher.expired(); });
      clean_at_ = std::max(least_to_clean, 2 * watchers_.size());
    }
    watchers_.push_back(result);
    return result;
  }

private:
  // Has the lock, and then shows what has changed.
  class Turn {
  public:
    Turn(Shared& self, Instant now) : self_(self), lock_(self.mutex_), now_(now) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    ~Turn() {
      if (self_.seat_)
        self_.seat_->publish(self_.guard_.status(now_), now_);
    }

  private:
    Shared& self_;
    const std::lock_guard<std::recursive_mutex> lock_;
    Instant now_;
  };

  static constexpr std::size_t least_to_clean = 16;

  mutable std::recursive_mutex mutex_;
  Guard guard_;
  std::vector<std::weak_ptr<const detail::GuardClosedHook>> watchers_;
  std::size_t clean_at_ = least_to_clean;
  std::unique_ptr<detail::GuardSeat> seat_; // none: nobody sees the numbers
};

SharedGuard::SharedGuard(const GuardOptions& options, GuardHook on_event)
  : SharedGuard(options, detail::mix(seed_of_this_process() ^ next_stream_of_this_process()),
                std::move(on_event)) {}

SharedGuard::SharedGuard(const GuardOptions& options, std::uint64_t seed, GuardHook on_event)
  : shared_(std::make_shared<Shared>(options, seed, std::move(on_event))) {}

Admission SharedGuard::admit(Instant now, Call call) const { return shared_->admit(now, call); }

Admission SharedGuard::admit_retry(Instant now, double cost) const {
  return shared_->admit_retry(now, cost);
}

void SharedGuard::succeeded(Permit permit, Instant now) const { shared_->succeeded(permit, now); }

void SharedGuard::failed(Permit permit, Instant now) const { shared_->failed(permit, now); }

void SharedGuard::forgotten(Permit permit, Instant now) const { shared_->forgotten(permit, now); }

void SharedGuard::isolate(Instant now) const { shared_->isolate(now); }

void SharedGuard::close(Instant now) const { shared_->close(now); }

void SharedGuard::observed_by(const Observatory& observatory, const std::string& name,
                              Instant now) const {
  Problems problems{"SharedGuard::observed_by"};
  if (name.empty())
    problems.add("name", "an empty text", "a text that names the guard");
  detail::check_kind(problems, "name", name);
  problems.raise_if_any();
  shared_->observed_by(observatory, name, now);
}

GuardStatus SharedGuard::status(Instant now) const { return shared_->status(now); }

GuardOptions SharedGuard::options() const { return shared_->options(); }

std::shared_ptr<GuardPort> detail::GuardParts::port(const SharedGuard& guard) {
  return guard.shared_;
}

std::shared_ptr<const void> detail::GuardParts::watch(const SharedGuard& guard,
                                                      GuardClosedHook hook) {
  return guard.shared_->watch(std::move(hook));
}

} // namespace backoff_actor
