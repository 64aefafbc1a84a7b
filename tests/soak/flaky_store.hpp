#pragma once

#include <backoff_actor/core/unit_random.hpp>
#include <backoff_actor/delivery/store_error.hpp>
#include <backoff_actor/testing/stores/store_in_front.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::soak {

/// Another store, whose commits now and then fail for lack of room.
class FlakyStore final : public testing::StoreInFront {
public:
  /// @param share of the commits, in [0, 1)
  FlakyStore(std::shared_ptr<DeliveryStore> store, double share, std::uint64_t seed)
    : StoreInFront(std::move(store)), share_(share), draws_{seed, 0} {}

  void commit(std::span<const StoreChange> changes) override {
    if (draws_(commits_++) < share_)
      throw StoreError(StoreFailure::full, name() + ": there is no room, just once");
    StoreInFront::commit(changes);
  }

private:
  const double share_;
  const Draws draws_;
  std::uint64_t commits_ = 0;
};

} // namespace backoff_actor::soak
