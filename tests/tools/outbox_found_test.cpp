#include "backoffctl/outbox/outbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace backoffctl::outbox_found_test {

using namespace backoff_actor;

constexpr std::int64_t nanosecond = 1'700'000'000'123'456'789; // 2023-11-14T22:13:20.123456789Z

const std::vector<MessageFound> messages{
  {"orders", "waiting", 71, "ada", "order-1", "v1", {nanosecond}, 0, ""},
  {"orders", "owed", 8, "ada", "", "order", {nanosecond}, 2, ""},
  {"orders", "done", 0, "", "order-1", "", {nanosecond}, 0, ""},
  {"refunds", "dead", 9, "ada", "", "order", {nanosecond}, 5, "rejected: no\nsuch \x1b[31mgoods"}};

TEST(messages_table, shows_where_each_message_is) {
  EXPECT_EQ(messages_table({messages.begin(), messages.begin() + 3}), R"(3 messages
  outbox    state  number                        at  attempts  key  idempotency key  types  cause
  orders  waiting      71  2023-11-14T22:13:20.123Z         0  ada          order-1     v1      -
  orders     owed       8  2023-11-14T22:13:20.123Z         2  ada                -  order      -
  orders     done       -  2023-11-14T22:13:20.123Z         0    -          order-1      -      -
)");
  EXPECT_EQ(messages_table({}), "0 messages\n");
}

TEST(messages_table, shows_no_control_characters_of_a_cause) {
  const auto text = messages_table({messages.back()});
  EXPECT_EQ(text.find('\x1b'), text.npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

namespace {

// As a file knows them.
std::vector<MessageFound> messages_of_a_file() {
  MessageFound owed{"outbox.db", "owed", 8, "", "order-1", "", {nanosecond}, 2, ""};
  owed.note = "row 700";
  MessageFound done{"outbox.db", "done", 0, "", "order-2", "", {nanosecond}, 0, ""};
  done.note = "";
  done.answer = KeptAnswer{{"string", {std::byte{'o'}, std::byte{'k'}}}, 2};
  auto with_large_answer = done;
  with_large_answer.answer = KeptAnswer{{}, 70'000};
  return {owed, done, with_large_answer};
}

} // namespace

TEST(messages_table, of_a_file_shows_how_large_note_and_answer_are) {
  EXPECT_EQ(messages_table(messages_of_a_file()),
            "3 messages\n"
            "     outbox  state  number                        at  attempts  key  idempotency key  "
            "types  cause  note bytes  answer bytes\n"
            "  outbox.db   owed       8  2023-11-14T22:13:20.123Z         2    -          order-1  "
            "    -      -           7             -\n"
            "  outbox.db   done       -  2023-11-14T22:13:20.123Z         0    -          order-2  "
            "    -      -           -             2\n"
            "  outbox.db   done       -  2023-11-14T22:13:20.123Z         0    -          order-2  "
            "    -      -           -         70000\n");
}

TEST(messages_json_lines, of_a_file_have_the_note_and_the_answer) {
  EXPECT_EQ(
    messages_json_lines(messages_of_a_file()),
    R"({"outbox":"outbox.db","state":"owed","id":8,"at":"2023-11-14T22:13:20.123456789Z",)"
    R"("attempts":2,"key":null,"idempotency_key":"order-1","types":null,"cause":null,)"
    R"("note":"row 700","answer_bytes":null,"answer_types":null,"answer":null})"
    "\n"
    R"({"outbox":"outbox.db","state":"done","id":null,"at":"2023-11-14T22:13:20.123456789Z",)"
    R"("attempts":0,"key":null,"idempotency_key":"order-2","types":null,"cause":null,)"
    R"("note":null,"answer_bytes":2,"answer_types":"string","answer":"b2s="})"
    "\n"
    R"({"outbox":"outbox.db","state":"done","id":null,"at":"2023-11-14T22:13:20.123456789Z",)"
    R"("attempts":0,"key":null,"idempotency_key":"order-2","types":null,"cause":null,)"
    R"("note":null,"answer_bytes":70000,"answer_types":null,"answer":null})"
    "\n");
}

TEST(messages_json_lines, have_null_for_what_there_is_not) {
  EXPECT_EQ(messages_json_lines(messages),
            R"({"outbox":"orders","state":"waiting","id":71,"at":"2023-11-14T22:13:20.123456789Z",)"
            R"("attempts":0,"key":"ada","idempotency_key":"order-1","types":"v1",)"
            R"("cause":null})"
            "\n"
            R"({"outbox":"orders","state":"owed","id":8,"at":"2023-11-14T22:13:20.123456789Z",)"
            R"("attempts":2,"key":"ada","idempotency_key":null,"types":"order",)"
            R"("cause":null})"
            "\n"
            R"({"outbox":"orders","state":"done","id":null,"at":"2023-11-14T22:13:20.123456789Z",)"
            R"("attempts":0,"key":null,"idempotency_key":"order-1","types":null,"cause":null})"
            "\n"
            R"({"outbox":"refunds","state":"dead","id":9,"at":"2023-11-14T22:13:20.123456789Z",)"
            R"("attempts":5,"key":"ada","idempotency_key":null,"types":"order",)"
            R"("cause":"rejected: no\nsuch \u001b[31mgoods"})"
            "\n");
  EXPECT_EQ(messages_json_lines({}), "");
}

} // namespace backoffctl::outbox_found_test
