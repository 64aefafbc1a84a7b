#include "backoffctl/text/table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace backoffctl::table_test {

TEST(table, is_as_wide_as_the_widest_cell_of_each_column) {
  Table table{{"a", "long"}};
  table.add({"100", "2"});
  table.add({"..."});
  EXPECT_EQ(table.text(), "    a  long\n"
                          "  100     2\n"
                          "  ...\n");
}

TEST(table, is_in_line_where_characters_have_several_bytes) {
  Table table{{"key", "n"}};
  table.add({"M\xc3\xbcller", "1"});
  table.add({"Meier", "2"});
  EXPECT_EQ(table.text(), "     key  n\n"
                          "  M\xc3\xbcller  1\n"
                          "   Meier  2\n");
}

TEST(side_by_side, begins_another_table_where_a_hundred_characters_are_full) {
  const ColumnGroup first{{"n", "1"}};
  const ColumnGroup wide{{std::string(60, 'w'), "2"}};
  const ColumnGroup just_fits{{"a", "3"}, {std::string(30, 'b'), "4"}};
  const auto text = side_by_side(first, {wide, just_fits, wide});
  EXPECT_EQ(text, "  n  " + std::string(60, 'w') + "  a  " + std::string(30, 'b') + "\n" + "  1  "
                    + std::string(59, ' ') + "2  3  " + std::string(29, ' ') + "4\n" + "\n  n  "
                    + std::string(60, 'w') + "\n" + "  1  " + std::string(59, ' ') + "2\n");
  EXPECT_EQ(text.find('\n'), 100u);
}

TEST(side_by_side, shows_a_group_that_is_too_wide_by_itself) {
  const auto text = side_by_side({{"n"}}, {{{std::string(200, 'w')}}, {{"a"}}});
  EXPECT_EQ(text, "  n  " + std::string(200, 'w') + "\n\n  n  a\n");
}

} // namespace backoffctl::table_test
