#include "calls_from_actors.hpp"

#include <caf/send.hpp>

#include <cerrno>
#include <stdexcept>
#include <sys/eventfd.h>
#include <system_error>
#include <utility>

namespace backoffctl {

CallsFromActors::CallsFromActors(EventLoop& loop, const CountedCall& call)
  : call_(call), wake_up_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_up_)
    throw std::runtime_error{"cannot create an eventfd: " + std::generic_category().message(errno)};
  on_wake_up_ = LoopEvent::on_readable(loop, wake_up_.get(), [this] { make_calls(); });
}

CallNumber CallsFromActors::begin(caf::actor asker) {
  const std::lock_guard lock{mutex_};
  const auto number = ++last_;
  if (is_closed_)
    return number;
  askers_.emplace(number, std::move(asker));
  asked_for_.push_back(number);
  if (asked_for_.size() == 1)
    eventfd_write(wake_up_.get(), 1);
  return number;
}

void CallsFromActors::make_calls() {
  eventfd_t count = 0;
  eventfd_read(wake_up_.get(), &count);
  std::vector<CallNumber> numbers;
  {
    const std::lock_guard lock{mutex_};
    numbers.swap(asked_for_);
  }
  for (const auto number : numbers)
    call_([self = weak_from_this(), number](bool is_ok) {
      if (const auto calls = self.lock())
        calls->end(number, is_ok);
    });
}

void CallsFromActors::end(CallNumber number, bool is_ok) {
  caf::actor asker;
  {
    const std::lock_guard lock{mutex_};
    const auto found = askers_.extract(number);
    if (found.empty())
      return;
    asker = std::move(found.mapped());
  }
  caf::anon_send(asker, number, is_ok);
}

void CallsFromActors::close() {
  std::unordered_map<CallNumber, caf::actor> askers; // let go of after the lock
  const std::lock_guard lock{mutex_};
  is_closed_ = true;
  asked_for_.clear();
  askers.swap(askers_);
}

} // namespace backoffctl
