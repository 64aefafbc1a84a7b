#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>

namespace backoff_actor::kit_test {

/// What GoogleTest prints of the one expectation that fails in `check`, which is no failure then;
/// without the type of the value, which it adds to some.
template <class Check>
std::string failure_of(const Check& check) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter{
      ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results};
    check();
  }
  EXPECT_EQ(results.size(), 1);
  std::string text = results.size() == 1 ? results.GetTestPartResult(0).message() : "";
  if (const auto type = text.find(" (of type "); type != std::string::npos)
    text.erase(type, text.find(')', type) + 1 - type);
  return text;
}

} // namespace backoff_actor::kit_test
