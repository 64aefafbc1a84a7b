#include "retry_clients.hpp"

#include "think_time.hpp"

#include <utility>
#include <variant>

namespace backoffctl {

using backoff_actor::Call;
using backoff_actor::Permit;

class RetryClients::Client {
public:
  Client(EventLoop& loop, const LoadOptions& options, backoff_actor::SharedGuard guard,
         const CountedCall& call, std::uint32_t number)
    : guard_(std::move(guard)), call_(call), think_time_(options.mean_think, options.seed, number),
      pace_(options.pace, {options.seed, backoff_actor::delay_stream(number)}),
      next_(loop, [this] { attempt(); }) {
    think();
  }

private:
  void think() {
    kind_ = Call::first;
    const auto span = think_time_.next();
    pace_.begin(span);
    next_.in(span);
  }

  void attempt() {
    Permit permit;
    if (guard_) {
      const auto now = EventLoop::now();
      const auto admission = guard_.admit(now, kind_);
      if (const auto* held_back = std::get_if<backoff_actor::HeldBack>(&admission)) {
        next_.in(held_back->until - now);
        return;
      }
      permit = std::get<Permit>(admission);
    }
    call_([this, permit](bool is_ok) { end(permit, is_ok); });
  }

  void end(Permit permit, bool is_ok) {
    if (guard_) {
      const auto now = EventLoop::now();
      if (is_ok)
        guard_.succeeded(permit, now);
      else
        guard_.failed(permit, now);
    }
    if (is_ok) {
      think();
      return;
    }
    kind_ = Call::retry;
    next_.in(pace_.next());
  }

  backoff_actor::SharedGuard guard_;
  const CountedCall& call_;
  ThinkTime think_time_;
  RetryPace pace_;
  Call kind_ = Call::first;
  LoopEvent next_;
};

RetryClients::RetryClients(EventLoop& loop, const LoadOptions& options,
                           backoff_actor::SharedGuard guard, const CountedCall& call) {
  clients_.reserve(options.clients);
  for (std::uint32_t i = 0; i < options.clients; ++i)
    clients_.push_back(std::make_unique<Client>(loop, options, guard, call, i));
}

RetryClients::~RetryClients() = default;

} // namespace backoffctl
