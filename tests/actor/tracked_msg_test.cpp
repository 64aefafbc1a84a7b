// What travels with a delivery, and what a child makes of it.

#include "durable_fixture.hpp"

#include <caf/deep_to_string.hpp>

#include <stdexcept>

namespace backoff_actor::actor_test {

struct Seen {
  std::uint64_t id;
  std::uint64_t delivery;
  std::uint32_t incarnation;
  std::uint64_t origin;
  std::string text;
};

class Tracked : public DurableTest {
protected:
  // Children that note what they get and crash over the first `crashes` of it.
  ChildFactory noting(std::vector<Seen>& seen, std::size_t crashes) {
    return [&seen, crashes](caf::event_based_actor* self) {
      return self->spawn<HandMade>([&seen, crashes](auto*, const TrackedMsg& x) {
        const auto& text = x.payload.get_as<std::string>(0);
        seen.push_back({x.id, x.delivery, x.incarnation, x.origin, text});
        if (seen.size() <= crashes)
          throw std::runtime_error("gone");
        return caf::make_message(sent(x, text));
      });
    };
  }

  // Starts a sender, over an outbox of its own if it has a name, and returns what it writes into
  // its first delivery.
  std::uint64_t origin_of_new_sender(const std::string& name = "") {
    auto options = by_sent();
    options.rare.origin = name;
    if (!name.empty())
      options.outbox = open(std::make_shared<MemoryStore>("orders.db"));
    std::vector<Seen> seen;
    start_with(noting(seen, 0), options);
    time.run();
    ask("a");
    stop_sender();
    return seen.at(0).origin;
  }
};

TEST_F(Tracked, deliveries_keep_number_and_sender_when_they_are_handed_over_again) {
  std::vector<Seen> seen;
  start_with(noting(seen, 2), by_sent());
  ask("a");
  ask("b");
  time.advance(1h);

  ASSERT_EQ(seen.size(), 4u) << "twice a crash";
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen[i].text, "a");
    EXPECT_EQ(seen[i].delivery, 1u);
    EXPECT_EQ(seen[i].incarnation, i + 1);
    EXPECT_EQ(seen[i].origin, seen[0].origin);
  }
  EXPECT_NE(seen[0].origin, 0u);
  EXPECT_NE(seen[0].id, seen[1].id);
  EXPECT_NE(seen[1].id, seen[2].id);
  EXPECT_EQ(seen[3].text, "b");
  EXPECT_EQ(seen[3].delivery, 2u);
  EXPECT_EQ(seen[3].incarnation, 3u);
  EXPECT_EQ(seen[3].origin, seen[0].origin);
}

TEST_F(Tracked, deliveries_of_two_senders_have_two_origins) {
  const auto first = origin_of_new_sender();
  const auto second = origin_of_new_sender();

  EXPECT_NE(first, second);
}

TEST_F(Tracked,
       deliveries_on_two_nodes_have_two_origins_though_their_senders_have_the_same_number) {
  std::vector<Seen> seen;
  std::vector<caf::actor_id> numbers;
  for (int node = 0; node < 2; ++node) {
    testing::VirtualTime there{register_test_types};
    const auto its_sender =
      there.keep(spawn_back_off_sender(there.system(), noting(seen, 0), by_sent()));
    numbers.push_back(its_sender.id());
    there.tell(its_sender, std::string{"a"});
    there.run();
    there.stop(its_sender);
  }

  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(numbers[0], numbers[1]);
  EXPECT_EQ(seen[0].delivery, seen[1].delivery);
  EXPECT_NE(seen[0].origin, seen[1].origin);
}

TEST_F(Tracked, deliveries_name_the_origin_that_the_options_name_whichever_the_sender) {
  EXPECT_EQ(origin_of_new_sender("orders"), 0x45987d0b68fc7229u);
  EXPECT_EQ(origin_of_new_sender("orders"), 0x45987d0b68fc7229u);
  EXPECT_NE(origin_of_new_sender("invoices"), 0x45987d0b68fc7229u);
}

TEST_F(Tracked, deliveries_of_a_durable_sender_are_known_again_in_its_next_life) {
  std::vector<Seen> seen;
  outbox = open(store);
  auto options = with(outbox, by_sent());
  options.rare.origin = "orders";
  start_with(noting(seen, 1), options);
  time.run();
  submit_durably("a");
  ASSERT_EQ(seen.size(), 1u);

  stop_sender();
  start_with(noting(seen, 1), options);
  time.run();
  ask("b");

  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[1].text, "a");
  EXPECT_EQ(seen[1].delivery, 1u);
  EXPECT_EQ(seen[1].origin, seen[0].origin);
  EXPECT_EQ(seen[2].text, "b");
  EXPECT_EQ(seen[2].delivery, 2u);
}

TEST_F(Tracked, messages_show_all_their_parts) {
  TrackedMsg x;
  x.id = 4711;
  x.payload = caf::make_message(std::string{"a"});
  x.delivery = 4712;
  x.incarnation = 4713;
  x.origin = 4714;

  const auto text = caf::deep_to_string(x);

  for (const auto* part : {"4711", "\"a\"", "4712", "4713", "4714"})
    EXPECT_THAT(text, HasSubstr(part));
}

// -- a memory that outlives the child -----------------------------------------------------

// As on another node, where the state of a child is still there when the link to it is not.
struct Memory {
  Deduplicator<std::string> seen;
  Strings done;
  std::size_t handed_over = 0;
  std::size_t confirmations_lost = 0;
};

// A child that does each text once, and whose first confirmations do not arrive.
ChildFactory remembering(Memory& memory, std::size_t to_lose) {
  return [&memory, to_lose](caf::event_based_actor* self) {
    return self->spawn<HandMade>([&memory, to_lose](auto*, const TrackedMsg& x) {
      ++memory.handed_over;
      const auto* known = memory.seen.find(x.origin, x.delivery);
      if (known == nullptr) {
        const auto& text = x.payload.get_as<std::string>(0);
        memory.done.push_back(text);
        memory.seen.remember(x.origin, x.delivery, text + " done");
        known = memory.seen.find(x.origin, x.delivery);
      }
      if (memory.confirmations_lost < to_lose) {
        ++memory.confirmations_lost;
        throw std::runtime_error("the link is down");
      }
      return caf::make_message(sent(x, *known));
    });
  };
}

TEST_F(Tracked, deliveries_are_done_once_by_a_child_that_remembers_though_confirmations_are_lost) {
  Memory memory;
  start_with(remembering(memory, 3), by_sent());
  const auto a = ask("a");
  const auto b = ask("b");
  time.advance(1h);

  EXPECT_EQ(memory.done, (Strings{"a", "b"}));
  EXPECT_EQ(memory.handed_over, 5u);
  EXPECT_EQ(a->value, "a done");
  EXPECT_EQ(b->value, "b done");
}

TEST_F(Tracked, deliveries_of_a_durable_sender_are_done_once_though_it_is_killed) {
  Memory memory;
  outbox = open(store);
  auto options = with(outbox, by_sent());
  options.rare.origin = "orders";
  start_with(remembering(memory, 1), options);
  time.run();
  submit_durably("a");
  ASSERT_EQ(memory.done, Strings{"a"});

  store = store->copy(); // what was not committed is lost with the process
  outbox = open(store);
  start_with(remembering(memory, 1), with(outbox, options));
  time.advance(1h);

  EXPECT_EQ(memory.done, Strings{"a"});
  EXPECT_THAT(store->owed(), IsEmpty());
}

} // namespace backoff_actor::actor_test
