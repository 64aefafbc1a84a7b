#pragma once

#include <backoff_actor/core/unit_random.hpp>
#include <backoff_actor/delivery/delivery_store.hpp>
#include <backoff_actor/delivery/store_error.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::soak {

/// Another store, whose commits now and then fail for lack of room.
class FlakyStore final : public DeliveryStore {
public:
  /// @param share of the commits, in [0, 1)
  FlakyStore(std::shared_ptr<DeliveryStore> store, double share, std::uint64_t seed)
    : store_(std::move(store)), share_(share), draws_{seed, 0} {}

  std::string name() const override { return store_->name(); }

  void commit(std::span<const StoreChange> changes) override {
    if (draws_(commits_++) < share_)
      throw StoreError(StoreFailure::full, name() + ": there is no room, just once");
    store_->commit(changes);
  }

  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override {
    store_->for_each_owed(visit);
  }
  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override {
    store_->for_each_acknowledged_key(visit);
  }
  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override {
    store_->for_each_dead_letter(visit);
  }
  std::uint64_t last_id() override { return store_->last_id(); }
  std::string message_format() override { return store_->message_format(); }
  void set_message_format(const std::string& format) override {
    store_->set_message_format(format);
  }
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) override {
    return store_->remove_dead_letters(ids);
  }
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) override {
    return store_->resubmit_dead_letters(ids);
  }

private:
  const std::shared_ptr<DeliveryStore> store_;
  const double share_;
  const Draws draws_;
  std::uint64_t commits_ = 0;
};

} // namespace backoff_actor::soak
