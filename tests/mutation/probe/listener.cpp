// Built into each test program of the copy: writes down which mutants each test reaches, and how
// long it takes.

#include "mutation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace mutation {

namespace {

class Recorder : public ::testing::EmptyTestEventListener {
public:
  explicit Recorder(const char* path) : out_(path) {}

private:
  void OnTestProgramStart(const ::testing::UnitTest&) override { keep(of_all_); }

  void OnTestSuiteStart(const ::testing::TestSuite&) override { keep(before_); }

  void OnTestStart(const ::testing::TestInfo&) override {
    keep(before_);
    if (is_first_)
      std::memcpy(of_suite_, before_, most);
    is_first_ = false;
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    out_ << test.test_suite_name() << '.' << test.name() << '\t' << test.result()->elapsed_time();
    for (int i = 0; i < most; ++i)
      if (marks()[i] != 0 || of_suite_[i] != 0 || of_all_[i] != 0)
        out_ << '\t' << i;
    out_ << std::endl;
  }

  void OnTestSuiteEnd(const ::testing::TestSuite&) override { is_first_ = true; }

  // What was reached since the last call.
  static void keep(unsigned char* where) {
    std::memcpy(where, marks(), most);
    std::memset(marks(), 0, most);
  }

  std::ofstream out_;
  unsigned char of_all_[most]{};   // before the first test, by what all tests share
  unsigned char of_suite_[most]{}; // by what all tests of a suite share
  unsigned char before_[most]{};
  bool is_first_ = true;
};

const bool is_recorded = [] {
  if (const char* const path = std::getenv("MUTATION_RECORD")) {
    ::testing::UnitTest::GetInstance()->listeners().Append(new Recorder{path});
    unsetenv("MUTATION_RECORD"); // a test may start this program once more
  }
  return true;
}();

} // namespace

} // namespace mutation
