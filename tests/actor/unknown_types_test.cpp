// Messages of types that were not registered, where their bytes are needed. Only CAF 0.17.6 can
// make such a message: CAF 1.x ends the program.

#include "durable_fixture.hpp"

namespace backoff_actor::actor_test {

// In no type-id block.
struct Stranger {
  std::string text;

  template <class Inspector>
  friend auto inspect(Inspector& f, Stranger& x) {
    return compat::object(f, x, "Stranger", compat::field("text", x.text));
  }
};

// In a type-id block that `init` is not given.
struct Forgotten {
  std::string text;

  template <class Inspector>
  friend auto inspect(Inspector& f, Forgotten& x) {
    return compat::object(f, x, "Forgotten", compat::field("text", x.text));
  }
};

} // namespace backoff_actor::actor_test

CAF_BEGIN_TYPE_ID_BLOCK(forgotten_block, caf::first_custom_type_id + 180)
  CAF_ADD_TYPE_ID(forgotten_block, (backoff_actor::actor_test::Forgotten))
CAF_END_TYPE_ID_BLOCK(forgotten_block)

namespace backoff_actor::actor_test {

class UnknownTypes : public DurableTest {
protected:
  static caf::behavior worker(caf::event_based_actor*) {
    return {[](const Stranger& x) { return x.text; }, [](const Forgotten& x) { return x.text; },
            [](const std::string& text) { return text; }};
  }

  template <class T>
  std::shared_ptr<testing::Answer<std::string>> ask_with(T value) {
    auto answer = time.ask<std::string>(sender, std::move(value));
    time.run();
    return answer;
  }
};

TEST_F(UnknownTypes, are_handed_over_within_the_process) {
  start_with(worker);
  EXPECT_EQ(ask_with(Stranger{"a"})->value, "a");
}

TEST_F(UnknownTypes, are_refused_by_name_when_they_would_have_to_be_weighed) {
  auto options = default_options();
  options.rare.capacity_bytes = 1000;
  start_with(worker, options);
  const auto refused = ask_with(Stranger{"a"});

  EXPECT_EQ(text_of(refused->error),
            "unknown_type: the message has a type that is not registered with CAF "
            "(backoff_actor::actor_test::Stranger: put it into a type-id block with "
            "CAF_ADD_TYPE_ID, and give the block to "
            "backoff_actor::init<caf::id_block::...>(config))");
  EXPECT_EQ(log.count<event::NotAccepted>(), 1u);
  EXPECT_EQ(status().counters.refused, 1u);
  EXPECT_EQ(ask("b")->value, "b");
}

TEST_F(UnknownTypes, are_weighed_by_the_function_of_the_options) {
  auto options = default_options();
  options.rare.capacity_bytes = 1000;
  options.rare.weight_of = [](const caf::message&) { return std::size_t{10}; };
  start_with(worker, options);
  EXPECT_EQ(ask_with(Stranger{"a"})->value, "a");
}

TEST_F(UnknownTypes, are_refused_by_name_by_a_durable_outbox) {
  outbox = DurableOutbox{store, durable<Forgotten, std::string>(), durable_options()};
  start_with(worker, with(outbox));

  EXPECT_THAT(text_of(ask_with(Forgotten{"a"})->error),
              HasSubstr("unknown_type: the message has a type that is not registered with CAF "
                        "(backoff_actor::actor_test::Forgotten: "));
  EXPECT_THAT(text_of(ask_with(Stranger{"a"})->error),
              HasSubstr("(backoff_actor::actor_test::Stranger: "));
  EXPECT_EQ(ask("b")->value, "b");
}

TEST_F(UnknownTypes, are_not_what_another_attempt_helps_with) {
  EXPECT_EQ(assess_error(make_error(SenderError::unknown_type, "Order")).kind,
            Assessment::Kind::final);
}

} // namespace backoff_actor::actor_test
