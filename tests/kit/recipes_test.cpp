// The recipes of docs/how-to/test_recipes.md.

#include "courier.hpp"
// [includes]
#include "mailer.hpp"

#include <backoff_actor/testing/gmock.hpp>
#include <backoff_actor/testing/gtest.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
// [includes]

namespace {

// [fixture]
using namespace backoff_actor;
using namespace backoff_actor::testing;
using namespace std::chrono_literals;
using mail::Mailer;
using mail::supervision;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MailRecipe : public VirtualTimeTest {
protected:
  const std::string ann{"ann@example.org"};
  const std::string bob{"bob@example.org"};
};
// [fixture]

// [dead_letter]
TEST_F(MailRecipe, keeps_a_mail_that_is_given_up_and_sends_it_again) {
  const SharedQueue<DeadLetter> letters;
  auto options = supervision();
  options.on_dead_letter = letters.hook();
  const auto sender =
    start_sender(faulty_children(child_of<Mailer>(), "crash(\"no line\")*3"), options);

  const auto first = ask<std::string>(sender, ann);
  time.advance(1min);

  EXPECT_THAT(first, AnsweredError(SenderError::attempts_exhausted));
  const auto given_up = letters.take();
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].reason, DeadLetterReason::attempts_exhausted);
  EXPECT_THAT(given_up[0].cause, HasSubstr("no line"));

  EXPECT_THAT(ask<std::string>(sender, resubmit(given_up[0])), Answered("sent to " + ann));
}
// [dead_letter]

// [durable_fixture]
class DurableMailRecipe : public MailRecipe {
protected:
  // The options of the program; only, the outbox writes in the thread of the test.
  static SenderOptions durable_supervision(std::shared_ptr<DeliveryStore> store) {
    auto options = supervision();
    options.outbox = {
      std::move(store), durable<std::string>(), {.thread = WriterThread::scheduler}};
    return options;
  }

  const std::shared_ptr<MemoryStore> store = std::make_shared<MemoryStore>();
};
// [durable_fixture]

// [durable]
TEST_F(DurableMailRecipe, is_sent_by_the_next_process) {
  const auto killed =
    start_sender(faulty_children(child_of<Mailer>(), "silence"), durable_supervision(store));
  ask<std::string>(killed, ann);
  EXPECT_THAT(store->owed(), ElementsAre(1));

  const auto found = store->copy(); // what a process finds that starts now
  const auto next = start_sender(child_of<Mailer>(), durable_supervision(found), "next");

  EXPECT_THAT(log.of("next"), SawInOrder(restored(1), handed_over(1), acknowledged(1)));
  EXPECT_THAT(found->owed(), IsEmpty());
}

TEST_F(DurableMailRecipe, is_refused_while_the_disk_is_full) {
  const auto sender = start_sender(child_of<Mailer>(), durable_supervision(store));
  store->fail_next(1, StoreFailure::full);

  EXPECT_THAT(ask<std::string>(sender, ann), AnsweredError(SenderError::not_stored));
  EXPECT_THAT(ask<std::string>(sender, bob), Answered("sent to " + bob));
}
// [durable]

TEST_F(DurableMailRecipe, is_sent_once_although_it_is_submitted_twice) {
  const auto sender = start_sender(child_of<Mailer>(), durable_supervision(store));
  // [once]
  const Submit mail{
    .message = caf::make_message(ann), .idempotency_key = "mail 7", .answer_when_accepted = true};
  EXPECT_THAT(ask<Accepted>(sender, mail), Answered());
  EXPECT_THAT(ask<Accepted>(sender, mail), AnsweredError(SenderError::already_acknowledged));
  // [once]
  EXPECT_THAT(log, SawTimes(1, handed_over(1)));
}

