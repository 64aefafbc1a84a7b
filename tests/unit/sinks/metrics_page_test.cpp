// The page docs/reference/metrics.md has all metrics, in order, as they are.

#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
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
  detail::OwnershipSeat ownership{state.ownerships("orders")};
  ownership.own(1);
  ownership.set_calendar(Instant{}, 0);
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

// Prometheus takes the first of two equal series, and says nothing of the second.
TEST(metrics_page, no_series_and_no_metric_is_twice_in_one_scrape) {
  const Observatory observatory;
  auto& state = *observatory.state();
  const detail::SenderSeat orders{state.senders("orders"), 1};
  const detail::SenderSeat more_orders{state.senders("orders"), 2};
  const detail::SenderSeat bills{state.senders("bills"), 3};
  const detail::SupervisorSeat root{state.supervisors("root"), state.families(), {"root", 4}};
  const detail::SupervisorSeat twin{state.supervisors("root"), state.families(), {"root", 5}};
  GuardStatus status;
  status.has_breaker = status.has_budget = true;
  const detail::GuardSeat payments{state.guards("payments"), status, {}};
  const detail::GuardSeat same_name{state.guards("payments"), status, {}};
  const detail::OutboxSeat outbox{state.outboxes("orders")};
  const detail::OutboxSeat other_outbox{state.outboxes("orders")};

  std::istringstream page{to_exposition(observatory.metrics(Instant{}))};
  std::set<std::string> seen;
  for (std::string line; std::getline(page, line);) {
    const auto is_comment = line.starts_with("#");
    const auto what = is_comment ? line.substr(0, line.find(' ', line.find(' ', 2) + 1))
                                 : line.substr(0, line.rfind(' '));
    EXPECT_TRUE(seen.insert(what).second) << line;
  }
  EXPECT_GT(seen.size(), 50u);
}

} // namespace backoff_actor::sinks_test
