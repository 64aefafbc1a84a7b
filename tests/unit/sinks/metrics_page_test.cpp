// The page docs/reference/metrics.md has all metrics, in order, as they are.

#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace backoff_actor::sinks_test {

// The metrics of something of each sort, as rows of the page.
std::vector<std::string> rows_of_metrics() {
  const Observatory observatory;
  auto& state = *observatory.state();
  detail::SenderSeat sender{state.senders("orders"), 1};
  sender.publish(PoolGlance{});
  sender.show_letters({std::make_shared<detail::LetterCount>(), false});
  const detail::SupervisorSeat supervisor{state.supervisors("root"), state.families(), {"root", 2}};
  GuardStatus status;
  status.has_breaker = true;
  status.has_budget = true;
  const detail::GuardSeat guard{state.guards("payments"), status, {}};
  const detail::OutboxSeat outbox{state.outboxes("orders")};
  const detail::OwnershipSeat ownership{state.ownerships("orders")};
  std::vector<std::string> rows;
  for (const auto& family : observatory.metrics(Instant{})) {
    std::string labels;
    for (const auto& label : family.samples.at(0).labels)
      labels += (labels.empty() ? "`" : ", `") + label.name + "`";
    rows.push_back("| `" + family.name + "` | " + std::string{to_string(family.type)} + " | "
                   + labels + " | " + family.help + " |");
  }
  return rows;
}

TEST(metrics_page, has_all_metrics_in_order) {
  std::ifstream page{METRICS_PAGE};
  ASSERT_TRUE(page) << METRICS_PAGE;
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `backoff_"))
      rows.push_back(line);
  EXPECT_THAT(rows, ::testing::ElementsAreArray(rows_of_metrics()));
}

// As Prometheus recommends: base units, and `_total` behind what only counts.
TEST(metrics_page, names_follow_the_rules) {
  const Observatory observatory;
  const detail::SenderSeat sender{observatory.state()->senders("orders"), 1};
  for (const auto& family : observatory.metrics(Instant{})) {
    EXPECT_THAT(family.name, ::testing::MatchesRegex("backoff_[a-z]+(_[a-z]+)*"));
    EXPECT_EQ(family.name.ends_with("_total"), family.type == MetricType::counter) << family.name;
    EXPECT_TRUE(family.help.ends_with(".")) << family.name;
    if (family.type == MetricType::histogram) {
      EXPECT_TRUE(family.name.ends_with("_seconds") || family.name.ends_with("_changes"))
        << family.name;
    }
  }
}

} // namespace backoff_actor::sinks_test
