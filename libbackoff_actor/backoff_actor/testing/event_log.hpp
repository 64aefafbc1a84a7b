#pragma once

#include "backoff_actor/observe/events.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace backoff_actor::testing {

/// Keeps all events of the senders that were given its hook; copies of a log share their events.
///
/// @thread safe: hooks may run in any thread while others read.
class EventLog {
public:
  /// The hook for `SenderOptions::on_event`; it works on when this object is gone.
  EventHook hook() {
    return [state = state_](const Event& event) {
      const std::lock_guard lock{state->mutex};
      state->events.push_back(event);
    };
  }

  /// All events so far, in the order in which they were told.
  std::vector<Event> events() const {
    const std::lock_guard lock{state_->mutex};
    return state_->events;
  }

  /// All events of one type, in order.
  template <class T>
  std::vector<T> all() const {
    std::vector<T> result;
    for (const auto& event : events())
      if (const auto* x = std::get_if<T>(&event))
        result.push_back(*x);
    return result;
  }

  /// How many events of one type there are so far.
  template <class T>
  std::size_t count() const {
    return all<T>().size();
  }

  /// Renders the log for people, one event a line, times counted from the first:
  /// `+10ms  delivery 1 handed over again to child 2`.
  std::string timeline() const {
    std::string result;
    const auto list = events();
    for (const auto& event : list)
      result +=
        "+" + backoff_actor::to_string(time_of(event) - time_of(list.front())) + "  " + to_string(event) + "\n";
    return result;
  }

private:
  struct State {
    std::mutex mutex;
    std::vector<Event> events;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace backoff_actor::testing
