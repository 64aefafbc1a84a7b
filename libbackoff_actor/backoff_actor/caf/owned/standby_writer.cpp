#include "backoff_actor/caf/owned/internal/standby_writer.hpp"

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>

#include <exception>
#include <functional>

namespace backoff_actor {

namespace {

// How much is written in one transaction.
constexpr std::size_t most_rows_at_once = 1000;
constexpr std::size_t most_bytes_at_once = 16U << 20;

class StandbyWriter final : public caf::event_based_actor {
public:
  StandbyWriter(caf::actor_config& config, caf::actor_addr owner, std::shared_ptr<StandbyPost> post,
                std::function<void(const StoreError&)> on_error)
    : caf::event_based_actor(config), owner_(std::move(owner)), post_(std::move(post)),
      on_error_(std::move(on_error)) {}

  const char* name() const override { return "backoff_actor.standby_writer"; }

  caf::behavior make_behavior() override {
    return {[this](const WriteNow&) { write(); }};
  }

  void on_exit() override {
    post_ = nullptr;
    on_error_ = {};
  }

private:
  void write() {
    const auto is_over = post_->is_over(); // nothing comes after that
    const auto batch = post_->next_batch();
    if (batch.empty()) {
      if (is_over)
        quit();
      return;
    }
    write(batch);
    if (const auto owner = caf::actor_cast<caf::actor>(owner_))
      compat::enqueue(owner, StoreNews{});
    compat::enqueue(caf::actor_cast<caf::actor>(this), WriteNow{});
  }

  // What the server refuses is found by writing each message alone.
  void write(std::span<const IncomingMessage> batch) {
    try {
      post_->writer().write(batch, compat::binary_format());
      post_->settle(batch, std::nullopt);
    } catch (const StoreError& error) {
      if (batch.size() > 1 && error.failure() != StoreFailure::unreachable)
        for (const auto& x : batch)
          write({&x, 1});
      else
        fail(batch, error);
    } catch (const std::exception& exception) {
      fail(batch, StoreError(StoreFailure::input_output, exception.what()));
    }
  }

  void fail(std::span<const IncomingMessage> batch, const StoreError& error) {
    post_->settle(batch, error.what());
    if (!on_error_)
      return;
    try {
      on_error_(error);
    } catch (...) {
      // An exception of the callback must not stop the writer.
    }
  }

  const caf::actor_addr owner_;
  std::shared_ptr<StandbyPost> post_;
  std::function<void(const StoreError&)> on_error_;
};

} // namespace

std::vector<IncomingMessage> StandbyPost::next_batch() {
  const std::lock_guard lock{mutex_};
  std::vector<IncomingMessage> result;
  std::size_t bytes = 0;
  while (!waiting_.empty() && result.size() < most_rows_at_once
         && (result.empty() || bytes + waiting_.front().size() <= most_bytes_at_once)) {
    bytes += waiting_.front().size();
    result.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  bytes_ -= bytes;
  return result;
}

caf::actor spawn_standby_writer(caf::actor_system& system, const caf::actor_addr& owner,
                                std::shared_ptr<StandbyPost> post, const DurableOptions& options) {
  if (options.thread == WriterThread::own)
    return system.spawn<StandbyWriter, caf::detached>(owner, std::move(post), options.on_error);
  return system.spawn<StandbyWriter>(owner, std::move(post), options.on_error);
}

} // namespace backoff_actor
