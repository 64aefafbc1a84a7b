// Messages of types that were not registered, for workers on other nodes. Only CAF 0.17.6 can make
// such a message: CAF 1.x ends the program.

#include "common/patience.hpp"
#include "system/remote/remote_fixture.hpp"

namespace backoff_actor::remote_child_test {

struct Stranger {
  std::string text;

  template <class Inspector>
  friend auto inspect(Inspector& f, Stranger& x) {
    return compat::object(f, x, "Stranger", compat::field("text", x.text));
  }
};

namespace {

class UnknownTypesElsewhere : public Remote {
protected:
  Outcome ask_with(const caf::actor& receiver) {
    return remote_child_test::ask(*here.system, receiver, Stranger{"a"});
  }

  const std::string refusal =
    "unknown_type: the message has a type that is not registered with CAF "
    "(backoff_actor::remote_child_test::Stranger: ";
};

TEST_F(UnknownTypesElsewhere, are_rejected_by_name_and_the_worker_goes_on) {
  Node there;
  start(remote_child({at(there.publish_worker("w"))}, patient_steps()));

  EXPECT_THAT(ask_with(sender).error_text, HasSubstr(refusal));
  const auto letters = log.all<event::DeadLettered>();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].reason, DeadLetterReason::rejected);
  EXPECT_THAT(letters[0].cause.text, HasSubstr(refusal));
  EXPECT_EQ(ask("b").value, "w:b");
  EXPECT_EQ(log.count<event::ChildDown>(), 0u);
  EXPECT_EQ(log.count<event::ChildStarted>(), 1u);
}

TEST_F(UnknownTypesElsewhere, are_rejected_by_name_when_the_worker_gets_a_tracked_message) {
  Node there;
  auto options = default_options();
  options.acknowledgement = Acknowledgement::by_sent;
  start(remote_child({at(there.publish_worker("w"))}, patient_steps()), options);

  EXPECT_THAT(ask_with(sender).error_text, HasSubstr(refusal));
}

TEST_F(UnknownTypesElsewhere, are_refused_by_name_by_an_address) {
  Node there;
  const ChildRef worker{*here.system, ChildBuffer{}};
  const auto supervisor = spawn_supervisor(
    *here.system, {{.id = "w",
                    .make = remote_child({at(there.publish_worker("w"))}, patient_steps()),
                    .address = worker}});

  EXPECT_THAT(ask_with(worker.actor()).error_text, HasSubstr(refusal)) << "it waited for the child";
  EXPECT_THAT(ask_with(worker.actor()).error_text, HasSubstr(refusal)) << "the child was there";
  EXPECT_EQ(remote_child_test::ask(*here.system, worker.actor(), std::string{"b"}).value, "w:b");
}

TEST_F(UnknownTypesElsewhere, are_refused_by_name_to_who_retries_a_request) {
  Node there;
  const auto port = there.publish_worker("w");
  auto worker = here.system->middleman().remote_actor("127.0.0.1", port);
  // CAF may take a slow handshake for a connection that was silent for ever.
  ASSERT_TRUE(worker || becomes_true([&] {
                worker = here.system->middleman().remote_actor("127.0.0.1", port);
                return static_cast<bool>(worker);
              }));
  caf::scoped_actor self{*here.system};
  std::optional<RetriedReply> reply;
  retry_request(self, *worker, "fixed(1ms)", {.max_attempts = 4, .attempt_timeout = test::patience},
                {}, Stranger{"a"})
    .receive([&](const RetriedReply& x) { reply = x; }, [](const caf::error&) {});

  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->gave_up, GaveUp::not_retryable);
  EXPECT_EQ(reply->attempts, 1u);
  EXPECT_THAT(compat::render(*here.system, reply->error), HasSubstr(refusal));
}

} // namespace
} // namespace backoff_actor::remote_child_test
