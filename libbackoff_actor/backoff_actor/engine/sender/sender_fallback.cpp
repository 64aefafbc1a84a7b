// The fallback: the sender changes over to it, probes the child, and changes back.

#include "backoff_actor/engine/sender/internal/sender_step.hpp"

#include "backoff_actor/core/unit_random.hpp"

namespace backoff_actor {

// Whether this lane gets the normal deliveries, not only probes.
bool SenderEngine::Step::serves(const Lane& lane) const {
  return is_primary(lane) ? work_.mode == Mode::normal || work_.mode == Mode::forwarding
                          : work_.mode == Mode::on_fallback;
}

void SenderEngine::Step::fall_back(const SharedCause& cause) {
  constexpr std::uint64_t stream_of_the_fallback = 0x66616c6c6261636bULL;
  work_.mode = Mode::on_fallback;
  work_.fallback =
    std::make_unique<Lane>(options_, detail::mix(self_.stream_ ^ stream_of_the_fallback));
  work_.fallback->epoch = ++work_.last_epoch;
  observe([&] { return event::FellBack{now_, *cause}; });
  start_child(*work_.fallback);
}

// The primary's child has failed again before the fallback was done.
void SenderEngine::Step::stay_on_fallback() {
  if (work_.mode == Mode::returning)
    work_.mode = Mode::on_fallback;
}

// The primary's child has done a delivery, so it is well. The fallback finishes what it has.
void SenderEngine::Step::begin_return() {
  if (work_.mode == Mode::on_fallback)
    work_.mode = Mode::returning;
}

// The fallback is done.
void SenderEngine::Step::come_back() {
  observe([&] { return event::CameBack{now_}; });
  if (work_.fallback->child != Child::none)
    emit(effect::StopChild{work_.fallback->incarnation});
  work_.fallback = nullptr;
  work_.mode = Mode::normal;
  work_.restarts.clear();
}

} // namespace backoff_actor
