#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/lab/simulation/internal/outage_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace backoffctl {

// Design notes
//
// The original gives each request a thread that looks at the clock every 50 ms. Here requests whose
// looks fall into the same millisecond are in one list, and the lists take turns: ten thousand
// requests cost two hundred thousand comparisons a second, and no timers.

/// The requests that the server works on. Each looks every 50 ms how many there are now, and leaves
/// if it has taken longer than the delay at that number, strictly. So one that came to an idle
/// server and is then joined by many takes long, too.
///
/// @thread none but its owner's; time is what the caller says.
template <class Request>
class Work {
public:
  /// How often each request looks.
  static constexpr std::size_t look_every_ms = 50;

  explicit Work(const backoff_actor::ServiceOptions& service) : service_(service) {}

  /// How many requests there are.
  std::size_t concurrency() const { return concurrency_; }

  /// The delay that was computed last; 0 before the first.
  backoff_actor::Duration last_delay() const { return last_delay_; }

  /// A request comes.
  void add(backoff_actor::Instant now, Request request) {
    if (concurrency_ == 0)
      looked_until_ms_ = floor_ms(now);
    // Never a look before its time, by less than a millisecond after it: as a sleep does.
    const auto first_look_ms = floor_ms(now) + 1;
    lists_[static_cast<std::size_t>(first_look_ms) % look_every_ms].push_back(
      {now, std::move(request)});
    ++concurrency_;
    last_delay_ = service_time(service_, concurrency_);
  }

  /// All requests whose turn it is look. `is_gone(request)` makes one leave unfinished,
  /// `finish(request)` takes one that is done.
  template <class IsGone, class Finish>
  void look(backoff_actor::Instant now, IsGone is_gone, Finish finish) {
    const auto until_ms = floor_ms(now);
    const auto missed = until_ms - looked_until_ms_;
    const auto first = missed < static_cast<std::int64_t>(look_every_ms)
                         ? looked_until_ms_ + 1
                         : until_ms - static_cast<std::int64_t>(look_every_ms) + 1;
    looked_until_ms_ = until_ms;
    for (auto ms = first; ms <= until_ms; ++ms)
      look_through(lists_[static_cast<std::size_t>(ms) % look_every_ms], now, is_gone, finish);
  }

  /// When one of the requests looks next; never if there is none.
  backoff_actor::Instant next_look() const {
    for (std::int64_t ms = 1; concurrency_ > 0 && ms <= static_cast<std::int64_t>(look_every_ms);
         ++ms)
      if (const auto at_ms = looked_until_ms_ + ms;
          !lists_[static_cast<std::size_t>(at_ms) % look_every_ms].empty())
        return {std::chrono::milliseconds{at_ms}};
    return backoff_actor::Instant::never();
  }

  /// All that is worked on, for its owner to take leave of.
  template <class F>
  void for_each(F f) {
    for (auto& list : lists_)
      for (auto& entry : list)
        f(entry.request);
  }

private:
  struct Entry {
    backoff_actor::Instant begun;
    Request request;
  };

  static std::int64_t floor_ms(backoff_actor::Instant at) {
    return std::chrono::floor<std::chrono::milliseconds>(at.since_origin).count();
  }

  template <class IsGone, class Finish>
  void look_through(std::vector<Entry>& list, backoff_actor::Instant now, IsGone& is_gone,
                    Finish& finish) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      last_delay_ = service_time(service_, concurrency_);
      const auto leaves = is_gone(list[i].request);
      if (!leaves && now - list[i].begun <= last_delay_) {
        if (kept != i)
          list[kept] = std::move(list[i]);
        ++kept;
        continue;
      }
      --concurrency_;
      if (!leaves)
        finish(list[i].request);
    }
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept), list.end());
  }

  backoff_actor::ServiceOptions service_;
  std::array<std::vector<Entry>, look_every_ms> lists_;
  std::size_t concurrency_ = 0;
  std::int64_t looked_until_ms_ = 0;
  backoff_actor::Duration last_delay_{0};
};

} // namespace backoffctl
