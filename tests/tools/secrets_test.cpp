#include "backoffctl/secrets.hpp"

#include <gtest/gtest.h>

#include <string>

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

TEST(without_secrets, keeps_what_is_no_secret) {
  for (const auto* text : {"", "outbox.db", "postgres://worker@db1:5432/shop#orders",
                           "postgres://[::1]:5432/shop", "see https://example.org/a:b"})
    EXPECT_EQ(without_secrets(text), text);
}

TEST(hide_secrets, writes_over_passwords_alone) {
  std::string argument = "postgres://worker:sesame@db1/shop?password=open#orders";
  hide_secrets(argument.data());
  EXPECT_EQ(argument, "postgres://worker:******@db1/shop?password=****#orders");
}

} // namespace backoffctl::secrets_test
