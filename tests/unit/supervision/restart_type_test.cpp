#include "backoff_actor/supervision/restart_type.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backoff_actor {
namespace {

TEST(RestartTypeTest, type_by_ending) {
  struct EndingRow {
    RestartType type;
    Ending ending;
    bool is_wanted;
  };
  const std::vector<EndingRow> rows{
    {RestartType::permanent, Ending::normal, true},
    {RestartType::permanent, Ending::shutdown, true},
    {RestartType::permanent, Ending::killed, true},
    {RestartType::permanent, Ending::failed, true},
    {RestartType::transient, Ending::normal, false},
    {RestartType::transient, Ending::shutdown, false},
    {RestartType::transient, Ending::killed, true},
    {RestartType::transient, Ending::failed, true},
    {RestartType::temporary, Ending::normal, false},
    {RestartType::temporary, Ending::shutdown, false},
    {RestartType::temporary, Ending::killed, false},
    {RestartType::temporary, Ending::failed, false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(wants_restart(row.type, row.ending), row.is_wanted)
      << to_string(row.type) << ", " << to_string(row.ending);
}

TEST(RestartTypeTest, numbers_that_are_none_have_no_name) {
  EXPECT_EQ(to_string(RestartType{77}), "unknown");
  EXPECT_EQ(to_string(Ending{77}), "unknown");
}

} // namespace
} // namespace backoff_actor
