#include "backoff_actor/caf/store_writer.hpp"

#include "backoff_actor/caf/outbox_queue.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace backoff_actor {

namespace {

class StoreWriter : public caf::event_based_actor {
public:
  StoreWriter(caf::actor_config& config, std::shared_ptr<OutboxQueue> queue)
    : caf::event_based_actor(config), queue_(std::move(queue)) {}

  const char* name() const override { return "backoff_actor.store_writer"; }

  caf::behavior make_behavior() override {
    return {[this](const WriteNow& x) {
      if (x.sleep_id == 0 || queue_->wake(x.sleep_id))
        work();
    }};
  }

  void on_exit() override { queue_->forget_sleep(last_sleep_); }

private:
  // A batch a message, so that it shares its thread where that is not its own.
  void work() {
    using Kind = OutboxQueue::Task::Kind;
    const auto task = queue_->next_task();
    if (task.kind == Kind::sleep) {
      last_sleep_ = task.sleep_id;
      return seam::send_later(*this, task.span, WriteNow{task.sleep_id});
    }
    if (task.kind == Kind::rest)
      return;
    queue_->write();
    seam::enqueue(caf::actor_cast<caf::actor>(this), WriteNow{});
  }

  std::shared_ptr<OutboxQueue> queue_;
  std::uint64_t last_sleep_ = 0;
};

} // namespace

caf::actor spawn_store_writer(caf::actor_system& system, std::shared_ptr<OutboxQueue> queue) {
  if (queue->options().thread == WriterThread::own)
    return system.spawn<StoreWriter, caf::detached>(std::move(queue));
  return system.spawn<StoreWriter>(std::move(queue));
}

} // namespace backoff_actor