// [guard]
TEST_F(MailRecipe, waits_while_the_circuit_breaker_is_open) {
  const SharedGuard guard{parse_guard("circuit_breaker(2 failures, open 5s)"), 1};
  auto options = supervision();
  options.guard = guard;
  const auto sender = start_sender(faulty_children(child_of<Mailer>(), "crash*2"), options);

  const auto answer = ask<std::string>(sender, ann);
  time.advance(1s); // after this delay the mailer crashes again
  EXPECT_EQ(guard.status(time.now()).breaker, BreakerState::open);

  time.advance(5s); // the breaker lets one call through
  EXPECT_THAT(answer, Answered("sent to " + ann));
  EXPECT_THAT(log, SawInOrder(child_down(2), guard_held_back, acknowledged(1, 6s)));
  EXPECT_EQ(guard.status(time.now()).breaker, BreakerState::closed);
}
// [guard]

// [tree]
TEST_F(MailRecipe, is_restarted_with_the_child_that_it_depends_on) {
  SupervisorOptions options;
  options.strategy = Strategy::rest_for_one;
  options.on_event = log.supervisor_hook("root");
  ChildOptions child;
  child.backoff = Fixed{1s};
  const ChildRef line{time.system()}; // the address of the first child
  const auto root =
    time.keep(spawn_supervisor(time.system(),
                               {{.id = "line",
                                 .make = faulty_children(child_of<Mailer>(), "crash"),
                                 .options = child,
                                 .address = line},
                                {.id = "mailer", .make = child_of<Mailer>(), .options = child}},
                               options));
  time.run();

  ask<std::string>(line.actor(), ann); // crashes the first child
  time.advance(1s);                    // the delay

  const auto children = ask<Children>(root, WhichChildren{})->get().list;
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(to_string(children[0].status.state), "running");
  EXPECT_EQ(children[0].status.restarts, 1u);
  EXPECT_EQ(children[1].status.restarts, 1u);
  EXPECT_EQ(log.count<supervisor_event::ChildDown>(), 1u);
  EXPECT_THAT(ask<std::string>(line.actor(), ann), Answered("sent to " + ann));
}
// [tree]

// [stop]
TEST_F(MailRecipe, in_flight_is_sent_before_the_sender_stops) {
  auto options = supervision();
  options.max_in_flight = 1;
  const auto sender = start_sender(faulty_children(child_of<Mailer>(), "slow 3s"), options);
  const auto in_flight = ask<std::string>(sender, ann);
  const auto waiting = ask<std::string>(sender, bob);

  const auto stopped = ask<Stopped>(sender, Stop{.grace = 10s});
  time.advance(3s);

  EXPECT_THAT(in_flight, Answered("sent to " + ann));
  EXPECT_THAT(waiting, AnsweredError(SenderError::stopped));
  EXPECT_EQ(stopped->get().acknowledged, 1u);
  EXPECT_EQ(stopped->get().dead_lettered, 1u);
}
// [stop]

// [detached]
TEST_F(MailRecipe, is_sent_by_a_courier_whose_server_fails_twice) {
  const mail::Server server = faulty_function(
    [](const std::string& address) { return "sent to " + address; }, "error(503)*2, ok...");
  const auto sender = start_sender(child_of<mail::Courier>(server), supervision());

  const auto answer = ask<std::string>(sender, ann);
  time.advance(3s);

  EXPECT_THAT(answer, Answered("sent to " + ann));
  EXPECT_THAT(log, SawTimes(2, child_down("503")));
}

TEST_F(MailRecipe, is_sent_by_the_next_courier_if_the_first_is_slow) {
  const mail::Server server = [](const std::string& address) { return "sent to " + address; };
  const auto couriers = faulty_children(child_of<mail::Courier>(server), "slow 40s");
  const auto sender = start_sender(couriers, supervision());

  const auto answer = ask<std::string>(sender, ann);
  time.advance(31s);

  EXPECT_THAT(log, SawInOrder(ack_timed_out(1), retry_scheduled(1s), acknowledged(1)));
  EXPECT_THAT(answer, Answered("sent to " + ann));
}
// [detached]

} // namespace
