#pragma once

#include "backoff_actor/store/sqlite_store.hpp"
#include "common/temporary_folder.hpp"
#include "deliveries.hpp"
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
