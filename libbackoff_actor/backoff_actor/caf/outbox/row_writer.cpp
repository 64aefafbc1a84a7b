#include "backoff_actor/caf/outbox/internal/row_writer.hpp"

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>

#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

class RowWriter final : public caf::event_based_actor {
public:
  RowWriter(caf::actor_config& config, caf::actor_addr owner,
            std::shared_ptr<IncomingWriter> writer, DurableOptions options)
    : caf::event_based_actor(config), owner_(std::move(owner)), writer_(std::move(writer)),
      options_(std::move(options)) {}

  const char* name() const override { return "backoff_actor.row_writer"; }

  caf::behavior make_behavior() override {
    return {[this](const PassOn& x) { pass_on(x); }, [this](const Stop&) { quit(); }};
  }

  void on_exit() override {
    writer_ = nullptr;
    options_ = {};
  }

private:
  void pass_on(const PassOn& x) {
    caf::error error;
    try {
      const auto is_written = writer_->write_order(x.order, compat::binary_format());
      if (is_written)
        let_owner_catch_up();
      const auto found = is_written ? CancelFound::passed_on : CancelFound::unknown;
      if (x.client.client)
        compat::respond(x.client, caf::make_message(CancelAnswer{found}));
      return;
    } catch (const StoreError& exception) {
      if (exception.failure() == StoreFailure::unreachable) // it may be written
        let_owner_catch_up();
      backoff_actor::report(options_, exception);
      error = make_error(SenderError::not_stored, exception.what());
    } catch (...) {
      error = compat::error_of(std::current_exception());
    }
    if (x.client.is_request()) // a bare error would end who has sent no request
      compat::respond(x.client, caf::make_message(std::move(error)));
  }

  void let_owner_catch_up() {
    if (const auto owner = caf::actor_cast<caf::actor>(owner_))
      compat::enqueue(owner, CatchUp{});
  }

  const caf::actor_addr owner_;
  std::shared_ptr<IncomingWriter> writer_;
  DurableOptions options_;
};

} // namespace

caf::actor spawn_row_writer(caf::actor_system& system, const caf::actor_addr& owner,
                            std::shared_ptr<IncomingWriter> writer, const DurableOptions& options) {
  if (options.thread == WriterThread::own)
    return system.spawn<RowWriter, caf::detached>(owner, std::move(writer), options);
  return system.spawn<RowWriter>(owner, std::move(writer), options);
}

} // namespace backoff_actor
