#include "backoff_actor/caf/outbox/internal/outbox_writer.hpp"

#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/outbox/internal/asked_rows.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace backoff_actor {

namespace {

class StoreWriter : public caf::event_based_actor {
public:
  StoreWriter(caf::actor_config& config, std::shared_ptr<WriteQueue> queue)
    : caf::event_based_actor(config), queue_(std::move(queue)) {}

  const char* name() const override { return "backoff_actor.store_writer"; }

  caf::behavior make_behavior() override {
    return {[this](const GoOn&) {
              sleeps_ = false;
              work();
              quit_if_over();
            },
            [this](const SleepOver& x) {
              end_sleep(x.sleep_id);
              quit_if_over();
            },
            [this](const FindInRows& x) {
              answer_by_rows(x, queue_->types(), queue_->wall_time(), [&] {
                return queue_->find_message(x.what.idempotency_key, x.what.delivery);
              });
            },
            [this](const Stop&) {
              is_alone_ = true;
              quit_if_over();
            }};
  }

  void on_exit() override {
    queue_->forget_writer(is_at_work_, last_sleep_);
    queue_ = nullptr; // a timer may still hold this actor, which must not keep the store open
  }

private:
  void end_sleep(std::uint64_t sleep_id) {
    if (!sleeps_ || sleep_id != last_sleep_)
      return;
    sleeps_ = false; // even if another writer has ended the sleep
    if (queue_->wake(sleep_id, now()))
      work();
  }

  void quit_if_over() {
    if (is_alone_ && !is_at_work_ && !sleeps_)
      quit(); // not during a sleep: a pending timer would hold up the end of the actor system
  }

  // Writes one batch per message, so that other actors get a turn on a shared thread.
  void work() {
    is_at_work_ = true;
    const auto next = queue_->work(now());
    if (next.goes_on)
      return compat::enqueue(caf::actor_cast<caf::actor>(this), GoOn{});
    is_at_work_ = false;
    if (next.sleep == Duration::zero())
      return;
    sleeps_ = true;
    last_sleep_ = next.sleep_id;
    compat::send_later(*this, next.sleep, SleepOver{next.sleep_id});
  }

  Instant now() { return Instant{clock().now().time_since_epoch()}; }

  std::shared_ptr<WriteQueue> queue_;
  std::uint64_t last_sleep_ = 0;
  bool is_at_work_ = false; // awake: it has sent `GoOn` to itself
  bool sleeps_ = false;
  bool is_alone_ = false; // its sender has ended
};

} // namespace

caf::actor spawn_store_writer(caf::actor_system& system, std::shared_ptr<WriteQueue> queue) {
  if (queue->options().thread == WriterThread::own)
    return system.spawn<StoreWriter, caf::detached>(std::move(queue));
  return system.spawn<StoreWriter>(std::move(queue));
}

} // namespace backoff_actor
