// An operator acts on senders that work, by the web server.

#include "system/operator_fixture.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace backoff_actor::operator_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// -- senders ------------------------------------------------------------------------

TEST_F(OperatorTest, pauses_and_resumes_a_sender) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  const auto answer = act("pause?" + in_address(sender));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
  EXPECT_THAT(answer.body, HasSubstr(R"({"is_done":true,"letters":0,"text":")" + name_of(sender)));
  EXPECT_TRUE(status_of(sender).is_paused);
  send(sender, "first");
  EXPECT_EQ(status_of(sender).owed, 1U);
  EXPECT_EQ(act("resume?" + in_address(sender)).status, 200);
  EXPECT_FALSE(status_of(sender).is_paused);
  EXPECT_TRUE(test::becomes_true([] { return done == 1; }));
  EXPECT_THAT(actions_.lines(), ElementsAre("anna pause done 0", "anna resume done 0"));
}

TEST_F(OperatorTest, drains_a_sender_until_it_resumes) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  act("pause?" + in_address(sender));
  send(sender, "first");
  EXPECT_EQ(act("drain?" + in_address(sender)).status, 200);
  EXPECT_EQ(status_of(sender).phase, Phase::draining);
  EXPECT_EQ(act("resume?" + in_address(sender)).status, 200);
  EXPECT_NE(status_of(sender).phase, Phase::draining);
}

TEST_F(OperatorTest, ends_a_delay) {
  auto slow = options();
  slow.backoff = parse_policy("fixed(1h)");
  slow.max_attempts = std::nullopt;
  const auto sender = spawn_back_off_sender(*system, parser, slow);
  send(sender, "poison");
  EXPECT_TRUE(test::becomes_true([&] { return status_of(sender).is_delayed; }));
  is_mended = true;
  EXPECT_EQ(act("retry_now?" + in_address(sender)).status, 200);
  EXPECT_TRUE(test::becomes_true([] { return done == 1; }));
}

TEST_F(OperatorTest, finds_nobody_of_a_wrong_name) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  EXPECT_EQ(act("pause?sender=parser%230").status, 404);
  EXPECT_EQ(act("pause?sender=packer%23" + std::to_string(sender->id())).status, 404);
  EXPECT_EQ(act("pause?sender=parser").status, 400);
  EXPECT_EQ(act("pause").status, 400);
  EXPECT_EQ(act("fly?" + in_address(sender)).status, 404);
  EXPECT_FALSE(status_of(sender).is_paused);
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  EXPECT_TRUE(test::becomes_true([&] { return act("pause?" + in_address(sender)).status == 404; }));
}

TEST_F(OperatorTest, waits_for_no_sender_that_ends) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  caf::scoped_actor self{*system};
  self->send_exit(sender, caf::exit_reason::kill);
  EXPECT_EQ(act("pause?" + in_address(sender)).status, 404) << "and not 504, as after a wait";
}

// -- guards -------------------------------------------------------------------------

TEST_F(OperatorTest, closes_a_circuit_breaker) {
  const SharedGuard guard{parse_guard("circuit_breaker(5 failures, open 1h)")};
  guard.observed_by(observatory_, "payments");
  guard.isolate();
  const SharedGuard budget{parse_guard("retry_budget(20%, 1/s)")};
  budget.observed_by(observatory_, "budget");
  EXPECT_EQ(act("close_guard?guard=payments").status, 200);
  EXPECT_EQ(guard.status().breaker, BreakerState::closed);
  EXPECT_EQ(act("close_guard?guard=budget").status, 409);
  EXPECT_EQ(act("close_guard?guard=nobody").status, 404);
}

// -- dead letters -------------------------------------------------------------------

