// What a worker says of whose fault a failure is, and what a sender does without a word.

#include "fixture.hpp"

#include <backoff_actor/caf/messages/internal/error_parts.hpp>

#include <caf/sec.hpp>

namespace backoff_actor::actor_test {

namespace {

SenderOptions with_two_attempts(SenderOptions options = {}) {
  options.max_attempts = 2;
  return options;
}

} // namespace

class Blames : public SenderTest {};

TEST_F(Blames, service_keeps_the_message) {
  int calls = 0;
  start_with(
    [&](caf::event_based_actor*) -> caf::behavior {
      return {[&](const std::string& text) -> caf::result<std::string> {
        if (++calls <= 10)
          return blame_service(caf::sec::runtime_error, "HTTP 503", 2s);
        return text;
      }};
    },
    with_two_attempts());
  const auto answer = ask("a");
  time.advance(2s - 1ns);
  EXPECT_EQ(calls, 1) << "it is retried no earlier than asked";

  time.advance(30s);

  EXPECT_EQ(calls, 11);
  EXPECT_EQ(answer->value, "a");
}

TEST_F(Blames, service_may_ask_for_more_than_the_ceiling_and_waits_as_long_as_that) {
  bool first = true;
  auto options = with_two_attempts(by_sent());
  options.retry_after = 3s;
  start_hand_made(
    [&](auto*, const TrackedMsg& delivery) {
      return std::exchange(first, false) ? caf::make_message(
               Nack{delivery.id, blame_service(caf::sec::runtime_error, "maintenance", 1h)})
                                         : caf::make_message(sent(delivery, std::string{"done"}));
    },
    options);
  const auto answer = ask("a");
  time.advance(3s - 1ns);
  EXPECT_FALSE(answer->is_ready());

  time.advance(1ns);

  EXPECT_EQ(answer->value, "done");
}

TEST_F(Blames, message_is_charged_at_once) {
  int calls = 0;
  start_hand_made(
    [&](auto*, const TrackedMsg& delivery) {
      ++calls;
      return caf::make_message(
        Nack{delivery.id, blame_message(caf::sec::invalid_argument, "no address")});
    },
    with_two_attempts(by_sent()));
  const auto answer = ask("a");

  time.advance(1min);

  EXPECT_EQ(calls, 2);
  EXPECT_EQ(text_of(answer->error).substr(0, 18), "attempts_exhausted");
}

TEST_F(Blames, fault_that_is_thrown_is_believed) {
  int calls = 0;
  start_with(
    [&](caf::event_based_actor*) -> caf::behavior {
      return {[&](const std::string& text) -> std::string {
        if (text == "poison")
          throw BlamedError{Blame::message, "no address"};
        if (++calls <= 10)
          throw BlamedError{Blame::service, "HTTP 503", Duration{2s}};
        return text;
      }};
    },
    with_two_attempts());
  const auto answer = ask("a");
  time.advance(2s - 1ns);
  EXPECT_EQ(calls, 1) << "it is retried no earlier than asked";
  time.advance(1min);
  EXPECT_EQ(calls, 11);
  EXPECT_EQ(answer->value, "a");
  EXPECT_EQ(log.all<event::ChildDown>().at(0).cause.text, "HTTP 503");

  const auto refused = ask("poison");
  time.advance(1min);

  EXPECT_EQ(log.all<event::DeadLettered>().at(0).attempts, 2u);
  EXPECT_EQ(log.all<event::DeadLettered>().at(0).cause.text, "no address");
}

TEST_F(Blames, fault_is_the_error_that_its_word_makes) {
  const auto error_of_fault = [](const BlamedError& fault) {
    return compat::error_of(std::make_exception_ptr(fault));
  };
  const auto service = error_of_fault(BlamedError{Blame::service, "HTTP 503", Duration{7s}});
  EXPECT_EQ(blame_of(service), Blame::service);
  EXPECT_EQ(retry_after_of(service), 7s);
  EXPECT_EQ(blame_of(error_of_fault(BlamedError{Blame::message, "x"})), Blame::message);
  EXPECT_EQ(blame_of(error_of_fault(BlamedError{Blame::nobody, "x"})), Blame::unknown);
}

TEST_F(Blames, errors_have_a_word_that_survives_strangers) {
  EXPECT_EQ(blame_of(blame_service(caf::sec::runtime_error)), Blame::service);
  EXPECT_EQ(blame_of(blame_message(caf::sec::runtime_error)), Blame::message);
  EXPECT_EQ(blame_of(retry_after(caf::sec::runtime_error, 1s)), Blame::unknown);
  EXPECT_EQ(blame_of(caf::error{}), Blame::unknown);
  for (const auto fault : {Blame::nobody, static_cast<Blame>(200)})
    EXPECT_EQ(
      blame_of(compat::error_with(caf::sec::runtime_error, caf::make_message(Blamed{fault}))),
      Blame::unknown)
      << "only a sender knows that nobody tried";
  EXPECT_EQ(retry_after_of(blame_service(caf::sec::runtime_error, "x", 7s)), 7s);
  EXPECT_EQ(to_string(Blamed{Blame::service}), "blame service");
}

} // namespace backoff_actor::actor_test
