#include "backoffctl/outbox/outbox.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

namespace backoffctl::outbox_list_test {

std::string shown(std::string_view bytes) { return message_text(std::as_bytes(std::span{bytes})); }

TEST(message_text, is_the_text_that_a_message_is) {
  EXPECT_EQ(shown("apples"), "\"apples\"");
  EXPECT_EQ(shown("M\xc3\xbcller"), "\"M\xc3\xbcller\"");
}

TEST(message_text, leaves_out_the_length_before_a_text) {
  EXPECT_EQ(shown("\x06"
                  "apples"),
            "\"apples\"");
  const std::string text(130, 'x');
  EXPECT_EQ(shown("\x82\x01" + text), "\"" + std::string(60, 'x') + "...\"");
  EXPECT_EQ(shown("!" + std::string(33, 'y')), "\"" + std::string(33, 'y') + "\""); // '!' is 33
}

TEST(message_text, is_hexadecimal_for_anything_else) {
  EXPECT_EQ(shown({"\0\xff", 2}), "0x00ff");
  EXPECT_EQ(shown("five\n"), "0x666976650a");
  EXPECT_EQ(shown("\x06"
                  "apple"),
            "0x066170706c65");
  EXPECT_EQ(shown("\xef\xbf\xbd"), "0xefbfbd");
  EXPECT_EQ(shown(""), "-");
}

TEST(message_text, is_cut_off_after_sixty_characters) {
  EXPECT_EQ(shown(std::string(60, 'z')), "\"" + std::string(60, 'z') + "\"");
  EXPECT_EQ(shown(std::string(61, 'z')), "\"" + std::string(60, 'z') + "...\"");
  EXPECT_EQ(shown(std::string(59, 'z') + "\xc3\xa9\xc3\xa9"),
            "\"" + std::string(59, 'z') + "\xc3\xa9...\"");
  EXPECT_EQ(shown(std::string(1'000, '\xff')), "0x" + std::string(58, 'f') + "...");
}

} // namespace backoffctl::outbox_list_test
