#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "deliveries.hpp"
#include "reference_store.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor::store_test {

/// Where a store of some kind is. It outlives the store's process.
class StorePlace {
public:
  StorePlace() = default;
  StorePlace(const StorePlace&) = delete;
  StorePlace& operator=(const StorePlace&) = delete;
  virtual ~StorePlace() = default;

  /// Opens the store. Nobody has it open.
  virtual std::shared_ptr<DeliveryStore> open() = 0;

  /// What the store calls itself.
  virtual std::string name() const = 0;
};

/// Makes a place with nothing in it. Null: this kind of store cannot be tested here.
using MakeStorePlace = std::function<std::unique_ptr<StorePlace>()>;

/// A store of each kind.
class store_contract : public ::testing::TestWithParam<MakeStorePlace> {
protected:
  void SetUp() override {
    place_ = GetParam()();
    if (!place_)
      GTEST_SKIP() << "this kind of store cannot be tested here";
  }

  StorePlace& place() { return *place_; }

  DeliveryStore& store() {
    if (!store_)
      store_ = place_->open();
    return *store_;
  }

  DeliveryStore& reopen() {
    store_.reset();
    return store();
  }

  Contents reopened() { return contents_of(reopen()); }

  std::vector<AcknowledgedKey> keys() {
    std::vector<AcknowledgedKey> result;
    reopen().for_each_acknowledged_key(
      [&](AcknowledgedKey key) { result.push_back(std::move(key)); });
    return result;
  }

private:
  std::unique_ptr<StorePlace> place_{};
  std::shared_ptr<DeliveryStore> store_{};
};

} // namespace backoff_actor::store_test
