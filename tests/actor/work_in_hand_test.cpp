// `WorkInHand`: how a child that acknowledges by reply says that it works, and how far it is.

#include "durable_fixture.hpp"

#include <backoff_actor/caf/actor/work_in_hand.hpp>
#include <backoff_actor/delivery/internal/hand_over_id.hpp>

#include <stdexcept>

namespace backoff_actor::actor_test {

namespace {

// What the workers of a test were given, and have learnt.
struct Imports {
  Strings notes{};          // of each message, when its worker had asked
  caf::actor last_worker{}; // that was given a message
};

// Answers nothing by itself. A number lets it say that it is at this row; 0, that it still works;
// -1 lets it answer, and -2 crash.
class Importer : public caf::event_based_actor {
public:
  Importer(caf::actor_config& config, std::shared_ptr<Imports> imports)
    : caf::event_based_actor(config), imports_(std::move(imports)) {
    compat::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {
      [this](const std::string& text) -> caf::result<std::string> {
        imports_->last_worker = this;
        works_.emplace_back(*this);
        works_.back().with_note(
          *this, [imports = imports_](const std::string& note) { imports->notes.push_back(note); });
        answers_.push_back(make_response_promise<std::string>());
        texts_.push_back(text);
        return answers_.back();
      },
      [this](std::int32_t number) {
        if (number == -2)
          throw std::runtime_error("no voltage");
        if (number == -1)
          answers_.back().deliver(texts_.back());
        else
          works_.back().still_working(number == 0 ? "" : "row " + std::to_string(number));
      },
      [this](const std::string&, const std::string& note) { works_.front().still_working(note); }};
  }

private:
  std::shared_ptr<Imports> imports_;
  std::vector<WorkInHand> works_;
  std::vector<caf::typed_response_promise<std::string>> answers_;
  Strings texts_;
};

} // namespace

class WorkInHandTest : public DurableTest {
protected:
  void TearDown() override {
    imports->last_worker = nullptr;
    DurableTest::TearDown();
  }

  static ChildFactory importers(std::shared_ptr<Imports> imports) {
    return [imports = std::move(imports)](caf::event_based_actor* self) {
      return caf::actor{self->spawn<Importer>(imports)};
    };
  }

  void start_importer(SenderOptions options = default_options()) {
    start_with(importers(imports), std::move(options));
    time.run();
  }

  void tell_worker(std::int32_t number) {
    time.tell(imports->last_worker, number);
    time.run();
  }

  void crash_worker() {
    tell_worker(-2);
    time.advance(10ms);
  }

  std::shared_ptr<Imports> imports = std::make_shared<Imports>();
};

TEST_F(WorkInHandTest, tells_the_next_child_how_far_the_work_is) {
  start_importer();
  const auto answer = ask("import");
  time.run();
  EXPECT_EQ(imports->notes, (Strings{""}));
  tell_worker(1);
  tell_worker(2);
  EXPECT_EQ(status().with_note, 1u);
  crash_worker();
  EXPECT_EQ(imports->notes, (Strings{"", "row 2"}));
  tell_worker(0);
  crash_worker();
  time.advance(30ms);
  EXPECT_EQ(imports->notes, (Strings{"", "row 2", "row 2"})) << "no note leaves the last one";
  tell_worker(-1);
  EXPECT_EQ(answer->value, "import");
}

TEST_F(WorkInHandTest, begins_the_ack_timeout_anew) {
  auto options = default_options();
  options.ack_timeout = 1s;
  start_importer(std::move(options));
  ask("import");
  for (auto i = 0; i < 5; ++i) {
    time.advance(900ms);
    tell_worker(0);
  }
  EXPECT_EQ(crashes(), 0u);
  time.advance(1s);
  EXPECT_EQ(crashes(), 1u) << "it has said nothing for a second";
}

TEST_F(WorkInHandTest, counts_from_the_child_that_has_the_message_alone) {
  start_importer();
  ask("import");
  time.run();
  tell_worker(1);
  for (std::uint32_t tag = 0; tag < 8; ++tag)
    time.tell(sender, detail::WorkingOn{HandOverId::make(0, tag).value, "row 9"});
  const auto note = time.ask<std::string>(sender, detail::AskNote{HandOverId::make(0, 1).value});
  time.run();
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), 8u);
  EXPECT_EQ(note->value, "") << "a stranger learns nothing";
  crash_worker();
  EXPECT_EQ(imports->notes, (Strings{"", "row 1"}));
}

