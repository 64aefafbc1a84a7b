#include "backoffctl/outbox/outbox.hpp"

#include "backoff_actor/store/postgres/internal/postgres_messages.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backoffctl::outbox_owners_test {

using namespace backoff_actor;

constexpr std::int64_t second = 1'000'000'000;
constexpr WallTime first{1'700'000'000 * second}; // 2023-11-14T22:13:20Z

const std::vector<PostgresOutbox> outboxes{
  {"invoices", {"node-a:71", 3, first, true}, 12, {first.since_epoch + 1'234'567'891}, 1},
  {"orders", {"node-b:8", 41, {first.since_epoch + 60 * second}, false}, 0, {}, 0},
  {"refunds", {}, 0, {}, 0}};

TEST(owners_table, shows_who_owns_which_outbox) {
  EXPECT_EQ(owners_table(outboxes), R"(3 outboxes
    outbox       node  epoch                     since  alive  owed                    oldest  dead
  invoices  node-a:71      3  2023-11-14T22:13:20.000Z    yes    12  2023-11-14T22:13:21.234Z     1
    orders   node-b:8     41  2023-11-14T22:14:20.000Z     no     0                         -     0
   refunds          -      0                         -     no     0                         -     0
)");
  EXPECT_EQ(owners_table({}), "0 outboxes\n");
}

TEST(owners_table, says_who_holds_a_lock_without_being_the_owner) {
  const std::vector<PostgresOutbox> held{
    {"orders", {"node-b:8", 41, first, false, "process 7 of user bob"}, 0, {}, 0}};
  EXPECT_TRUE(owners_table(held).ends_with(
    "\norders: process 7 of user bob holds its lock and is no owner\n"));
  EXPECT_NE(owners_json_lines(held).find(R"("alive":false,"held_by":"process 7 of user bob")"),
            std::string::npos);
}

TEST(owners_table, shows_no_control_characters_of_a_node) {
  const auto text = owners_table({{"orders", {"a\x1b[31m", 1, first, true}, 0, {}, 0}});
  EXPECT_EQ(text.find('\x1b'), text.npos) << text;
}

TEST(owners_json_lines, have_null_for_what_there_is_not) {
  EXPECT_EQ(owners_json_lines(outboxes),
            R"({"outbox":"invoices","node":"node-a:71","epoch":3,)"
            R"("since":"2023-11-14T22:13:20.000000000Z","alive":true,)"
            R"("owed":12,"oldest":"2023-11-14T22:13:21.234567891Z","dead":1})"
            "\n"
            R"({"outbox":"orders","node":"node-b:8","epoch":41,)"
            R"("since":"2023-11-14T22:14:20.000000000Z","alive":false,)"
            R"("owed":0,"oldest":null,"dead":0})"
            "\n"
            R"({"outbox":"refunds","node":null,"epoch":0,"since":null,"alive":false,)"
            R"("owed":0,"oldest":null,"dead":0})"
            "\n");
  EXPECT_EQ(owners_json_lines({}), "");
}

} // namespace backoffctl::outbox_owners_test
