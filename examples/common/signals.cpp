#include "common/signals.hpp"

#include <ctime>

namespace example {

Signals::Signals() {
  sigemptyset(&waited_for_);
  sigaddset(&waited_for_, SIGINT);
  sigaddset(&waited_for_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &waited_for_, nullptr);
}

std::optional<int> Signals::wait(std::chrono::milliseconds span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span);
  const timespec limit{static_cast<std::time_t>(seconds.count()),
                       static_cast<long>(std::chrono::nanoseconds{span - seconds}.count())};
  const auto signal = sigtimedwait(&waited_for_, nullptr, &limit);
  if (signal < 0)
    return std::nullopt;
  pthread_sigmask(SIG_UNBLOCK, &waited_for_, nullptr);
  return signal;
}

} // namespace example
