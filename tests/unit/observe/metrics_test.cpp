#include "backoff_actor/observe/metrics/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace backoff_actor::observe_test {

MetricFamily family_of(MetricSample sample, MetricType type = MetricType::gauge) {
  return {"backoff_x", "What it is.", type, {std::move(sample)}};
}

std::string line_of_value(double value) {
  const auto page = to_exposition({family_of({{}, value, {}})});
  const std::string head = "# HELP backoff_x What it is.\n# TYPE backoff_x gauge\nbackoff_x ";
  EXPECT_EQ(page.substr(0, head.size()), head);
  return page.substr(head.size());
}

std::string line_of_label(const std::string& value) {
  const auto page = to_exposition({family_of({{{"sender", value}}, 1, {}})});
  return page.substr(page.rfind("backoff_x{"));
}

TEST(to_exposition, of_nothing_is_empty) { EXPECT_EQ(to_exposition({}), ""); }

TEST(to_exposition, leaves_out_a_metric_without_values) {
  EXPECT_EQ(to_exposition({{"backoff_x", "What it is.", MetricType::counter, {}}}), "");
}

TEST(to_exposition, says_name_help_and_type_once_for_all_values) {
  const MetricFamily family{"backoff_refused_total",
                            "Refused.",
                            MetricType::counter,
                            {{{{"sender", "a"}, {"reason", "full"}}, 3, {}},
                             {{{"sender", "b"}, {"reason", "full"}}, 0, {}}}};
  EXPECT_EQ(to_exposition({family}), "# HELP backoff_refused_total Refused.\n"
                                     "# TYPE backoff_refused_total counter\n"
                                     "backoff_refused_total{sender=\"a\",reason=\"full\"} 3\n"
                                     "backoff_refused_total{sender=\"b\",reason=\"full\"} 0\n");
}

TEST(to_exposition, gives_each_number_as_the_shortest_text_that_is_the_same) {
  EXPECT_EQ(line_of_value(0), "0\n");
  EXPECT_EQ(line_of_value(17), "17\n");
  EXPECT_EQ(line_of_value(0.25), "0.25\n");
  EXPECT_EQ(line_of_value(-1.5), "-1.5\n");
  EXPECT_EQ(line_of_value(0.1), "0.1\n");
  EXPECT_EQ(line_of_value(std::numeric_limits<double>::infinity()), "+Inf\n");
  EXPECT_EQ(line_of_value(-std::numeric_limits<double>::infinity()), "-Inf\n");
  EXPECT_EQ(line_of_value(std::nan("")), "NaN\n");
}

TEST(to_exposition, escapes_what_would_end_a_label) {
  EXPECT_EQ(line_of_label(R"(a"b)"), "backoff_x{sender=\"a\\\"b\"} 1\n");
  EXPECT_EQ(line_of_label(R"(a\b)"), "backoff_x{sender=\"a\\\\b\"} 1\n");
  EXPECT_EQ(line_of_label("a\nb"), "backoff_x{sender=\"a\\\\nb\"} 1\n");
  EXPECT_EQ(line_of_label("a\x1b"), "backoff_x{sender=\"a\\\\u001b\"} 1\n");
  EXPECT_EQ(line_of_label("a\xff"), "backoff_x{sender=\"a\xef\xbf\xbd\"} 1\n");
  EXPECT_EQ(line_of_label("\xc3\xa4"), "backoff_x{sender=\"\xc3\xa4\"} 1\n");
}

TEST(to_exposition, sums_up_the_buckets_of_a_histogram) {
  const auto page = to_exposition(
    {family_of({{{"sender", "a"}}, 0, {{0.5, 2}, {3, 0, 4}, 9.25}}, MetricType::histogram)});
  EXPECT_EQ(page, "# HELP backoff_x What it is.\n"
                  "# TYPE backoff_x histogram\n"
                  "backoff_x_bucket{sender=\"a\",le=\"0.5\"} 3\n"
                  "backoff_x_bucket{sender=\"a\",le=\"2\"} 3\n"
                  "backoff_x_bucket{sender=\"a\",le=\"+Inf\"} 7\n"
                  "backoff_x_sum{sender=\"a\"} 9.25\n"
                  "backoff_x_count{sender=\"a\"} 7\n");
}

} // namespace backoff_actor::observe_test
