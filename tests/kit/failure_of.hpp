#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>

namespace backoff_actor::kit_test {

/// What GoogleTest prints of the one expectation that fails in `check`, which is no failure then.
template <class Check>
std::string message_of(const Check& check) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter{
      ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results};
    check();
  }
  EXPECT_EQ(results.size(), 1);
  return results.size() == 1 ? results.GetTestPartResult(0).message() : "";
}

/// The same without the type of the value, which GoogleTest adds to some, and without the end of
/// the line that newer versions add to all.
template <class Check>
std::string failure_of(const Check& check) {
  auto text = message_of(check);
  if (text.ends_with('\n') && message_of([] { ADD_FAILURE(); }).ends_with('\n'))
    text.pop_back();
  if (const auto type = text.find(" (of type "); type != std::string::npos)
    text.erase(type, text.find(')', type) + 1 - type);
  return text;
}

} // namespace backoff_actor::kit_test
