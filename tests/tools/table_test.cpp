#include "backoffctl/table.hpp"

#include <gtest/gtest.h>

namespace backoffctl::table_test {

TEST(table, is_as_wide_as_the_widest_cell_of_each_column) {
  Table table{{"a", "long"}};
  table.add({"100", "2"});
  table.add({"..."});
  EXPECT_EQ(table.text(), "    a  long\n"
                          "  100     2\n"
                          "  ...\n");
}

} // namespace backoffctl::table_test
