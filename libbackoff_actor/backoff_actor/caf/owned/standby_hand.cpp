#include "backoff_actor/caf/owned/internal/standby_hand.hpp"

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>

#include <exception>
#include <span>
#include <stdexcept>
#include <utility>

namespace backoff_actor {

namespace {

class StandbyHand final : public caf::event_based_actor {
public:
  StandbyHand(caf::actor_config& config, caf::actor_addr owner, SharedOutbox outbox,
              std::shared_ptr<IncomingWriter> writer)
    : caf::event_based_actor(config), owner_(std::move(owner)), outbox_(std::move(outbox)),
      writer_(std::move(writer)) {}

  const char* name() const override { return "backoff_actor.standby_hand"; }

  caf::behavior make_behavior() override {
    return {[this](const LookForOwnership& x) { tell(look(x)); },
            [this](const WriteRows& x) {
              RowsWritten result;
              write(x.rows, result);
              tell(std::move(result));
            },
            [this](const FindInRows& x) {
              answer_by_rows(x, outbox_.types, wall_time(outbox_.options),
                             [&] { return find(x.what); });
            },
            [this](const Stop&) { quit(); }};
  }

  void on_exit() override {
    outbox_ = {};
    writer_ = nullptr;
    rows_ = nullptr;
  }

private:
  template <class T>
  void tell(T what) {
    if (const auto owner = caf::actor_cast<caf::actor>(owner_))
      compat::send(*this, owner, std::move(what));
  }

  LookedForOwnership look(const LookForOwnership& x) {
    LookedForOwnership result;
    try {
      if (auto store = outbox_.store->own(x.at_most))
        result.outbox = DurableOutbox{std::move(store), outbox_.types, outbox_.options};
      else if (x.at_most == Duration::zero())
        result.owner = outbox_.store->owner();
    } catch (const StoreError& error) {
      fail(error, result);
    } catch (const std::exception& exception) {
      fail(StoreError(StoreFailure::input_output, outbox_.store->name() + ": " + exception.what()),
           result);
    }
    return result;
  }

  FoundMessage find(const Ask& what) {
    if (!rows_)
      rows_ = outbox_.store->open_to_read();
    if (!rows_)
      throw std::runtime_error(outbox_.store->name() + ": only its owner can read it");
    return rows_->find_message(what.idempotency_key, what.delivery);
  }

  void fail(const StoreError& error, LookedForOwnership& result) {
    report(outbox_.options, error);
    result.failure = error.failure();
    result.text = error.what();
  }

  // What the server refuses is found by writing each row alone.
  void write(std::span<const IncomingMessage> rows, RowsWritten& result) {
    try {
      writer_->write(rows, compat::binary_format());
      result.failures.resize(result.failures.size() + rows.size());
    } catch (const StoreError& error) {
      if (rows.size() > 1 && error.failure() != StoreFailure::unreachable)
        for (const auto& x : rows)
          write({&x, 1}, result);
      else
        fail(rows, error, result);
    } catch (const std::exception& exception) {
      fail(rows, StoreError(StoreFailure::input_output, exception.what()), result);
    }
  }

  void fail(std::span<const IncomingMessage> rows, const StoreError& error, RowsWritten& result) {
    result.failures.insert(result.failures.end(), rows.size(), error.what());
    report(outbox_.options, error);
  }

  const caf::actor_addr owner_;
  SharedOutbox outbox_;
  std::shared_ptr<IncomingWriter> writer_;
  std::shared_ptr<DeliveryStore> rows_; // null: nobody has asked yet
};

} // namespace

caf::actor spawn_standby_hand(caf::actor_system& system, const caf::actor_addr& owner,
                              SharedOutbox outbox, std::shared_ptr<IncomingWriter> writer) {
  if (outbox.options.thread == WriterThread::own)
    return system.spawn<StandbyHand, caf::detached>(owner, std::move(outbox), std::move(writer));
  return system.spawn<StandbyHand>(owner, std::move(outbox), std::move(writer));
}

} // namespace backoff_actor
