// That a store in a file of SQLite promises what the port does, and what it promises beyond that.

#include "contract.hpp"
#include "fixture.hpp"

#include <SQLiteCpp/Database.h>

namespace backoff_actor::store_test {

namespace {

class SqlitePlace final : public StorePlace {
public:
  std::shared_ptr<DeliveryStore> open() override {
    return open_sqlite_store(file_, {.durability = Durability::process_death});
  }
  std::string name() const override { return std::filesystem::canonical(file_).string(); }

private:
  example::TemporaryFolder folder_{"backoff_actor-store"};
  std::filesystem::path file_ = folder_ / "outbox.db";
};

} // namespace

INSTANTIATE_TEST_SUITE_P(sqlite, store_contract, ::testing::Values(MakeStorePlace{[] {
                           return std::make_unique<SqlitePlace>();
                         }}));

class sqlite_contract : public StoreTest {
protected:
  Contents reopened() { return contents_of(reopen()); }
};

TEST_F(sqlite_contract, keys_that_are_forgotten_together_are_dropped_a_thousand_at_a_time) {
  std::vector<StoreChange> changes;
  for (std::uint64_t id = 1; id <= 2'500; ++id) {
    changes.emplace_back(change::Insert{delivery(id)});
    changes.emplace_back(change::Acknowledge{id, {static_cast<std::int64_t>(id)}});
  }
  commit(store(), changes);
  commit(store(), {change::ForgetKeys{{2'400}}});
  const auto rows = [this] {
    return SQLite::Database{file().string()}
      .execAndGet("SELECT count(*) FROM acknowledged_keys")
      .getInt();
  };
  EXPECT_EQ(rows(), 1'500);
  EXPECT_EQ(contents_of(store()).keys.size(), 101U) << "whatever is still there";
  while (store().is_untidy())
    store().tidy_up();
  EXPECT_EQ(rows(), 101);
  EXPECT_EQ(contents_of(store()).keys.size(), 101U);
}

TEST_F(sqlite_contract, an_empty_batch_touches_nothing) {
  store();
  const auto size = [this](const char* suffix) {
    return std::filesystem::file_size(file().string() + suffix);
  };
  const auto written = std::filesystem::last_write_time(file().string() + "-wal");
  const auto before = size("-wal");
  commit(store(), {});
  commit(store(), {change::Acknowledge{3, {1}}});
  EXPECT_EQ(size("-wal"), before);
  EXPECT_EQ(std::filesystem::last_write_time(file().string() + "-wal"), written);
}

TEST_F(sqlite_contract, a_store_that_is_owned_can_be_looked_at_as_it_is_at_that_moment) {
  commit(store(), {change::Insert{delivery(1)}});
  const auto view = open_sqlite_store_to_read(file());
  EXPECT_EQ(contents_of(*view), contents_of(store()));
  commit(store(), {change::Acknowledge{1, {1}}, change::Insert{delivery(2)}});
  EXPECT_EQ(contents_of(*view), contents_of(store()));
  EXPECT_EQ(contents_of(*open_sqlite_store_to_read(file())), contents_of(store()));
  EXPECT_EQ(view->message_format(), "");
}

TEST_F(sqlite_contract, whoever_looks_cannot_change_anything) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2)});
  const auto before = contents_of(store());
  const auto view = open_sqlite_store_to_read(file());
  const std::vector<std::uint64_t> ids{2};
  const auto text =
    view->name() + ": is open for reading only; open it with open_sqlite_store to change it";
  for (const auto& change : std::vector<std::function<void()>>{
         [&] {
           commit(*view, {change::Acknowledge{1, {1}}});
         },
         [&] { view->set_message_format("x"); }, [&] { view->remove_dead_letters(ids); },
         [&] { view->resubmit_dead_letters(ids); }}) {
    const auto [failure, said] = failure_of(change);
    EXPECT_EQ(failure, StoreFailure::read_only);
    EXPECT_EQ(said, text);
  }
  EXPECT_EQ(reopened(), before);
}

} // namespace backoff_actor::store_test
