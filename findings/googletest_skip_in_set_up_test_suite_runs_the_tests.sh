#!/usr/bin/env bash
# GoogleTest 1.12.1: GTEST_SKIP() in SetUpTestSuite() prints "Skipped", and then all tests of the suite run.
#
# One would guess that it skips the suite: in SetUp() it skips the test, and a failure (FAIL(), a failed ASSERT) in SetUpTestSuite() has all
# tests of the suite skipped. But a skip there is only printed. A suite that is to be left out where there is no database, no GPU or
# no licence runs without what it needs: at best it fails; where it writes to a default, it does its work in the wrong place, and the log
# says "Skipped". GTEST_SKIP() in SetUp(), after a look at a static variable, does what is meant.
#
# Our tests with a server skip in each test (tests/store/postgres/fixture.hpp).
#
# Seen: libgtest-dev 1.12.1-0.2, g++ 12.2. A skip in SetUp(): 0 of 2 tests run; a failure in SetUpTestSuite(): 0 of 2; a skip in
# SetUpTestSuite(): 2 of 2, and both are "OK".
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libgtest-dev=1.12.1-0.2 >/dev/null
dpkg-deb --extract libgtest-dev_*.deb library

cat >look.cpp <<'CPP'
#include <gtest/gtest.h>

#include <iostream>

int in_test = 0;
int after_failure = 0;
int after_skip = 0;

struct SkipInTest : testing::Test {
  void SetUp() override { GTEST_SKIP() << "no database"; }
};
TEST_F(SkipInTest, one) { ++in_test; }
TEST_F(SkipInTest, two) { ++in_test; }

struct FailureInSuite : testing::Test {
  static void SetUpTestSuite() { FAIL() << "no database"; }
};
TEST_F(FailureInSuite, one) { ++after_failure; }
TEST_F(FailureInSuite, two) { ++after_failure; }

struct SkipInSuite : testing::Test {
  static void SetUpTestSuite() { GTEST_SKIP() << "no database"; }
};
TEST_F(SkipInSuite, one) { ++after_skip; }
TEST_F(SkipInSuite, two) { ++after_skip; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS(); // the failure in a suite
  std::cout << "of 2 tests ran: skip in SetUp() " << in_test << ", failure in SetUpTestSuite() " << after_failure
            << ", skip in SetUpTestSuite() " << after_skip << '\n';
  return failed == 1 && in_test == 0 && after_failure == 0 && after_skip == 2 ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libgtest.a')")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -lgtest -pthread
./look
