// A server in memory: one owner at a time, and the faults that a test orders.

#include <backoff_actor/testing/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::kit_test {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::LostCommit;
using testing::MemoryServer;

class MemoryServers : public ::testing::Test {
protected:
  static std::vector<StoreChange> insert(std::uint64_t id) {
    StoredDelivery delivery;
    delivery.id = id;
    std::vector<StoreChange> result;
    result.emplace_back(change::Insert{delivery});
    return result;
  }

  // What a call fails with; `none` if it does not.
  template <class Call>
  static std::string failure_of_call(Call call) {
    try {
      call();
    } catch (const StoreError& error) {
      return std::string{to_string(error.failure())};
    }
    return "none";
  }

  static std::string commit(DeliveryStore& store, std::uint64_t id) {
    return failure_of_call([&] { store.commit(insert(id)); });
  }

  std::shared_ptr<OwnedStore> own(const std::string& node) { return server.store(node)->own(0s); }

  Instant now{};
  MemoryServer server{[this] { return now; }, 5s, "orders"};
};

} // namespace

TEST_F(MemoryServers, have_one_owner_at_a_time_each_with_a_higher_epoch) {
  EXPECT_FALSE(server.owner());
  auto a = own("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->ownership(), (StoreOwnership{1, 5s}));
  EXPECT_FALSE(own("b"));
  EXPECT_EQ(server.owner(), (StoreOwner{"a", 1, {0}, true}));
  now = Instant{1s};
  a = nullptr;
  EXPECT_FALSE(server.owner()->is_alive);
  const auto b = own("b");
  EXPECT_EQ(server.owner(), (StoreOwner{"b", 2, {1'000'000'000}, true}));
}

TEST_F(MemoryServers, end_the_session_of_an_owner_that_says_nothing_for_the_lease) {
  const auto a = own("a");
  now = Instant{4s};
  a->renew();
  now = Instant{9s - 1ns};
  EXPECT_FALSE(own("b"));
  now = Instant{9s};
  const auto b = own("b");
  EXPECT_TRUE(b);
  EXPECT_EQ(commit(*a, 1), "unreachable");
  EXPECT_EQ(commit(*a, 1), "disowned");
  EXPECT_EQ(commit(*a, 1), "disowned") << "for ever";
  EXPECT_THAT(server.content()->owed(), IsEmpty());
}

TEST_F(MemoryServers, take_an_owner_back_whose_session_was_ended_if_nobody_came_between) {
  const auto a = own("a");
  server.end_session();
  EXPECT_EQ(commit(*a, 1), "unreachable");
  EXPECT_EQ(commit(*a, 1), "none");
  EXPECT_EQ(server.owner()->epoch, 1u);
  EXPECT_THAT(server.content()->owed(), ElementsAre(1));
}

TEST_F(MemoryServers, make_a_commit_once_whose_answer_was_lost) {
  const auto a = own("a");
  server.cut_next_call(LostCommit::made);
  EXPECT_EQ(commit(*a, 1), "unreachable");
  EXPECT_EQ(server.commits().size(), 1u);
  EXPECT_EQ(commit(*a, 1), "none");
  EXPECT_EQ(server.commits().size(), 1u);

  server.cut_next_call(LostCommit::not_made);
  EXPECT_EQ(commit(*a, 2), "unreachable");
  EXPECT_EQ(server.commits().size(), 1u);
  EXPECT_THROW(a->commit(insert(3)), std::logic_error) << "the same must come first";
  EXPECT_EQ(commit(*a, 2), "none");
  EXPECT_THAT(server.content()->owed(), ElementsAre(1, 2));
}

TEST_F(MemoryServers, hear_nothing_of_a_process_that_is_cut_off) {
  const auto a = own("a");
  server.cut_off("a");
  EXPECT_EQ(failure_of_call([&] { a->renew(); }), "unreachable");
  EXPECT_EQ(failure_of_call([&] { server.store("a")->owner(); }), "unreachable");
  EXPECT_TRUE(server.owner()->is_alive);
  server.connect_again("a");
  EXPECT_EQ(failure_of_call([&] { a->renew(); }), "none");
  EXPECT_EQ(server.renewals(), 1u);
}

TEST_F(MemoryServers, keep_what_was_committed_when_they_crash) {
  const auto a = own("a");
  commit(*a, 1);
  server.crash();
  EXPECT_EQ(commit(*a, 2), "unreachable");
  EXPECT_EQ(failure_of_call([&] { own("b"); }), "unreachable");
  server.start_again();
  while (commit(*a, 2) != "none") {
  }
  EXPECT_THAT(server.content()->owed(), ElementsAre(1, 2));
}

TEST_F(MemoryServers, get_the_commits_again_that_a_replica_did_not_have) {
  const auto a = own("a");
  a->set_message_format("text");
  for (std::uint64_t id = 1; id <= 3; ++id)
    commit(*a, id);
  server.forget_last(2);
  EXPECT_THAT(server.content()->owed(), ElementsAre(1));
  EXPECT_EQ(commit(*a, 4), "unreachable");
  EXPECT_EQ(commit(*a, 4), "none");
  EXPECT_THAT(server.content()->owed(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(a->message_format(), "text");
}

TEST_F(MemoryServers, fail_as_they_are_told_to) {
  const auto a = own("a");
  server.fail_commits(StoreFailure::full);
  EXPECT_EQ(commit(*a, 1), "full");
  EXPECT_EQ(failure_of_call([&] { a->renew(); }), "none");
  server.fail_commits({});
  EXPECT_EQ(commit(*a, 1), "none");

  server.fail_sessions(StoreFailure::refused);
  EXPECT_EQ(failure_of_call([&] { own("b"); }), "refused");
  server.fail_sessions({});
  EXPECT_EQ(failure_of_call([&] { own("b"); }), "none");
}

TEST_F(MemoryServers, say_when_an_owner_has_taken_the_rows_that_were_there) {
  const auto store = server.store("a")->own(0s);
  server.hand_over({});
  server.hand_over({});
  const auto intake = store->open_intake();
  server.hand_over({});
  server.fail_looks(StoreFailure::refused);
  EXPECT_THROW(intake->take(1, {}), StoreError);
  server.fail_looks({});
  EXPECT_EQ(intake->take(1, {}).size(), 1u);
  EXPECT_FALSE(intake->has_caught_up());
  EXPECT_EQ(intake->take(1, {1}).size(), 1u);
  EXPECT_TRUE(intake->has_caught_up()) << "the third came later";
  intake->catch_up();
  EXPECT_EQ(intake->take(5, {1, 2}).size(), 1u);
  EXPECT_TRUE(intake->has_caught_up());
}

TEST_F(MemoryServers, let_a_process_wait_in_real_time_until_it_owns_or_is_interrupted) {
  auto a = own("a");
  EXPECT_FALSE(server.store("b")->own(20ms));
  std::thread end{[&] { a = nullptr; }};
  const auto b = server.store("b")->own(1min);
  end.join();
  EXPECT_TRUE(b);

  const auto c = server.store("c");
  std::thread interruption{[&] { c->interrupt(); }};
  EXPECT_FALSE(c->own(1min));
  interruption.join();
  EXPECT_FALSE(c->own(1min)) << "at once";
}

TEST_F(MemoryServers, say_who_made_which_commit) {
  const auto a = own("a");
  now = Instant{3s};
  commit(*a, 1);
  const auto commits = server.commits();
  ASSERT_EQ(commits.size(), 1u);
  EXPECT_EQ(commits[0].node, "a");
  EXPECT_EQ(commits[0].epoch, 1u);
  EXPECT_EQ(commits[0].changes, 1u);
  EXPECT_EQ(commits[0].at, Instant{3s});
}

TEST_F(MemoryServers, own_a_store_that_only_a_store_of_its_kind_passes_on) {
  const auto store = own("a");
  EXPECT_EQ(testing::OwnedStoreInFront{store}.ownership(), store->ownership());
  try {
    testing::StoreInFront{store};
    FAIL() << "nobody would renew its ownership";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "StoreInFront: store: got one that is owned, allowed a store that "
                               "is not; use OwnedStoreInFront");
  }
}

} // namespace backoff_actor::kit_test
