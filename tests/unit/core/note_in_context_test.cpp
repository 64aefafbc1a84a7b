#include "backoff_actor/core/text/internal/note_in_context.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace backoff_actor::detail {

namespace {

using namespace std::string_view_literals;

std::string context_with(std::string_view note) {
  std::string result;
  set_note(result, note);
  return result;
}

} // namespace

TEST(note_in_context, is_a_line_that_can_be_read) {
  EXPECT_EQ(context_with("row=4711, file a.csv"), "note: row=4711, file a.csv");
  EXPECT_EQ(note_in("note: row=4711, file a.csv"), "row=4711, file a.csv");
}

TEST(note_in_context, may_have_any_bytes) {
  EXPECT_EQ(context_with("100%\nof\x7f"), "note: 100%25%0Aof%7F");
  EXPECT_EQ(context_with("\0\xff \xc3\xbc"sv), "note: %00%FF %C3%BC");
  std::string all;
  for (auto byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  EXPECT_EQ(note_in(context_with(all)), all);
}

TEST(note_in_context, replaces_the_one_before_and_leaves_other_lines_as_they_are) {
  std::string context{"retries: max_attempts 5\nnote: old\ncancelled: gone"};
  set_note(context, "new");
  EXPECT_EQ(context, "retries: max_attempts 5\ncancelled: gone\nnote: new");
  set_note(context, "newer");
  EXPECT_EQ(context, "retries: max_attempts 5\ncancelled: gone\nnote: newer");
  EXPECT_EQ(note_in(context), "newer");
  set_note(context, "");
  EXPECT_EQ(context, "retries: max_attempts 5\ncancelled: gone");
  EXPECT_EQ(note_in(context), "");
}

TEST(note_in_context, that_somebody_else_has_written_is_none_unless_it_can_be_read) {
  for (const auto* const text : {"%", "%4", "%4G", "%+1", "ab%", "%0", "%ZZ"})
    EXPECT_EQ(note_in(std::string{"note: "}.append(text)), "") << text;
  EXPECT_EQ(note_in("note: %4a%4A"), "JJ");
  EXPECT_EQ(note_in("a note: b"), "");
}

} // namespace backoff_actor::detail
