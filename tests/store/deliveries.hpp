#pragma once

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::store_test {

inline std::vector<std::byte> bytes(std::string_view text) {
  const auto all = std::as_bytes(std::span{text});
  return {all.begin(), all.end()};
}

/// A delivery with something in every part.
inline StoredDelivery delivery(std::uint64_t id, std::string_view payload = "payload") {
  return {.id = id,
          .submitted_at = {1'700'000'000'000'000'000 + static_cast<std::int64_t>(id)},
          .deadline = WallTime{1'800'000'000'000'000'000},
          .attempts = 0,
          .key = "customer",
          .idempotency_key = "order " + std::to_string(id),
          .context = "retries: max_attempts 3",
          .message = {"order,int32_t", bytes(payload)}};
}

inline void commit(DeliveryStore& store, const std::vector<StoreChange>& changes) {
  store.commit(changes);
}

/// What an error of a store says.
struct Failure {
  StoreFailure failure{};
  std::string text{};
};

/// The error that a call ends with; none, which is a failed test, if it does not.
inline Failure failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const StoreError& error) {
    return {error.failure(), error.what()};
  }
  ADD_FAILURE() << "there was no StoreError";
  return {};
}

inline change::Bury bury(std::uint64_t id) {
  return {id, DeadLetterReason::attempts_exhausted, 5, "cannot parse it", WallTime{77}};
}

} // namespace backoff_actor::store_test
