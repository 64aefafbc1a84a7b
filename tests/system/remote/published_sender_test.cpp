// Senders for clients on other nodes, and what travels with a delivery. Real sockets, real time.

#include "common/patience.hpp"
#include "system/remote/remote_fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>
#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

namespace backoff_actor::remote_child_test {
namespace {

// -- senders that are published -----------------------------------------------------------

class PublishedSender : public Remote {
protected:
  // The sender, as another node has it.
  caf::actor seen_from(Node& node) {
    const auto port = here.publish(sender);
    return remote_actor(*node.system, at(port), patient_steps());
  }
};

TEST_F(PublishedSender, answers_clients_on_other_nodes_through_the_crashes_of_its_child) {
  Node there;
  start(testing::faulty_children(child_of<Worker>(std::string{"w"}),
                                 testing::FaultPlan{{testing::crash()}}));
  const auto far = seen_from(there);
  EXPECT_EQ(remote_child_test::ask(*there.system, far, std::string{"a"}).value, "w:a");
  EXPECT_EQ(log.count<event::ChildDown>(), 1u);
}

TEST_F(PublishedSender, is_controlled_from_other_nodes) {
  Node there;
  start(child_of<Worker>(std::string{"w"}));
  const auto far = seen_from(there);
  EXPECT_EQ(remote_child_test::ask(*there.system, far, std::string{"a"}).value, "w:a");
  caf::scoped_actor self{*there.system};
  const auto failed = [&](const caf::error& error) {
    FAIL() << compat::render(*there.system, error);
  };
  self->request(far, caf::timespan{test::patience}, Status{})
    .receive(
      [](const SenderStatus& status) {
        EXPECT_EQ(status.counters.acknowledged, 1u);
        EXPECT_EQ(status.name.kind, "worker");
        EXPECT_NE(status.name.number, 0u);
      },
      failed);
  Submit submission;
  submission.message = caf::make_message(std::string{"b"});
  submission.answer_when_accepted = true;
  self->request(far, caf::timespan{test::patience}, submission)
    .receive([](const Accepted& accepted) { EXPECT_EQ(accepted.id, 2u); }, failed);
  self->request(far, caf::timespan{test::patience}, Stop{test::patience})
    .receive([](const Stopped& numbers) { EXPECT_EQ(numbers.dead_lettered, 0u); }, failed);
}

TEST_F(PublishedSender, refuses_clients_on_other_nodes_with_its_own_errors) {
  Node there;
  auto options = default_options();
  options.time_to_live = 50ms;
  start(remote_child({at(free_port())}, patient_steps()), options);
  const auto outcome = remote_child_test::ask(*there.system, seen_from(there), std::string{"a"});
  EXPECT_EQ(outcome.error, make_error(SenderError::expired));
  EXPECT_THAT(outcome.error_text, HasSubstr("refused"));
}

TEST_F(PublishedSender, owes_what_a_client_submitted_whose_node_is_gone) {
  auto there = std::make_unique<Node>();
  const auto port = free_port();
  start(remote_child({at(port)}, patient_steps()));
  auto far = seen_from(*there);
  caf::anon_send(far, std::string{"a"});
  ASSERT_TRUE(becomes_true([&] { return log.count<event::Accepted>() == 1; }));
  far = {};
  there = nullptr;
  Node worker;
  worker.publish_worker("w", port);
  EXPECT_TRUE(becomes_true([] { return diary().count("w a") == 1; }));
  EXPECT_TRUE(becomes_true([&] { return log.count<event::Acknowledged>() == 1; }));
}

// Waits for the reply, which says that the target is gone. A sender that ends may still say itself
// that it has stopped.
template <class Request>
void expect_gone(Request request, const caf::actor_system& system) {
  std::move(request).receive(
    [&](const RetriedReply& x) {
      EXPECT_TRUE(x.error == caf::sec::request_receiver_down
                  || x.error == make_error(SenderError::stopped))
        << render(system, x);
    },
    [&](const caf::error& error) { FAIL() << compat::render(system, error); });
}

// CAF answers nothing to a request for an actor that is gone with its node. `retry_request` watches
// whom it asks.
TEST_F(PublishedSender, is_asked_by_a_call_that_ends_when_the_line_to_its_node_is_cut) {
  Node there;
  start(child_of<Worker>(std::string{"w"}));
  testing::TcpProxy line{"127.0.0.1", here.publish(sender)};
  const auto far = remote_actor(*there.system, at(line.port()), patient_steps());
  caf::scoped_actor self{*there.system};
  auto open = retry_request(self, far, Fixed{1s}, {.max_attempts = 1}, {}, std::string{"silence"});
  ASSERT_TRUE(becomes_true([] { return diary().count("w silence") == 1; }));
  line.cut_all();
  expect_gone(std::move(open), *there.system);
}

TEST_F(PublishedSender, is_asked_by_a_call_that_ends_when_it_has_ended) {
  Node there;
  start(child_of<Worker>(std::string{"w"}));
  const auto far = seen_from(there);
  EXPECT_EQ(remote_child_test::ask(*there.system, far, std::string{"a"}).value, "w:a");
  caf::scoped_actor self{*there.system};
  auto open = retry_request(self, far, Fixed{1s}, {.max_attempts = 1}, {}, std::string{"silence"});
  ASSERT_TRUE(becomes_true([] { return diary().count("w silence") == 1; }));
  caf::anon_send_exit(sender, caf::exit_reason::kill);
  expect_gone(std::move(open), *there.system);
  auto later = retry_request(self, far, Fixed{1s}, {.max_attempts = 1}, {}, std::string{"b"});
  expect_gone(std::move(later), *there.system);
}

// -- once per state of the child ----------------------------------------------------------

// Notes each delivery that it is given, and its hand-over, and answers when it is told to.
class Clerk : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](const TrackedMsg& x) -> caf::result<Sent> {
              const auto& text = x.payload.get_as<std::string>(0);
              diary().write("incarnation " + std::to_string(x.incarnation));
              if (const auto* known = done_.find(x.origin, x.delivery))
                return sent(x, *known);
              diary().write("did " + text);
              done_.remember(x.origin, x.delivery, "did " + text);
              held_ = make_response_promise();
              if (text == "slow")
                return caf::delegated<Sent>{};
              compat::answer(held_, caf::make_message(sent(x, "did " + text)));
              return caf::delegated<Sent>{};
            },
            [this](std::uint64_t) { held_ = {}; }};
  }

  void on_exit() override { held_ = {}; }

