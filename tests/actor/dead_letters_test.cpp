// What becomes of deliveries that are given up.

#include "fixture.hpp"

#include <caf/sec.hpp>

#include <ostream>

namespace backoff_actor::actor_test {

class DeadLetters : public SenderTest {
protected:
  using Letters = std::vector<DeadLetter>;

  SenderOptions told(SenderOptions options = default_options()) {
    options.on_dead_letter = [to = letters](const DeadLetter& letter) { to->push_back(letter); };
    return options;
  }

  void TearDown() override {
    letters->clear(); // which hold clients
    SenderTest::TearDown();
  }

  std::shared_ptr<Letters> letters = std::make_shared<Letters>();
};

// -- records ---------------------------------------------------------------------------

TEST_F(DeadLetters, go_to_the_function_with_all_that_is_known_of_them) {
  auto options = told();
  options.max_attempts = 2;
  options.charging = Charging::every_failure();
  start({{testing::ok(), testing::crash("bang"), testing::crash("bang again")}}, options);
  ask("a");
  const auto answer = submit("b", {.key = "customer 7"});
  time.advance(10ms);

  ASSERT_EQ(letters->size(), 1u);
  const auto& letter = letters->front();
  EXPECT_EQ(letter.id, 2u);
  EXPECT_EQ(letter.reason, DeadLetterReason::attempts_exhausted);
  EXPECT_EQ(letter.attempts, 2u);
  EXPECT_EQ(letter.cause, "bang again");
  EXPECT_EQ(letter.age, 10ms);
  EXPECT_EQ(letter.message.get_as<std::string>(0), "b");
  EXPECT_EQ(letter.key, "customer 7");
  EXPECT_TRUE(letter.client);
  EXPECT_EQ(to_string(letter),
            "delivery 2 (\"b\") attempts_exhausted after 10ms, 2 failed attempts: bang again");
  EXPECT_TRUE(answer->error) << "the client is told all the same";
}

TEST_F(DeadLetters, of_anonymous_messages_name_no_client) {
  start({{testing::error()}}, told());
  time.tell(sender, std::string{"a"});
  time.run();

  ASSERT_EQ(letters->size(), 1u);
  EXPECT_FALSE(letters->front().client);
}

TEST_F(DeadLetters, do_not_keep_their_clients_alive) {
  start({{testing::error()}}, told());
  // Nobody holds this client, so it ends once it has its answer.
  time.system().spawn<Caller>([to = sender](caf::event_based_actor* self) {
    compat::request(*self, to, std::string{"a"})
      .then([](const std::string&) {}, [](caf::error&) {});
  });
  time.run();

  ASSERT_EQ(letters->size(), 1u);
  EXPECT_TRUE(letters->front().client);
  EXPECT_FALSE(caf::actor_cast<caf::actor>(letters->front().client)) << "it has ended";
}

TEST_F(DeadLetters, know_their_cause_although_nobody_listens_to_events) {
  danger = DangerousActor{{{testing::error("no such item")}}};
  sender = time.keep(spawn_back_off_sender(time.system(), danger.factory(), told()));
  ask("a");

  ASSERT_EQ(letters->size(), 1u);
  EXPECT_THAT(letters->front().cause, ::testing::HasSubstr("no such item"));
}

struct Reason {
  const char* name;
  DeadLetterReason reason;
  Fault fault;
  std::function<void(SenderOptions&)> set;
  std::function<void(VirtualTime&, const caf::actor& sender)> then;

