#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>

namespace backoff_actor::kit_test {

/// What GoogleTest prints of the one expectation that fails in `check`, which is no failure then.
template <class Check>
std::string failure_of(const Check& check) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter{
      ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results};
    check();
  }
  EXPECT_EQ(results.size(), 1);
  return results.size() == 1 ? results.GetTestPartResult(0).message() : "";
}

} // namespace backoff_actor::kit_test
