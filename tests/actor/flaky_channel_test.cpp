// Senders between bad channels: messages and answers between client and sender, and between sender
// and child, are lost, late and out of order. Nothing may be lost for good, and every duplicate
// must have its reason.
//
// BACKOFF_ACTOR_SEED=... takes the seed back that a failure prints.

#include "common/seeds.hpp"
#include "fixture.hpp"

#include <caf/exit_reason.hpp>

#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>

namespace backoff_actor::actor_test {

namespace {

using testing::Flakiness;
using testing::FlakyChannel;

struct Mode {
  const char* name;
  Acknowledgement acknowledgement;
  WorksOn works_on;
  Ordering ordering;
};

struct FlakyRow {
  Mode mode;
  double badness; // of each of the two channels, to drop and to delay
};

class FlakyChannels : public SenderTest, public ::testing::WithParamInterface<FlakyRow> {
protected:
  // One thing that a client wants done, and asks for until it hears of it.
  struct Wish {
    std::vector<std::shared_ptr<testing::Answer<std::string>>> asked;
    Instant asked_last;

    bool is_granted() const {
      for (const auto& x : asked)
        if (x->value)
          return true;
      return false;
    }
  };

  static Flakiness bad(std::uint64_t seed) {
    return {seed, GetParam().badness, GetParam().badness, 700ms};
  }

  void start_between(const FlakyChannel& to_children) {
    danger = DangerousActor{FaultPlan::random(seed, {{0.03, testing::crash()}})};
    auto options = default_options();
    options.seed = seed;
    options.acknowledgement = GetParam().mode.acknowledgement;
    options.rare.works_on = GetParam().mode.works_on;
    options.ordering = GetParam().mode.ordering;
    options.ack_timeout = 1s;
    options.backoff = Policy{Exponential{.first = 10ms, .cap = 1s}};
    start_with(to_children.to_children(danger.factory()), options);
  }

  void ask_for(const std::string& key) {
    auto& wish = wishes[key];
    wish.asked.push_back(time.ask<std::string>(entrance, key));
    wish.asked_last = time.now();
    ++asked;
  }

  bool are_all_granted() const {
    for (const auto& [key, wish] : wishes)
      if (!wish.is_granted())
        return false;
    return true;
  }

  // Asks for everything, and again for what is not heard of for ten seconds.
  void ask_until_all_are_granted() {
    for (int i = 0; i != 200; ++i) {
      ask_for(std::to_string(i));
      time.advance(20ms);
    }
    const auto end = time.now() + 24h;
    while (!are_all_granted() && time.now() < end) {
      time.advance(1s);
      for (const auto& [key, wish] : wishes)
        if (!wish.is_granted() && time.now() - wish.asked_last >= 10s)
          ask_for(key);
    }
  }

  void expect_every_hand_over_has_its_reason() {
    std::map<std::uint64_t, bool> may_be_handed_over; // by delivery
    for (const auto& event : log.events()) {
      if (const auto* const accepted = std::get_if<event::Accepted>(&event)) {
        may_be_handed_over[accepted->delivery] = true;
      } else if (std::get_if<event::ChildDown>(&event)
                 || std::get_if<event::ChildOverdue>(&event)) {
        for (auto& [delivery, may_be] : may_be_handed_over)
          may_be = true;
      } else if (const auto* const given = std::get_if<event::HandedOver>(&event)) {
        EXPECT_TRUE(may_be_handed_over.at(given->delivery))
          << "delivery " << given->delivery << " is handed over once more without a reason";
        may_be_handed_over[given->delivery] = false;
      }
    }
  }

  void expect_every_delivery_ends_once() {
    std::map<std::uint64_t, int> ends;
    for (const auto& x : log.all<event::Accepted>())
      ends[x.delivery] = 0;
    for (const auto& x : log.all<event::Acknowledged>())
      ++ends.at(x.delivery);
    for (const auto& [delivery, count] : ends)
      EXPECT_EQ(count, 1) << "delivery " << delivery;
    EXPECT_EQ(log.count<event::DeadLettered>(), 0U);
    EXPECT_EQ(log.count<event::NotAccepted>(), 0U);
  }

  std::uint64_t seed = 0;
  caf::actor entrance;
  std::map<std::string, Wish> wishes;
  std::size_t asked = 0;