  friend void PrintTo(const Reason& row, std::ostream* out) { *out << row.name; }
};

class DeadLettersFor : public DeadLetters, public ::testing::WithParamInterface<Reason> {};

TEST_P(DeadLettersFor, each_reason_are_recorded_once) {
  auto options = told();
  GetParam().set(options);
  start({{GetParam().fault}}, options);
  ask("a");
  GetParam().then(time, sender);
  time.run();

  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ(letters->front().reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
  table, DeadLettersFor,
  ::testing::Values(Reason{"rejected", DeadLetterReason::rejected, testing::error(), [](auto&) {},
                           [](auto&, auto&) {}},
                    Reason{"stopped_by_stop", DeadLetterReason::stopped, testing::silence(),
                           [](auto&) {},
                           [](auto& time, auto& sender) { time.tell(sender, Stop{}); }},
                    Reason{"stopped_by_exit", DeadLetterReason::stopped, testing::silence(),
                           [](auto&) {}, [](auto& time, auto& sender) { time.stop(sender); }},
                    Reason{"attempts_exhausted", DeadLetterReason::attempts_exhausted,
                           testing::crash(),
                           [](auto& options) {
                             options.max_attempts = 1;
                             options.charging = Charging::every_failure();
                           },
                           [](auto&, auto&) {}},
                    Reason{"expired", DeadLetterReason::expired, testing::silence(),
                           [](auto& options) { options.time_to_live = 1s; },
                           [](auto& time, auto&) { time.advance(1s); }},
                    Reason{"dropped", DeadLetterReason::dropped, testing::silence(),
                           [](auto& options) {
                             options.capacity = 1;
                             options.rare.overflow = Overflow::drop_newest;
                           },
                           [](auto& time, auto& sender) { time.tell(sender, std::string{"b"}); }},
                    Reason{"retry_after_too_long", DeadLetterReason::retry_after_too_long,
                           testing::error("busy", 1h), [](auto&) {}, [](auto&, auto&) {}},
                    Reason{"gave_up", DeadLetterReason::gave_up, testing::crash(),
                           [](auto& options) {
                             options.restart_limit = RestartLimit{0, 1s};
                           },
                           [](auto&, auto&) {}}),
  [](const auto& row) { return std::string{row.param.name}; });

// -- who is told -----------------------------------------------------------------------

TEST_F(DeadLetters, may_be_submitted_once_more) {
  auto options = told();
  options.ordering = Ordering::per_key;
  start({{testing::error()}}, options);
  submit("a", {.time_to_live = 1min, .key = "customer 7"});
  ASSERT_EQ(letters->size(), 1u);
  const auto again = resubmit(letters->front());
  EXPECT_EQ(again.key, "customer 7");

  const auto answer = time.ask<std::string>(sender, again);
  time.run();

  EXPECT_EQ(answer->value, "a");
}

// -- one poisoned delivery among many -----------------------------------------------------

// Takes "poison" ill, in one way or another.
class Allergic : public caf::event_based_actor {
public:
  enum class Way { throws, stops, throws_later };

  Allergic(caf::actor_config& config, Way way) : caf::event_based_actor(config), way_(way) {
    compat::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {
      [this](const std::string& text) { return take(text, caf::make_message(text)); },
      [this](const TrackedMsg& delivery) {
        return take(delivery.payload.get_as<std::string>(0), caf::make_message(sent(delivery)));
      },
      [this](std::uint64_t index) { go_on(index); },
    };
  }

  void on_exit() override { late_.clear(); }

private:
  struct Late {
    bool is_poison;
    caf::response_promise promise;
    caf::message answer;
  };

  caf::result<caf::message> take(const std::string& text, const caf::message& answer) {
    const auto is_poison = text == "poison";
    if (is_poison && way_ == Way::throws)
      throw std::runtime_error("poisoned");
    if (!is_poison && way_ != Way::throws_later)
      return answer;
    late_.push_back({is_poison, make_response_promise(), answer});
    if (way_ == Way::stops)
      quit();
    else
      send(this, std::uint64_t{late_.size() - 1});
    return caf::delegated<caf::message>{};
  }

  void go_on(std::uint64_t index) {
    if (late_[index].is_poison)
      throw std::runtime_error("poisoned");
    late_[index].promise.deliver(std::move(late_[index].answer));
  }

  Way way_;
  std::vector<Late> late_;
};

struct Poison {
  const char* name;
  Acknowledgement acknowledgement;
  WorksOn works_on;
  Allergic::Way way;
  std::size_t crashes;

  friend void PrintTo(const Poison& row, std::ostream* out) { *out << row.name; }
};

class DeadLettersByPoison : public DeadLetters, public ::testing::WithParamInterface<Poison> {};

TEST_P(DeadLettersByPoison, one_among_ten_thousand_costs_its_attempts_and_nobody_else_anything) {
  auto options = told();
  options.acknowledgement = GetParam().acknowledgement;
  options.rare.works_on = GetParam().works_on;
  options.max_in_flight = 1024;
  options.max_attempts = 5;
  options.charging = Charging::every_failure();
  start_with(
    [way = GetParam().way](caf::event_based_actor* self) { return self->spawn<Allergic>(way); },
    options);
  for (int i = 1; i <= 10'001; ++i)
    time.tell(sender, i == 5000 ? std::string{"poison"} : std::to_string(i));
  time.advance(1h);

  EXPECT_EQ(crashes(), GetParam().crashes);
  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ(letters->front().id, 5000u);
  EXPECT_EQ(letters->front().attempts, 5u);
  std::vector<std::uint64_t> good;
  for (std::uint64_t id = 1; id <= 10'001; ++id)
    if (id != 5000)
      good.push_back(id);
  EXPECT_EQ(acknowledged(), good);
}

INSTANTIATE_TEST_SUITE_P(
  table, DeadLettersByPoison,
  ::testing::Values(
    Poison{"throwing_child_by_reply", Acknowledgement::by_reply, WorksOn::one,
           Allergic::Way::throws, 5},
    Poison{"throwing_child_by_sent", Acknowledgement::by_sent, WorksOn::one, Allergic::Way::throws,
           5},
    Poison{"stopping_child_by_reply", Acknowledgement::by_reply, WorksOn::one, Allergic::Way::stops,
           5},
    Poison{"stopping_child_by_sent", Acknowledgement::by_sent, WorksOn::one, Allergic::Way::stops,
           5},
    // The first crash names nobody; then those that were in flight go one at a time.
    Poison{"late_answers_by_reply", Acknowledgement::by_reply, WorksOn::many,
           Allergic::Way::throws_later, 6},
    Poison{"late_answers_by_sent", Acknowledgement::by_sent, WorksOn::many,
           Allergic::Way::throws_later, 6}),
  [](const auto& row) { return std::string{row.param.name}; });

} // namespace backoff_actor::actor_test
