#include "backoffctl/common/secrets.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backoffctl::secrets_test {

TEST(without_secrets, leaves_out_the_password_of_a_url) {
  EXPECT_EQ(without_secrets("postgres://worker:sesame@db1/shop#orders"),
            "postgres://worker:***@db1/shop#orders");
  EXPECT_EQ(without_secrets("'postgresql://:sesame@db1': unexpected argument"),
            "'postgresql://:***@db1': unexpected argument");
  EXPECT_EQ(without_secrets("postgres://a:one@x/ and postgres://b:two@y/"),
            "postgres://a:***@x/ and postgres://b:***@y/");
}

TEST(without_secrets, takes_all_up_to_the_last_at_for_the_password) {
  EXPECT_EQ(without_secrets("postgres://worker:p@ss/w:rd@db1/shop"),
            "postgres://worker:***@db1/shop");
}

TEST(without_secrets, leaves_out_a_password_that_has_a_name) {
  EXPECT_EQ(without_secrets("postgres://db1/shop?user=w&password=sesame&sslmode=require#orders"),
            "postgres://db1/shop?user=w&password=***&sslmode=require#orders");
  EXPECT_EQ(without_secrets("host=db1 password='open sesame' dbname=shop"),
            "host=db1 password=*** dbname=shop");
  EXPECT_EQ(without_secrets("password=sesame"), "password=***");
  EXPECT_EQ(without_secrets("password='sesame"), "password=***");
}

TEST(without_secrets, finds_a_password_with_blanks_around_the_sign) {
  EXPECT_EQ(without_secrets("host=h password = sesame dbname=db"),
            "host=h password = *** dbname=db");
  EXPECT_EQ(without_secrets("password\t=\t'open \\'sesame\\'' x"), "password\t=\t*** x");
  EXPECT_EQ(without_secrets("PassWord =open\\ sesame x"), "PassWord =*** x");
  EXPECT_EQ(without_secrets("sslpassword = sesame"), "sslpassword = ***");
  EXPECT_EQ(without_secrets("no password here, and password ="),
            "no password here, and password =");
}

TEST(without_secrets, finds_the_password_of_a_url_without_its_slashes) {
  EXPECT_EQ(without_secrets("postgres:/worker:sesame@db1/shop"), "postgres:***@db1/shop");
  EXPECT_EQ(without_secrets("postgres:worker:sesame@db1/shop: no file"),
            "postgres:***@db1/shop: no file");
  EXPECT_EQ(without_secrets("worker:sesame@db1/shop"), "worker:***@db1/shop");
}

TEST(complaints, repeat_no_argument_with_a_password_whatever_is_wrong_with_it) {
  const std::vector<std::string> arguments{"count", "postgres://w:open \"sesame@db1",
                                           "host=h password = open'sesame x",
                                           "--limit=postgres:/w:open sesame@db1", "plain.db"};
  const Complaints complaints{arguments};
  EXPECT_EQ(complaints.text_of("'" + arguments[1] + "': unexpected"),
            "'postgres://w:***@db1': unexpected");
  EXPECT_EQ(complaints.text_of("'" + arguments[2] + "': unexpected"),
            "'host=h password = *** x': unexpected");
  EXPECT_EQ(complaints.text_of("--limit: got postgres:/w:open sesame@db1, allowed 1"),
            "--limit: got postgres:***@db1, allowed 1");
  EXPECT_EQ(complaints.text_of(R"(got "postgres://w:open \"sesame@db1")"),
            R"(got "postgres://w:***@db1")");
  EXPECT_EQ(complaints.text_of("count plain.db"), "count plain.db");
}

TEST(without_secrets, keeps_what_is_no_secret) {
  for (const auto* text : {"", "outbox.db", "postgres://worker@db1:5432/shop#orders",
                           "postgres://[::1]:5432/shop", "see https://example.org/a:b"})
    EXPECT_EQ(without_secrets(text), text);
}

TEST(hide_secrets, writes_over_passwords_alone) {
  std::string argument = "postgres://worker:sesame@db1/shop?password=open#orders";
  hide_secrets(argument.data());
  EXPECT_EQ(argument, "postgres://worker:******@db1/shop?password=****#orders");
  argument = "postgres://worker:open sesame@db1";
  hide_secrets(argument.data());
  EXPECT_EQ(argument, "postgres://worker:***********@db1");
  argument = "host=h password = sesame dbname=db";
  hide_secrets(argument.data());
  EXPECT_EQ(argument, "host=h password = ****** dbname=db");
}

} // namespace backoffctl::secrets_test
