#include "event_loop.hpp"

#include "backoffctl/text/number_text.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace backoffctl {

namespace {

// libevent's clock has microseconds; a wait is never shorter than asked for.
timeval in_microseconds(backoff_actor::Duration span) {
  using std::chrono::microseconds;
  constexpr auto longest = std::chrono::hours{24 * 365};
  const auto us = std::chrono::ceil<microseconds>(
    std::clamp<backoff_actor::Duration>(span, backoff_actor::Duration::zero(), longest));
  return {static_cast<time_t>(us.count() / 1'000'000),
          static_cast<suseconds_t>(us.count() % 1'000'000)};
}

// By default libevent reads a coarse clock, of some milliseconds, and what is due comes too early
// by as much.
event_base* precise_base() {
  using Config = std::unique_ptr<event_config, decltype(&event_config_free)>;
  const Config config{event_config_new(), &event_config_free};
  if (!config || event_config_set_flag(config.get(), EVENT_BASE_FLAG_PRECISE_TIMER) != 0)
    return nullptr;
  return event_base_new_with_config(config.get());
}

} // namespace

EventLoop::EventLoop() : base_(precise_base()) {
  if (!base_)
    throw std::runtime_error{"libevent cannot create an event loop"};
}

void EventLoop::run() {
  event_base_dispatch(base_.get());
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

void EventLoop::fail(std::exception_ptr failure) {
  failure_ = std::move(failure);
  stop();
}

backoff_actor::Instant EventLoop::now() {
  return {std::chrono::duration_cast<backoff_actor::Duration>(
    std::chrono::steady_clock::now().time_since_epoch())};
}

LoopEvent::LoopEvent(EventLoop& loop, int descriptor, short what, Callback callback)
  : loop_(loop), callback_(std::move(callback)),
    event_(event_new(loop.base(), descriptor, what, &LoopEvent::happen, this)) {
  if (!event_)
    throw std::runtime_error{"libevent cannot add an event"};
}

LoopEvent::LoopEvent(EventLoop& loop, Callback callback)
  : LoopEvent(loop, -1, 0, std::move(callback)) {}

std::unique_ptr<LoopEvent> LoopEvent::on_readable(EventLoop& loop, int descriptor,
                                                  Callback callback) {
  std::unique_ptr<LoopEvent> result{
    new LoopEvent{loop, descriptor, EV_READ | EV_PERSIST, std::move(callback)}};
  event_add(result->event_.get(), nullptr);
  return result;
}

std::unique_ptr<LoopEvent> LoopEvent::on_signal(EventLoop& loop, int signal, Callback callback) {
  std::unique_ptr<LoopEvent> result{
    new LoopEvent{loop, signal, EV_SIGNAL | EV_PERSIST, std::move(callback)}};
  event_add(result->event_.get(), nullptr);
  return result;
}

void LoopEvent::in(backoff_actor::Duration span) {
  event_base_update_cache_time(loop_.base()); // else the span begins when the loop last looked
  const auto wait = in_microseconds(span);
  event_add(event_.get(), &wait);
}

void LoopEvent::happen(int, short, void* self) {
  auto& event = *static_cast<LoopEvent*>(self);
  auto& loop = event.loop_; // the callback may destroy the event
  try {
    event.callback_();
  } catch (...) {
    loop.fail(std::current_exception());
  }
}

Reports::Reports(EventLoop& loop, backoff_actor::Duration every,
                 std::optional<backoff_actor::Duration> in_all, Report report)
  : every_(every), report_(std::move(report)), last_(EventLoop::now()), due_(last_ + every),
    next_(loop, [this] { tick(); }), end_(loop, [&loop] { loop.stop(); }) {
  next_.in(every);
  if (in_all)
    end_.in(*in_all);
}

void Reports::tick() {
  const auto now = EventLoop::now();
  report_(seconds_of(now.since_origin), seconds_of(now - last_));
  last_ = now;
  while (due_ <= now) // several if this process was stopped
    due_ = due_ + every_;
  next_.in(due_ - now);
}

EndOnSignal::EndOnSignal(EventLoop& loop) {
  const auto end_by = [this, &loop](int signal) {
    return LoopEvent::on_signal(loop, signal, [this, &loop, signal] {
      signal_ = signal;
      loop.stop();
    });
  };
  interrupt_ = end_by(SIGINT);
  terminate_ = end_by(SIGTERM);
}

} // namespace backoffctl