private:
  Deduplicator<std::string> done_{100};
  caf::response_promise held_;
};

TEST_F(Remote,
       what_was_done_before_the_line_was_cut_is_done_once_and_its_answer_comes_all_the_same) {
  Node there;
  const auto clerk = there.system->spawn<Clerk>();
  testing::TcpProxy line{"127.0.0.1", there.publish(clerk)};
  auto options = default_options();
  options.acknowledgement = Acknowledgement::by_sent;
  start(remote_child({at(line.port())}, patient_steps()), options);
  EXPECT_EQ(ask("a").value, "did a");

  Outcome outcome;
  std::thread client{[&] { outcome = ask("slow"); }};
  ASSERT_TRUE(becomes_true([] { return diary().count("did slow") == 1; }));
  line.cut_all(); // with the answer still to come
  client.join();
  EXPECT_EQ(outcome.value, "did slow");
  EXPECT_EQ(diary().lines(),
            (Strings{"incarnation 1", "did a", "incarnation 1", "did slow", "incarnation 2"}));
  caf::anon_send_exit(clerk, caf::exit_reason::kill);
}

TEST_F(Remote, deliveries_of_two_programs_are_never_taken_for_each_other) {
  Node there;
  Node other;
  const auto clerk = there.system->spawn<Clerk>();
  const auto port = there.publish(clerk);
  auto options = default_options();
  options.acknowledgement = Acknowledgement::by_sent;
  start(remote_child({at(port)}, patient_steps()), options);
  const auto theirs =
    spawn_back_off_sender(*other.system, remote_child({at(port)}, patient_steps()), options);
  EXPECT_EQ(ask("a").value, "did a");
  EXPECT_EQ(remote_child_test::ask(*other.system, theirs, std::string{"b"}).value, "did b");
  EXPECT_EQ(diary().count("did b"), 1u) << "the first delivery of another sender";
  caf::anon_send_exit(theirs, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(clerk, caf::exit_reason::kill);
}

} // namespace
} // namespace backoff_actor::remote_child_test
