#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/shared_store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::testing {

/// Passes all calls of a `DeliveryStore` on to another store. Use it as `StoreInFront` or
/// `OwnedStoreInFront`.
///
/// @tparam Port `DeliveryStore` or a class that has more members
/// @thread as the other store's
template <class Port>
class InFrontOf : public Port {
public:
  /// Puts itself in front of `store`, which must not be null.
  explicit InFrontOf(std::shared_ptr<Port> store) : store_(std::move(store)) {}

  /// As the other store's.
  std::string name() const override { return store_->name(); }
  /// As the other store's.
  void commit(std::span<const StoreChange> changes) override { store_->commit(changes); }
  /// As the other store's.
  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override {
    store_->for_each_owed(visit);
  }
  /// As the other store's.
  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override {
    store_->for_each_acknowledged_key(visit);
  }
  /// As the other store's.
  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override {
    store_->for_each_dead_letter(visit);
  }
  /// As the other store's.
  void for_each_newest_dead_letter(std::uint64_t below, std::size_t at_most,
                                   const std::function<void(StoredDeadLetter)>& visit) override {
    store_->for_each_newest_dead_letter(below, at_most, visit);
  }
  /// As the other store's.
  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) override {
    return store_->find_message(idempotency_key, delivery);
  }
  /// As the other store's.
  std::uint64_t last_id() override { return store_->last_id(); }
  /// As the other store's.
  std::string message_format() override { return store_->message_format(); }
  /// As the other store's.
  void set_message_format(const std::string& format) override {
    store_->set_message_format(format);
  }
  /// Counts those of the store behind.
  DeadLetterTally count_dead_letters() override { return store_->count_dead_letters(); }
  /// As the other store's.
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) override {
    return store_->remove_dead_letters(ids);
  }
  /// As the other store's.
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) override {
    return store_->resubmit_dead_letters(ids);
  }
  /// As the other store's.
  std::vector<std::string> take_notices() override { return store_->take_notices(); }
  /// As the other store's.
  bool is_untidy() const override { return store_->is_untidy(); }
  /// As the other store's.
  void tidy_up() override { store_->tidy_up(); }

protected:
  /// The other store.
  Port& behind() const { return *store_; }

private:
  const std::shared_ptr<Port> store_;
};

/// Passes all calls on to another store. Derive from it to count calls, to fail, or to change some
/// members.
///
/// @thread as the other store's
class StoreInFront : public InFrontOf<DeliveryStore> {
public:
  /// Puts itself in front of `store`, which must not be null.
  ///
  /// @errors throws `InvalidArgument` if that is an `OwnedStore`: nobody would renew its ownership.
  explicit StoreInFront(std::shared_ptr<DeliveryStore> store) : InFrontOf(std::move(store)) {
    Problems problems{"StoreInFront"};
    if (dynamic_cast<const OwnedStore*>(&behind()) != nullptr)
      problems.add("store", "one that is owned", "a store that is not; use OwnedStoreInFront");
    problems.raise_if_any();
  }
};

/// The same in front of a store that is owned.
///
/// @thread as the other store's
class OwnedStoreInFront : public InFrontOf<OwnedStore> {
public:
  using InFrontOf::InFrontOf;
  /// As the other store's.
  StoreOwnership ownership() const override { return behind().ownership(); }
  /// As the other store's.
  void renew() override { behind().renew(); }
  /// As the other store's.
  std::unique_ptr<Intake> open_intake() override { return behind().open_intake(); }
  /// As the other store's.
  std::unique_ptr<IncomingWriter> open_writer() override { return behind().open_writer(); }
};

} // namespace backoff_actor::testing