TEST_F(OperatorTest, sees_resubmits_and_removes_dead_letters) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  send(sender, "poison 1");
  send(sender, "poison 2");
  send(sender, "well");
  ASSERT_TRUE(becomes_dead(sender, 2));
  const auto all = letters(in_address(sender));
  EXPECT_EQ(all.status, 200);
  EXPECT_THAT(all.body,
              HasSubstr(R"("id":1,"reason":"attempts_exhausted","attempts":2,"cause":")"));
  EXPECT_THAT(all.body, HasSubstr("cannot parse poison 1"));
  EXPECT_THAT(all.body, HasSubstr(R"("left_out":0,"dropped":0})"));
  EXPECT_LT(all.body.find(R"("id":2)"), all.body.find(R"("id":1)")) << "the newest first";
  EXPECT_THAT(letters(in_address(sender) + "&find=poison%202").body, Not(HasSubstr(R"("id":1)")));
  EXPECT_THAT(letters(in_address(sender) + "&at_most=1").body, HasSubstr(R"("left_out":1)"));
  is_mended = true;
  const auto answer = act("resubmit?id=1&" + in_address(sender));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("letters":1)"));
  EXPECT_TRUE(test::becomes_true([] { return done == 2; }));
  EXPECT_THAT(letters(in_address(sender)).body, Not(HasSubstr("poison 1")));
  EXPECT_EQ(act("resubmit?id=1&" + in_address(sender)).status, 404) << "it is gone";
  EXPECT_EQ(act("remove?" + in_address(sender)).status, 400) << "all must be said";
  EXPECT_EQ(act("remove?all=yes&" + in_address(sender)).status, 200);
  EXPECT_EQ(letters(in_address(sender)).body, "{\"letters\":[],\"left_out\":0,\"dropped\":0}\n");
  EXPECT_THAT(actions_.lines(),
              ElementsAre("anna look done 2", "anna look done 1", "anna look done 1",
                          "anna resubmit done 1", "anna look done 1", "anna resubmit not done 0",
                          "anna remove done 1", "anna look done 0"));
}

TEST_F(OperatorTest, resubmits_all_that_match) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  for (int i = 0; i != 30; ++i)
    send(sender, i % 3 == 0 ? "poison red" : "poison blue");
  ASSERT_TRUE(becomes_dead(sender, 30));
  is_mended = true;
  const auto answer = act("resubmit?all=yes&find=red&" + in_address(sender));
  EXPECT_THAT(answer.body, HasSubstr(R"("is_done":true,"letters":10)"));
  EXPECT_TRUE(test::becomes_true([] { return done == 10; }));
  EXPECT_THAT(letters(in_address(sender)).body, Not(HasSubstr("red")));
  EXPECT_THAT(letters(in_address(sender) + "&at_most=5").body, HasSubstr(R"("left_out":15)"));
}

TEST_F(OperatorTest, keeps_what_the_sender_does_not_take) {
  const auto sender = spawn_back_off_sender(*system, parser, options());
  send(sender, "poison");
  ASSERT_TRUE(becomes_dead(sender, 1));
  act("pause?" + in_address(sender));
  send(sender, "first");
  act("drain?" + in_address(sender));
  const auto answer = act("resubmit?id=1&" + in_address(sender));
  EXPECT_EQ(answer.status, 409) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr("draining"));
  EXPECT_THAT(letters(in_address(sender)).body, HasSubstr("poison"));
  act("resume?" + in_address(sender));
}

TEST_F(OperatorTest, sees_the_last_thousand_letters) {
  auto many = options();
  many.time_to_live = 1us;
  const auto sender = spawn_back_off_sender(*system, parser, many);
  act("pause?" + in_address(sender)); // so each is given up when its time is over
  for (int i = 0; i != 1003; ++i)
    send(sender, "late");
  ASSERT_TRUE(becomes_dead(sender, 1003));
  const auto body = letters(in_address(sender) + "&at_most=1").body;
  EXPECT_THAT(body, HasSubstr(R"("id":1003,"reason":"expired")"));
  EXPECT_THAT(body, HasSubstr(R"("left_out":999,"dropped":3})"));
}

TEST_F(OperatorTest, acts_on_the_letters_of_a_durable_outbox) {
  const auto file =
    std::filesystem::temp_directory_path() / ("operator_test_" + std::to_string(getpid()) + ".db");
  std::filesystem::remove(file);
  {
    auto with_file = options();
    with_file.outbox = DurableOutbox{open_sqlite_store(file), durable<std::string>()};
    const auto sender = spawn_back_off_sender(*system, parser, with_file);
    send(sender, "poison 1");
    send(sender, "poison 2");
    ASSERT_TRUE(becomes_dead(sender, 2));
    EXPECT_TRUE(test::becomes_true([&] { return with_file.outbox.dead_letters().size() == 2; }));
    is_mended = true;
    EXPECT_EQ(act("resubmit?id=1&" + in_address(sender)).status, 200);
    EXPECT_TRUE(test::becomes_true([] { return done == 1; }));
    ASSERT_EQ(with_file.outbox.dead_letters().size(), 1U);
    EXPECT_EQ(with_file.outbox.dead_letters().front().id, 2U);
    EXPECT_EQ(act("remove?id=2&" + in_address(sender)).status, 200);
    EXPECT_TRUE(with_file.outbox.dead_letters().empty());
    caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  }
  system->await_all_actors_done();
  std::filesystem::remove(file);
}

