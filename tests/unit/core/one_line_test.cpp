#include "backoff_actor/core/internal/one_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

namespace {

using namespace std::string_literals;

const auto no_character = "\xef\xbf\xbd"s; // U+FFFD

std::string repeated_text(const std::string& text, int times) {
  std::string result;
  for (auto i = 0; i < times; ++i)
    result += text;
  return result;
}

} // namespace

TEST(one_line, leaves_characters_of_utf_8_as_they_are) {
  for (const auto& text :
       {""s, " !\"\\~"s, "\xc2\xa0"s, "\xc3\xa9"s, "\xdf\xbf"s, "\xe0\xa0\x80"s, "\xe2\x82\xac"s,
        "\xed\x9f\xbf"s, "\xee\x80\x80"s, "\xef\xbf\xbd"s, "\xf0\x90\x80\x80"s, "\xf0\x9f\x92\xa5"s,
        "\xf4\x8f\xbf\xbf"s}) // U+10FFFF
    EXPECT_EQ(one_line(text), text);
}

TEST(one_line, escapes_what_ends_a_line_or_changes_the_terminal) {
  EXPECT_EQ(one_line("a\nb\r\n\tc"), R"(a\nb\r\n\tc)");
  EXPECT_EQ(one_line("\0\x01\x1f\x7f"s), R"(\u0000\u0001\u001f\u007f)");
  EXPECT_EQ(one_line("\x1b[31m"), R"(\u001b[31m)");
  EXPECT_EQ(one_line("\xc2\x80\xc2\x85\xc2\x9b\xc2\x9f"), R"(\u0080\u0085\u009b\u009f)");
  EXPECT_EQ(one_line("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaf"),
            "\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaf");
}

// Such a name reads otherwise than it is: a file `exe.gnp` as `png.exe`.
TEST(one_line, escapes_what_turns_the_direction_of_a_text) {
  EXPECT_EQ(one_line("\u061c\u200e\u200f"), R"(\u061c\u200e\u200f)");
  EXPECT_EQ(one_line("\u202a\u202b\u202c\u202d\u202e"), R"(\u202a\u202b\u202c\u202d\u202e)");
  EXPECT_EQ(one_line("\u2066\u2067\u2068\u2069"), R"(\u2066\u2067\u2068\u2069)");
  for (const std::string neighbour : {"\u061b", "\u061d", "\u200d", "\u2010", "\u2065", "\u206a"})
    EXPECT_EQ(one_line(neighbour), neighbour);
  EXPECT_EQ(json_string("a\u202e\"b"), R"("a\u202e\"b")");
  EXPECT_EQ(in_places("a\u202eb"), "a?b");
}

TEST(plain_json, escapes_in_strings_what_json_may_have_as_it_is) {
  EXPECT_EQ(plain_json("{\n \"a\u202e\": [1, \"\u009b31m \x7f \u00e9 \u2028\"]}"),
            "{\n \"a\\u202e\": [1, \"\\u009b31m \\u007f \u00e9 \\u2028\"]}");
  EXPECT_EQ(plain_json("\"\xff\""), "\"\xff\"");
}

TEST(one_line, has_a_replacement_for_each_byte_that_is_no_character) {
  const std::vector<std::pair<std::string, int>> rows{
    {"\x80"s, 1},                 // the second byte of a character, alone
    {"\xbf\xbf"s, 2},             //
    {"\xc0\x80"s, 2},             // NUL in two bytes
    {"\xc1\xbf"s, 2},             //
    {"\xe0\x9f\xbf"s, 3},         // U+07FF in three bytes
    {"\xed\xa0\x80"s, 3},         // a surrogate
    {"\xed\xbf\xbf"s, 3},         //
    {"\xf0\x8f\xbf\xbf"s, 4},     // U+FFFF in four bytes
    {"\xf4\x90\x80\x80"s, 4},     // U+110000
    {"\xf5\x80\x80\x80"s, 4},     //
    {"\xf8\x88\x80\x80\x80"s, 5}, //
    {"\xff"s, 1},                 //
    {"\xc3"s, 1},                 // cut off
    {"\xe2\x82"s, 2},             //
    {"\xf0\x9f\x92"s, 3}};
  for (const auto& [bytes, count] : rows) {
    const auto replaced = repeated_text(no_character, count);
    EXPECT_EQ(one_line(bytes), replaced);
    EXPECT_EQ(one_line("a" + bytes + "b"), "a" + replaced + "b");
  }
  EXPECT_EQ(one_line("\xc3\xc3\xa9\xe2\n"), no_character + "\xc3\xa9" + no_character + "\\n");
}

TEST(in_places, shows_characters_and_marks_what_has_no_place) {
  EXPECT_EQ(in_places("fixed(\xd9\xa1s) \xe2\x82\xac"), "fixed(\xd9\xa1s) \xe2\x82\xac");
  EXPECT_EQ(in_places("a\n\x1b[31m\x7f\xc2\x9b"), "a??[31m??");
  EXPECT_EQ(in_places("\xff\xe2\x82x"), "???x");
}

TEST(count_characters, counts_those_of_several_bytes_once) {
  EXPECT_EQ(count_characters(""), 0u);
  EXPECT_EQ(count_characters("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xa5"), 4u);
}

TEST(json_string, is_one_line_in_quotes_with_quotes_and_backslashes_escaped) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("C:\\n \"a\"\n"), R"("C:\\n \"a\"\n")");
  EXPECT_EQ(json_string("\xe2\"\x82"), "\"" + no_character + "\\\"" + no_character + "\"");
}

} // namespace backoff_actor::detail