  void TearDown() override {
    entrance = nullptr;
    SenderTest::TearDown();
  }
};

TEST_P(FlakyChannels, lose_nothing_for_good_and_every_duplicate_has_its_reason) {
  seed = test::first_seed();
  SCOPED_TRACE("BACKOFF_ACTOR_SEED=" + std::to_string(seed));
  const FlakyChannel to_children{bad(seed)};
  const FlakyChannel to_sender{bad(seed + 1'000'000)};
  start_between(to_children);
  entrance = time.keep(to_sender.to(sender));

  ask_until_all_are_granted();
  time.advance(1h); // what was asked for twice is worked on to the end

  ASSERT_TRUE(are_all_granted());
  std::map<std::string, int> done;
  for (const auto& text : danger.texts())
    ++done[text];
  for (const auto& [key, wish] : wishes) {
    EXPECT_GE(done[key], 1) << key;
    for (const auto& answer : wish.asked)
      EXPECT_EQ(answer->value.value_or(key), key) << "somebody else's answer";
  }
  expect_every_delivery_ends_once();
  expect_every_hand_over_has_its_reason();

  // What went in came out, but for what the channels made away with.
  const auto requests = to_sender.account().messages;
  const auto hand_overs = to_children.account().messages;
  const auto accepted = log.count<event::Accepted>();
  EXPECT_EQ(requests.all(), asked);
  EXPECT_EQ(accepted, requests.passed + requests.delayed);
  EXPECT_LE(hand_overs.all(), log.count<event::HandedOver>()) << "some waited for who was ended";
  EXPECT_LE(danger.texts().size(), hand_overs.passed + hand_overs.delayed);
  EXPECT_GT(requests.dropped, 0U);
  EXPECT_GT(to_children.account().answers.dropped, 0U);
  EXPECT_GT(hand_overs.all(), accepted);
}

class AFlakyChannel : public SenderTest {
protected:
  // Tells a service behind the channel the numbers from 0 to 999, 10 ms apart.
  void tell_numbers(const FlakyChannel& channel) {
    const auto service = time.keep(channel.to(danger.spawn(time.system())));
    for (int i = 0; i != 1000; ++i) {
      time.tell(service, std::to_string(i));
      time.advance(10ms);
    }
  }
};

TEST_F(AFlakyChannel, drops_delays_and_reorders_as_it_says_and_passes_the_rest_once) {
  const FlakyChannel channel{{.seed = 3, .drop = 0.2, .delay = 0.3, .longest_delay = 1s}};
  tell_numbers(channel);
  time.advance(990ms);

  const auto account = channel.account();
  EXPECT_EQ(account.messages.all(), 1000U);
  EXPECT_NEAR(static_cast<double>(account.messages.dropped), 200, 50);
  EXPECT_NEAR(static_cast<double>(account.messages.delayed), 300, 60);

  const auto arrived = danger.texts();
  EXPECT_EQ(arrived.size(), account.messages.passed + account.messages.delayed)
    << "none is later than a second";
  EXPECT_EQ(std::set<std::string>(arrived.begin(), arrived.end()).size(), arrived.size());
  int overtaken = 0;
  for (std::size_t i = 1; i < arrived.size(); ++i)
    overtaken += std::stoi(arrived[i]) < std::stoi(arrived[i - 1]);
  EXPECT_GT(overtaken, 100);
}

TEST_F(AFlakyChannel, does_the_same_with_the_same_seed_and_not_with_another) {
  const auto arrived = [this](std::uint64_t seed) {
    danger = DangerousActor{};
    tell_numbers(FlakyChannel{{.seed = seed}});
    return danger.texts();
  };
  const auto first = arrived(3);

  EXPECT_EQ(arrived(3), first);
  EXPECT_NE(arrived(4), first);
}

TEST_F(AFlakyChannel, does_not_lose_the_end_of_what_is_behind_it) {
  const FlakyChannel channel{{.drop = 1, .delay = 0}};
  const auto target = time.spawn<Echo>();
  const auto service = channel.to(target);
  const auto reason = std::make_shared<std::optional<caf::error>>();
  time.spawn<Watcher>(service, reason);
  time.run();
  EXPECT_FALSE(*reason);

  time.stop(target);
  time.run();

  ASSERT_TRUE(*reason);
  EXPECT_TRUE(**reason == caf::exit_reason::user_shutdown);
}

TEST(FlakyChannel, names_all_that_cannot_be) {
  try {
    FlakyChannel{{.drop = 1.5, .delay = -0.5, .longest_delay = 0s}};
    FAIL() << "it can be";
  } catch (const InvalidArgument& problem) {
    EXPECT_THAT(problem.what(),
                ::testing::AllOf(HasSubstr("drop: got 150%"), HasSubstr("delay: got -50%"),
                                 HasSubstr("longest_delay: got 0ns")));
  }
  EXPECT_THROW((FlakyChannel{{.drop = 0.6, .delay = 0.6}}), InvalidArgument);
  EXPECT_THROW(FlakyChannel{{}}.to(caf::actor{}), InvalidArgument);
  EXPECT_THROW(FlakyChannel{{}}.to_children({}), InvalidArgument);
}

TEST_F(AFlakyChannel, and_a_plan_of_one_seed_do_not_strike_the_same_messages) {
  const FaultPlan plan{"random(seed 7, crash 20%)"};
  const FlakyChannel channel{{.seed = 7, .drop = 0.2, .delay = 0}};
  const auto service = time.keep(channel.to(time.spawn<Echo>()));

  int both = 0;
  for (std::uint64_t i = 0; i != 1000; ++i) {
    const auto dropped = channel.account().messages.dropped;
    time.tell(service, std::string{"a"});
    time.run();
    both += channel.account().messages.dropped > dropped && plan[i].kind == Fault::Kind::crash;
  }

  EXPECT_GT(both, 10) << "a twenty-fifth of them on average";
  EXPECT_LT(both, 80);
}

constexpr Mode one_at_a_time{"by_reply_one_in_order", Acknowledgement::by_reply, WorksOn::one,
                             Ordering::strict};
constexpr Mode many_at_once{"by_reply_many_unordered", Acknowledgement::by_reply, WorksOn::many,
                            Ordering::unordered};
constexpr Mode explicitly{"by_sent_many_unordered", Acknowledgement::by_sent, WorksOn::many,
                          Ordering::unordered};

INSTANTIATE_TEST_SUITE_P(table, FlakyChannels,
                         ::testing::Values(FlakyRow{one_at_a_time, 0.1},
                                           FlakyRow{one_at_a_time, 0.2},
                                           FlakyRow{one_at_a_time, 0.3},
                                           FlakyRow{many_at_once, 0.1}, FlakyRow{many_at_once, 0.2},
                                           FlakyRow{many_at_once, 0.3}, FlakyRow{explicitly, 0.1},
                                           FlakyRow{explicitly, 0.2}, FlakyRow{explicitly, 0.3}),
                         [](const auto& row) {
                           return std::string{row.param.mode.name} + "_"
                                  + std::to_string(static_cast<int>(row.param.badness * 100))
                                  + "_percent";
                         });

} // namespace

} // namespace backoff_actor::actor_test
