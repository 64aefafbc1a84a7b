// A store on a server of PostgreSQL keeps the promises of the port, and a view of it shows what it
// holds.

#include "common/patience.hpp"
#include "fixture.hpp"
#include "store/contract.hpp"

namespace backoff_actor::store_test {

namespace {

class PostgresPlace final : public StorePlace {
public:
  std::shared_ptr<DeliveryStore> open() override {
    // The server may not have noticed yet that the session before is over.
    auto store = postgres_store(address())->own(test::patience);
    if (!store)
      throw StoreError(StoreFailure::in_use, name());
    return store;
  }

  std::string name() const override {
    return "postgres://127.0.0.1:" + std::to_string(server()->port()) + "/" + database_ + "#orders";
  }

  PostgresAddress address() const { return {server()->url(database_), "orders"}; }

private:
  std::string database_ = fresh_database();
};

} // namespace

INSTANTIATE_TEST_SUITE_P(postgres, store_contract, ::testing::Values(MakeStorePlace{[] {
                           return server() == nullptr ? nullptr : std::make_unique<PostgresPlace>();
                         }}));

using postgres_view = PostgresTest;

TEST_F(postgres_view, shows_the_outbox_as_it_is_at_each_call_whether_or_not_it_is_owned) {
  auto store = open();
  store->set_message_format("caf 1");
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2),
                  change::Insert{delivery(3)}, change::Acknowledge{3, {4}}});
  const auto view = open_postgres_store_to_read(address());
  EXPECT_EQ(contents_of(*view), contents_of(*store));
  EXPECT_EQ(view->message_format(), "caf 1");
  EXPECT_EQ(view->name(), name());
  EXPECT_EQ(dynamic_cast<OwnedStore*>(view.get()), nullptr);
  commit(*store, {change::Acknowledge{1, {5}}, change::Insert{delivery(4)}});
  const auto after = contents_of(*store);
  EXPECT_EQ(contents_of(*view), after);
  store.reset();
  EXPECT_EQ(contents_of(*view), after);
}

TEST_F(postgres_view, reads_again_after_its_session_was_ended) {
  const auto store = open();
  commit(*store, {change::Insert{delivery(1)}});
  const auto view = open_postgres_store_to_read(address(), {.node = "viewer"});
  EXPECT_EQ(query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                  "application_name = 'backoff_actor viewer'"),
            "1");
  EXPECT_EQ(view->last_id(), 1U);
}

// As a list that is shown in a pager.
TEST_F(postgres_view, has_no_snapshot_while_somebody_looks_at_what_was_read) {
  const auto store = open();
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2)});
  const auto view = open_postgres_store_to_read(address(), {.node = "viewer"});
  std::vector<std::uint64_t> visited;
  std::uint64_t id = 2;
  const auto look = [&](std::uint64_t which) {
    visited.push_back(which);
    EXPECT_EQ(query("SELECT state, backend_xmin IS NULL FROM pg_stat_activity WHERE "
                    "application_name = 'backoff_actor viewer'"),
              "idle|t");
    commit(*store, {change::Insert{delivery(++id)}});
  };
  view->for_each_owed([&](const StoredDelivery& x) { look(x.id); });
  view->for_each_dead_letter([&](const StoredDeadLetter& x) { look(x.delivery.id); });
  EXPECT_EQ(visited, (std::vector<std::uint64_t>{1, 2})) << "what comes meanwhile is not visited";
}

TEST_F(postgres_view, cannot_change_anything) {
  const auto store = open();
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2)});
  const auto before = contents_of(*store);
  const auto view = open_postgres_store_to_read(address());
  const std::vector<std::uint64_t> ids{2};
  for (const auto& change : std::vector<std::function<void()>>{
         [&] {
           commit(*view, {change::Acknowledge{1, {1}}});
         },
         [&] { view->set_message_format("x"); }, [&] { view->remove_dead_letters(ids); },
         [&] { view->resubmit_dead_letters(ids); }}) {
    const auto [failure, text] = failure_of(change);
    EXPECT_EQ(failure, StoreFailure::read_only);
    EXPECT_EQ(text,
              name() + ": is open for reading only; open it with open_postgres_store to change it");
  }
  EXPECT_EQ(contents_of(*store), before);
}

} // namespace backoff_actor::store_test
