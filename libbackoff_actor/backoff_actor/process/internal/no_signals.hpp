#pragma once

#include <csignal>
#include <pthread.h>

namespace backoff_actor::detail {

/// Blocks all signals in this thread, and in those that it starts, while it lives. The program's
/// signals are then for its own threads, and a write to a broken connection is an error alone.
class NoSignals {
public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

} // namespace backoff_actor::detail
