// What a process that does not own an outbox writes to the table `incoming`.

#include "store/postgres/incoming_fixture.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor::store_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PostgresIncomingWriter : public PostgresIncoming {
protected:
  void SetUp() override {
    PostgresIncoming::SetUp();
    if (IsSkipped())
      return;
    writer = postgres_store(address(), options("node-b"))->open_writer();
    ASSERT_NE(writer, nullptr);
  }

  static IncomingMessage message(const std::string& type) {
    IncomingMessage result;
    result.type = type;
    return result;
  }

  std::unique_ptr<IncomingWriter> writer;
};

TEST_F(PostgresIncomingWriter, writes_messages_in_order_with_all_their_parts) {
  store->set_message_format("this one");
  const IncomingMessage full{0, "k", "once", "a;b", {std::byte{0}, std::byte{255}}, std::nullopt,
                             ""};
  auto short_lived = message("b");
  short_lived.time_to_live = 1min;
  writer->write(std::vector{full, short_lived, message("c")}, "this one");
  writer->write({}, "this one");

  ASSERT_THAT(take(), ElementsAre(1, 2, 3));
  taken[0].row = 0;
  EXPECT_EQ(taken[0], full);
  EXPECT_EQ(taken[1].type, "b");
  ASSERT_TRUE(taken[1].time_to_live);
  EXPECT_GT(*taken[1].time_to_live, 30s);
  EXPECT_LE(*taken[1].time_to_live, 1min);
  EXPECT_EQ(taken[2].type, "c");
}

TEST_F(PostgresIncomingWriter, makes_the_outbox_if_it_is_not_there) {
  const auto other = postgres_store({address().connection, "other"}, options("node-b"));
  other->open_writer()->write(std::vector{message("t")}, "this one");
  EXPECT_EQ(query("SELECT outbox FROM backoff.incoming"), "other");
}

TEST_F(PostgresIncomingWriter, of_the_owner_writes_rows_that_the_owner_reads) {
  store->open_writer()->write(std::vector{message("a")}, "this one");
  ASSERT_THAT(take(), ElementsAre(1));
  EXPECT_EQ(taken[0].type, "a");
}

TEST_F(PostgresIncomingWriter, writes_an_order_about_a_message_only_if_a_row_has_its_key) {
  auto order = message("backoff.cancel");
  order.idempotency_key = "a";
  EXPECT_FALSE(writer->write_order(order, "this one")) << "there is no outbox yet";
  auto first = message("t");
  first.idempotency_key = "b";
  writer->write(std::vector{first, order}, "this one");
  EXPECT_FALSE(writer->write_order(order, "this one")) << "a cancellation is no message";
  order.idempotency_key = "b";
  EXPECT_TRUE(writer->write_order(order, "this one"));
  ASSERT_THAT(take(), SizeIs(3));
  EXPECT_EQ(taken[2].idempotency_key, "b");
  EXPECT_EQ(taken[2].type, "backoff.cancel");
}

TEST_F(PostgresIncomingWriter, connects_again_if_its_session_was_ended) {
  writer->write(std::vector{message("t")}, "this one");
  query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE "
        "'%node-b'");
  writer->write(std::vector{message("t")}, "this one");
  EXPECT_THAT(take(), SizeIs(2));
}

TEST_F(PostgresIncomingWriter, writes_nothing_that_the_owner_could_not_read) {
  store->set_message_format("this one");
  std::vector messages{message("t"), message("t")};
  EXPECT_EQ(failure_of([&] { writer->write(messages, "another"); }).failure,
            StoreFailure::incompatible);
  messages[1].key = "\xff";
  EXPECT_EQ(failure_of([&] { writer->write(messages, "this one"); }).failure,
            StoreFailure::input_output);
  EXPECT_THAT(take(), IsEmpty());
}

} // namespace backoff_actor::store_test
