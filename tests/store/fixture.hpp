#pragma once

#include "backoff_actor/store/sqlite_store.hpp"
#include "common/temporary_folder.hpp"
#include "reference_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
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

/// A folder for a store, and the store.
class StoreTest : public ::testing::Test {
protected:
  std::filesystem::path file() const { return folder_ / "outbox.db"; }

  DeliveryStore& store() {
    if (!store_)
      store_ = open_sqlite_store(file(), options_);
    return *store_;
  }

  void close() { store_.reset(); }

  /// Before what a test has beside it goes, the VFS for example.
  void TearDown() override { close(); }

  DeliveryStore& reopen() {
    close();
    return store();
  }

  example::TemporaryFolder folder_{"backoff_actor-store"};
  /// A test of what is stored need not wait for the disk.
  SqliteOptions options_{.durability = Durability::process_death};

private:
  std::shared_ptr<DeliveryStore> store_{};
};

} // namespace backoff_actor::store_test
