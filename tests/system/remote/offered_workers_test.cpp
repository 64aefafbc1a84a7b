// Workers that programs on other nodes offer. Real sockets, real time.

#include "common/patience.hpp"
#include "system/remote/remote_fixture.hpp"

#include <backoff_actor/caf/offered/offer_workers.hpp>
#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

#include <memory>
#include <string>

namespace backoff_actor::remote_child_test {

namespace {

class OfferedFromAfar : public Remote {
protected:
  void start_pool() {
    auto options = default_options();
    options.ordering = Ordering::unordered;
    options.pool.workers = {0, 0};
    options.pool.offered.most = 8;
    start(child_of<Worker>(std::string{"own"}), options);
    port = here.publish(sender);
  }

  static caf::actor offer(Node& node, const std::string& name, std::uint32_t workers,
                          std::uint16_t sender_at) {
    return offer_workers(*node.system,
                         {.find_owner = remote_child({at(sender_at)}, patient_steps()),
                          .make_child = child_of<Worker>(name),
                          .workers = workers});
  }

  static void leave(Node& node, const caf::actor& offer) {
    caf::scoped_actor self{*node.system};
    self->request(offer, caf::timespan{test::patience}, Stop{test::patience})
      .receive([](const Stopped&) {}, [](const caf::error& e) { FAIL() << caf::to_string(e); });
  }

  std::uint16_t port = 0;
};

} // namespace

TEST_F(OfferedFromAfar, join_work_and_leave) {
  start_pool();
  Node one;
  Node two;
  const auto first = offer(one, "one", 1, port);
  EXPECT_EQ(ask("a").value, "one:a");
  const auto second = offer(two, "two", 1, port);
  ASSERT_TRUE(becomes_true([] { return diary().count("two up") == 1; }));
  leave(one, first);
  EXPECT_EQ(diary().count("one ended"), 1u);
  EXPECT_EQ(ask("b").value, "two:b");
  leave(two, second);
  EXPECT_EQ(log.count<event::OfferEnded>(), 2u);
  EXPECT_EQ(stop().value, "stopped");
}

TEST_F(OfferedFromAfar, give_what_they_held_to_others_when_the_line_is_cut) {
  start_pool();
  Node one;
  Node two;
  testing::TcpProxy line{"127.0.0.1", port};
  const auto first = offer(one, "one", 1, line.port());
  std::thread client{[&] { EXPECT_EQ(ask("silence").error, make_error(SenderError::stopped)); }};
  ASSERT_TRUE(becomes_true([] { return diary().count("one silence") == 1; }));
  const auto second = offer(two, "two", 1, port);
  ASSERT_TRUE(becomes_true([] { return diary().count("two up") == 1; }));
  line.go_down();
  EXPECT_TRUE(becomes_true([] { return diary().count("two silence") == 1; }));
  EXPECT_TRUE(becomes_true([] { return diary().count("one ended") == 1; }))
    << "it ends with its sender";
  EXPECT_EQ(log.count<event::RetryScheduled>(), 0u) << log.timeline();
  line.go_up();
  EXPECT_TRUE(becomes_true([] { return diary().count("one up") == 2; })) << "it is offered again";
  EXPECT_EQ(stop().value, "stopped");
  client.join();
  leave(one, first);
  leave(two, second);
}

TEST_F(OfferedFromAfar, come_back_to_the_sender_that_is_there_next) {
  start_pool();
  Node one;
  const auto process = offer(one, "one", 2, port);
  EXPECT_EQ(ask("a").value, "one:a");
  EXPECT_EQ(stop().value, "stopped");
  here.listeners.clear();
  auto options = default_options();
  options.ordering = Ordering::unordered;
  options.pool.offered.most = 8;
  options.pool.workers = {0, 0};
  start(child_of<Worker>(std::string{"own"}), options);
  here.publish(sender, port);
  EXPECT_EQ(ask("b").value, "one:b");
  leave(one, process);
  EXPECT_EQ(stop().value, "stopped");
}

} // namespace backoff_actor::remote_child_test