TEST_F(WorkInHandTest, of_what_is_done_says_nothing_of_the_next_message_in_its_place) {
  start_importer();
  ask("import");
  time.run();
  tell_worker(-1);
  ask("another");
  time.run();
  time.tell(imports->last_worker, std::string{"of the first"}, std::string{"row 9"});
  crash_worker();
  EXPECT_EQ(imports->notes, (Strings{"", "", ""}));
  EXPECT_EQ(log.count<event::UnknownAcknowledgement>(), 1u);
}

TEST_F(WorkInHandTest, of_more_than_64_kib_is_a_sign_of_life_and_no_note) {
  auto options = default_options();
  options.ack_timeout = 1s;
  start_importer(std::move(options));
  ask("import");
  time.advance(900ms);
  time.tell(imports->last_worker, std::string{"of it"}, std::string(65'537, 'x'));
  time.advance(900ms);
  EXPECT_EQ(crashes(), 0u);
  EXPECT_EQ(log.all<event::Hint>().at(0).about, event::Hint::About::large_note);
  EXPECT_EQ(status().with_note, 0u);
}

TEST_F(WorkInHandTest, asks_and_tells_nobody_if_no_sender_has_sent_the_message) {
  const auto worker = time.system().spawn<Importer>(imports);
  const auto answer = time.ask<std::string>(worker, std::string{"import"});
  time.run();
  EXPECT_EQ(imports->notes, (Strings{""}));
  tell_worker(1);
  tell_worker(-1);
  EXPECT_EQ(answer->value, "import");
}

TEST_F(WorkInHandTest, that_is_made_behind_the_promise_is_a_mistake_that_is_seen) {
  start_with(
    [](caf::event_based_actor* self) {
      return caf::actor{self->spawn<Behaving>([](caf::event_based_actor* worker) -> caf::behavior {
        return {[worker](const std::string&) {
          auto answer = worker->make_response_promise<std::string>();
          const WorkInHand work{*worker};
          work.still_working();
          return answer;
        }};
      })};
    },
    default_options());
  ask("import");
  time.run();
  EXPECT_THAT(log.all<event::ChildDown>().at(0).cause.text,
              HasSubstr("WorkInHand: make it before the promise of an answer"));
}

TEST_F(WorkInHandTest, that_a_child_keeps_does_not_keep_its_sender) {
  auto options = default_options();
  options.on_event = log.hook();
  sender = spawn_back_off_sender(time.system(), importers(imports), options);
  ask("import");
  time.run();
  tell_worker(-1);
  imports->last_worker = nullptr; // it still has what it had in hand
  sender = nullptr;
  time.run();
  EXPECT_EQ(log.count<event::SenderStopped>(), 1u);
}

TEST_F(WorkInHandTest, outlives_the_process) {
  outbox = open(store);
  start_importer(with(outbox));
  submit_durably("import");
  tell_worker(3);
  time.advance(100ms);
  store = store->copy();
  outbox = open(store);
  start_importer(with(outbox));
  time.run();
  EXPECT_EQ(imports->notes, (Strings{"", "row 3"}));
}

TEST_F(WorkInHandTest, goes_through_a_worker_of_the_test_kit) {
  start_with(testing::faulty_children(importers(imports), FaultPlan{}), default_options());
  ask("first");
  ask("second");
  time.run();
  tell_worker(5);
  crash_worker();
  EXPECT_EQ(imports->notes, (Strings{"", "", ""})) << "the first goes first again";
  tell_worker(-1);
  EXPECT_EQ(imports->notes, (Strings{"", "", "", "row 5"}));
}

} // namespace backoff_actor::actor_test
