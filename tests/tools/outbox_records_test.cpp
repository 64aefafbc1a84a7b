#include "backoffctl/outbox/outbox.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace backoffctl {

namespace {

std::string base64_of(std::string_view text) { return base64(std::as_bytes(std::span{text})); }

} // namespace

TEST(outbox_records, base64_is_that_of_the_standard) {
  // The test vectors of RFC 4648, section 10.
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_of("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_of({"\xff\xfe\xfb\0", 4}), "//77AA==");
}

TEST(outbox_records, a_time_is_utc_to_the_nanosecond_or_cut_off) {
  EXPECT_EQ(iso_time({0}, 9), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(iso_time({-1}, 9), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(iso_time({951'782'400'000'000'000}, 0), "2000-02-29T00:00:00Z");
  EXPECT_EQ(iso_time({1'700'000'000'345'999'999}, 3), "2023-11-14T22:13:20.345Z");
  EXPECT_EQ(iso_time({INT64_MAX}, 9), "2262-04-11T23:47:16.854775807Z");
  EXPECT_EQ(iso_time({INT64_MIN}, 9), "1677-09-21T00:12:43.145224192Z");
}

TEST(outbox_records, a_line_has_the_context_of_a_message_that_has_one) {
  backoff_actor::StoredDelivery delivery;
  EXPECT_EQ(json_line(delivery, false).find("context"), std::string::npos);
  delivery.context = "retries: max_attempts 5\nnot_before: 7";
  EXPECT_NE(json_line(delivery, false)
              .find(R"("context":"retries: max_attempts 5\nnot_before: 7","types")"),
            std::string::npos);
}

} // namespace backoffctl
