// Which messages can be stored, and what is made of them.

#include "durable_fixture.hpp"

#include <map>

namespace backoff_actor::actor_test {

class DurableTypesTest : public DurableTest {
protected:
  caf::message through(const DurableTypes& types, const caf::message& message) {
    return types.load(types.save(time.system(), message));
  }

  std::string refusal(const DurableTypes& types, const caf::message& message) {
    try {
      types.save(time.system(), message);
      return "none";
    } catch (const NotStorable& error) {
      return error.what();
    }
  }
};

TEST_F(DurableTypesTest, a_message_comes_back_as_it_was) {
  const auto types = durable<std::string, std::int32_t, Parcel, Letter>();
  Parcel parcel{"glass", {3, 1, 4}, {}};
  const auto back =
    through(types, caf::make_message(std::int32_t{-7}, std::string{"a\0b", 3}, parcel));

  ASSERT_TRUE((back.match_elements<std::int32_t, std::string, Parcel>()));
  EXPECT_EQ(back.get_as<std::int32_t>(0), -7);
  EXPECT_EQ(back.get_as<std::string>(1), (std::string{"a\0b", 3}));
  EXPECT_EQ(back.get_as<Parcel>(2).content, "glass");
  EXPECT_EQ(back.get_as<Parcel>(2).numbers, (std::vector<std::int32_t>{3, 1, 4}));
}

TEST_F(DurableTypesTest, an_empty_message_comes_back_empty) {
  EXPECT_EQ(through({}, caf::message{}).size(), 0u);
}

TEST_F(DurableTypesTest, the_names_of_the_types_are_kept_with_the_bytes) {
  const auto stored = durable<std::string, Parcel>().save(
    time.system(), caf::make_message(std::string{"a"}, Parcel{}));

  EXPECT_EQ(stored.types, "std::string;backoff_actor::actor_test::Parcel");
}

TEST_F(DurableTypesTest, another_type_is_refused_by_its_name) {
  EXPECT_THAT(refusal(durable<std::string>(), caf::make_message(std::string{"a"}, Letter{})),
              ::testing::AllOf(HasSubstr("Letter"), HasSubstr("is not one of the durable types")));
}

TEST_F(DurableTypesTest, an_actor_handle_is_refused_wherever_it_is) {
  const auto types = durable<Parcel, Letter, caf::actor>();
  const auto actor = time.spawn<Echo>();

  EXPECT_EQ(refusal(types, caf::make_message(Letter{actor})),
            "backoff_actor::actor_test::Letter: it holds an actor handle");
  EXPECT_EQ(refusal(types, caf::make_message(Letter{})),
            "backoff_actor::actor_test::Letter: it holds an actor handle")
    << "an invalid one";
  EXPECT_EQ(refusal(types, caf::make_message(Parcel{"a", {}, {Letter{actor}}})),
            "backoff_actor::actor_test::Parcel: it holds an actor handle");
  EXPECT_THAT(refusal(types, caf::make_message(actor)), HasSubstr("it holds an actor handle"));
}

TEST_F(DurableTypesTest, bytes_of_another_type_are_not_read) {
  const auto types = durable<std::string, std::int32_t>();
  auto stored = types.save(time.system(), caf::make_message(std::string{"abcd"}));
  stored.types = "int32_t";
  auto cut = types.save(time.system(), caf::make_message(std::string{"abc"}));
  cut.bytes.pop_back();

  EXPECT_THROW(types.load(stored), std::runtime_error);
  EXPECT_THROW(types.load(cut), std::runtime_error);
}

TEST_F(DurableTypesTest, bytes_that_are_left_over_are_an_error) {
  const auto types = durable<std::string>();
  auto stored = types.save(time.system(), caf::make_message(std::string{"abc"}));
  stored.bytes.resize(stored.bytes.size() + 2);

  try {
    types.load(stored);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "std::string: 2 bytes are left over, so the stored value has another type");
  }
}

// -- opening --------------------------------------------------------------------------

TEST_F(DurableTypesTest, a_store_with_messages_of_unknown_types_is_not_opened_and_stays_as_it_is) {
  outbox = {store, durable<std::string, std::int32_t, Letter>(), durable_options()};
  start({}, with(outbox));
  tell(Pause{});
  time.tell(sender, std::string{"a"});
  time.tell(sender, std::int32_t{1});
  time.tell(sender, Letter{});
  time.run();
  const auto found = store->copy();
  ASSERT_EQ(found->owed().size(), 2u) << "a letter has an address, even if it is nobody's";

  try {
    DurableOutbox{found, durable<>(), durable_options()};
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), StoreFailure::incompatible);
    EXPECT_STREQ(error.what(), "orders.db: it holds messages of the types std::string, int32_t, "
                               "which this program does not list as durable types; add them to "
                               "durable<...>()");
  }
  EXPECT_EQ(found->owed().size(), 2u);
}

TEST_F(DurableTypesTest, a_store_written_by_another_caf_is_not_opened) {
  store->set_message_format("CAF 9");

  try {
    open(store);
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_EQ(error.failure(), StoreFailure::incompatible);
    EXPECT_THAT(error.what(), HasSubstr("its messages were written by CAF 9"));
  }
}

TEST_F(DurableTypesTest, a_message_that_cannot_be_read_is_named) {
  StoredDelivery delivery{.id = 5};
  delivery.message = {"std::string", {}};
  const std::vector<StoreChange> changes{change::Insert{delivery}};
  store->commit(changes);

  try {
    open(store);
    FAIL();
  } catch (const StoreError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a message cannot be read: delivery 5, std::string: "));
  }
}

} // namespace backoff_actor::actor_test
