#include "backoff_actor/core/internal/text_hash.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::text_hash_test {

// FNV-1a of these is 0xcbf29ce484222325, 0xaf63dc4c8601ec8c and 0x85944171f73967e8, as its authors'
// test vectors say.
TEST(text_hash, is_the_same_in_every_run) {
  EXPECT_EQ(detail::hash_of_text(""), 0xf52a15e9a9b5e89bULL);
  EXPECT_EQ(detail::hash_of_text("a"), 0x02c0bdbf481420f8ULL);
  EXPECT_EQ(detail::hash_of_text("foobar"), 0x404da9e3b74078c2ULL);
}

} // namespace backoff_actor::text_hash_test
