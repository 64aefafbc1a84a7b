#include "backoff_actor/core/normal.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace backoff_actor {

namespace {

// Quantiles from tables of the standard normal distribution.
TEST(normal_quantile, is_that_of_the_tables) {
  struct QuantileRow {
    double p;
    double z;
  };
  for (const auto& row :
       {QuantileRow{0.5, 0}, QuantileRow{0.6, 0.2533471031}, QuantileRow{0.75, 0.6744897502},
        QuantileRow{0.9, 1.2815515655}, QuantileRow{0.95, 1.6448536270},
        QuantileRow{0.975, 1.9599639845}, QuantileRow{0.99, 2.3263478740},
        QuantileRow{0.999, 3.0902323062}, QuantileRow{0.9999, 3.7190164855},
        QuantileRow{1 - 1e-7, 5.1993375822}, QuantileRow{1 - 1e-12, 7.0344869}}) {
    const auto tolerance = 2e-7 * std::max(1.0, row.z) + (row.p > 1 - 1e-10 ? 1e-4 : 0);
    EXPECT_NEAR(normal_quantile(row.p), row.z, tolerance) << row.p;
    EXPECT_NEAR(normal_quantile(1 - row.p), -row.z, tolerance) << row.p;
  }
}

TEST(normal_quantile, is_finite_at_the_ends) {
  EXPECT_NEAR(normal_quantile(0), -8.29, 0.01);
  EXPECT_NEAR(normal_quantile(1), 8.29, 0.01);
}

TEST(normal_number, follows_the_quantiles) {
  for (int i = 0; i < 100'000; ++i) {
    const auto u = (i + 0.5) / 100'000;
    ASSERT_NEAR(detail::normal_number(u), normal_quantile(u), 0.003) << u;
  }
}

TEST(normal_number, is_the_quantile_itself_in_the_tails) {
  EXPECT_EQ(detail::normal_number(0x1.0p-53), normal_quantile(0x1.0p-53));
  EXPECT_EQ(detail::normal_number(0x1.fffffffffffffp-1), normal_quantile(0x1.fffffffffffffp-1));
}

TEST(cut_off_normal_number, keeps_within_three_deviations_around_zero) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto z = detail::cut_off_normal_number((i + 0.5) / 100'000);
    ASSERT_LE(std::abs(z), 3.000001);
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum, 0, 1);
  // 1 - 6 phi(3) / (2 Phi(3) - 1)
  EXPECT_NEAR(squares / 100'000, 0.97334, 2e-4);
  EXPECT_NEAR(detail::cut_off_normal_variance, 0.97334, 1e-5);
}

} // namespace

} // namespace backoff_actor