// -- how much is read -----------------------------------------------------------------

// Puts dead letters into a store, with payloads of that size.
void add_letters(DeliveryStore& store, std::uint64_t count, std::size_t size) {
  for (std::uint64_t id = 1; id <= count; ++id) {
    StoredDelivery delivery;
    delivery.id = id;
    delivery.key = "key " + std::to_string(id);
    delivery.message = {"std::string", std::vector<std::byte>(size)};
    const std::vector<StoreChange> changes{
      change::Insert{std::move(delivery)},
      change::Bury{id, DeadLetterReason::rejected, 1, "broken", {1}, ""}};
    store.commit(changes);
  }
}

// Counts the dead letters that are read.
class CountingStore final : public testing::StoreInFront {
public:
  using StoreInFront::StoreInFront;

  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override {
    StoreInFront::for_each_dead_letter(counted(visit));
  }
  void for_each_newest_dead_letter(std::uint64_t below, std::size_t at_most,
                                   const std::function<void(StoredDeadLetter)>& visit) override {
    StoreInFront::for_each_newest_dead_letter(below, at_most, counted(visit));
  }

  std::size_t take_count() { return read_.exchange(0); }

private:
  std::function<void(StoredDeadLetter)>
  counted(const std::function<void(StoredDeadLetter)>& visit) {
    return [this, visit](StoredDeadLetter x) {
      ++read_;
      visit(std::move(x));
    };
  }

  std::atomic<std::size_t> read_{0};
};

TEST_F(OperatorTest, reads_only_the_letters_that_it_shows_or_acts_on) {
  const auto behind = std::make_shared<testing::MemoryStore>("orders");
  add_letters(*behind, 2004, 10);
  const auto store = std::make_shared<CountingStore>(behind);
  auto with_store = options();
  with_store.outbox = DurableOutbox{store, durable<std::string>()};
  const auto sender = spawn_back_off_sender(*system, parser, with_store);
  ASSERT_TRUE(test::becomes_true([&] { return status_of(sender).phase == Phase::running; }));
  store->take_count();
  EXPECT_THAT(letters(in_address(sender) + "&id=7").body, HasSubstr(R"("key":"key 7")"));
  EXPECT_EQ(store->take_count(), 1u);
  EXPECT_THAT(letters(in_address(sender) + "&at_most=20").body, HasSubstr(R"("left_out":1984)"));
  EXPECT_EQ(store->take_count(), 20u);
  EXPECT_THAT(letters(in_address(sender) + "&find=key%2077").body, HasSubstr(R"("id":77,)"));
  EXPECT_EQ(store->take_count(), 2004u) << "a text may be in any of them";
  EXPECT_EQ(act("remove?id=9&" + in_address(sender)).status, 200);
  EXPECT_EQ(store->take_count(), 1u);
  EXPECT_EQ(act("resubmit?id=10&" + in_address(sender)).status, 409) << "it cannot be read";
  EXPECT_EQ(store->take_count(), 2u);
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
}

// What this process has read from files and sockets so far.
std::uint64_t bytes_read() {
  std::ifstream numbers{"/proc/self/io"};
  std::string name;
  std::uint64_t result = 0;
  numbers >> name >> result; // the first is rchar
  return result;
}

TEST_F(OperatorTest, reads_little_of_a_large_file_for_one_letter) {
  const auto file =
    std::filesystem::temp_directory_path() / ("operator_read_" + std::to_string(getpid()) + ".db");
  constexpr std::uint64_t megabyte = 1'000'000;
  SqliteOptions quick;
  quick.durability = Durability::process_death;
  std::filesystem::remove(file);
  add_letters(*open_sqlite_store(file, quick), 300, megabyte / 10);
  {
    auto with_file = options();
    with_file.outbox = DurableOutbox{open_sqlite_store(file, quick), durable<std::string>()};
    const auto sender = spawn_back_off_sender(*system, parser, with_file);
    ASSERT_TRUE(test::becomes_true([&] { return status_of(sender).phase == Phase::running; }));
    const auto before = bytes_read();
    EXPECT_THAT(letters(in_address(sender) + "&id=150").body, HasSubstr(R"("key":"key 150")"));
    EXPECT_LT(bytes_read() - before, megabyte);
    EXPECT_THAT(letters(in_address(sender) + "&at_most=5").body, HasSubstr(R"("left_out":295)"));
    EXPECT_LT(bytes_read() - before, 2 * megabyte);
    caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  }
  system->await_all_actors_done();
  std::filesystem::remove(file);
}

} // namespace backoff_actor::operator_test
