// Who knows the senders of an actor system, for a report at the end of `main`.

#include "fixture.hpp"

#include <backoff_actor/caf/actor/internal/sender_registry.hpp>

namespace backoff_actor::actor_test {

using detail::SenderRegistry;

class RegistryOfSenders : public SenderTest {
protected:
  std::vector<caf::actor_addr> known() const {
    std::vector<caf::actor_addr> result;
    for (const auto& one : registry->senders())
      result.push_back(one.address);
    return result;
  }

  std::shared_ptr<SenderRegistry> registry = SenderRegistry::of(time.system());
};

TEST_F(RegistryOfSenders, knows_those_that_start_while_it_exists_until_they_end) {
  const auto one = spawn_back_off_sender(time.system(), child_of<Echo>());
  const auto other = spawn_back_off_sender(time.system(), child_of<Echo>());
  time.run();
  EXPECT_THAT(known(), ElementsAre(one.address(), other.address()));
  time.tell(one, Stop{});
  time.run();
  EXPECT_THAT(known(), ElementsAre(other.address()));
  time.stop(other);
  time.run();
  EXPECT_THAT(known(), IsEmpty());
}

TEST_F(RegistryOfSenders, knows_the_time_that_a_child_has_to_acknowledge) {
  SenderOptions options;
  options.ack_timeout = 3s;
  time.keep(spawn_back_off_sender(time.system(), child_of<Echo>(), options));
  EXPECT_EQ(registry->senders().at(0).ack_timeout, 3s);
}

TEST_F(RegistryOfSenders, knows_those_below_a_supervisor_and_their_successors) {
  const auto supervisor = time.keep(
    spawn_supervisor(time.system(), {sender_spec("a", child_of<Echo>()),
                                     supervisor_spec("b", {sender_spec("c", child_of<Echo>())})}));
  time.run();
  const auto first = known();
  ASSERT_EQ(first.size(), 2u);
  caf::anon_send_exit(caf::actor_cast<caf::actor>(first[0]), caf::exit_reason::kill);
  time.advance(1h);
  ASSERT_EQ(known().size(), 2u);
  EXPECT_EQ(known()[0], first[1]);
  EXPECT_NE(known()[1], first[0]);
}

TEST_F(RegistryOfSenders, keeps_none_alive) {
  auto idle = spawn_back_off_sender(time.system(), child_of<Echo>());
  time.run();
  idle = nullptr;
  EXPECT_THAT(known(), IsEmpty());
}

TEST_F(RegistryOfSenders, holds_nothing_of_those_that_have_ended) {
  for (auto i = 0; i < 1000; ++i) {
    const auto one = spawn_back_off_sender(time.system(), child_of<Echo>());
    time.tell(one, "work");
    time.run();
  }
  EXPECT_THAT(known(), IsEmpty());
}

TEST_F(RegistryOfSenders, does_not_know_those_that_could_not_start) {
  SenderOptions options;
  DurableOptions writing;
  writing.thread = WriterThread::scheduler; // virtual time has one thread
  options.outbox = {std::make_shared<testing::MemoryStore>(), durable<std::string>(), writing};
  const auto owner = time.keep(spawn_back_off_sender(time.system(), child_of<Echo>(), options));
  EXPECT_THROW(static_cast<void>(spawn_back_off_sender(time.system(), child_of<Echo>(), options)),
               StoreError);
  EXPECT_THAT(known(), ElementsAre(owner.address()));
}

TEST_F(RegistryOfSenders, does_not_know_those_of_another_system_or_from_before) {
  registry = nullptr;
  EXPECT_FALSE(SenderRegistry::is_any());
  time.keep(spawn_back_off_sender(time.system(), child_of<Echo>()));
  registry = SenderRegistry::of(time.system());
  EXPECT_TRUE(SenderRegistry::is_any());
  VirtualTime elsewhere{register_test_types};
  elsewhere.keep(spawn_back_off_sender(elsewhere.system(), child_of<Echo>()));
  EXPECT_THAT(known(), IsEmpty());
}

TEST_F(RegistryOfSenders, is_one_for_all_who_ask_for_it) {
  EXPECT_EQ(SenderRegistry::of(time.system()), registry);
}

} // namespace backoff_actor::actor_test
