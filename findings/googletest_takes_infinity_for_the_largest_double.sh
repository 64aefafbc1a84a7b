#!/usr/bin/env bash
# GoogleTest 1.12.1: EXPECT_DOUBLE_EQ(infinity, DBL_MAX) passes.
#
# One would guess that it fails: "almost equal" allows for rounding in the last places, and infinity is no result of rounding. But the
# macro and the matcher DoubleEq count the representations between two numbers, up to four, and infinity is the representation that
# follows the largest finite double. So a test that says "a delay that is too long is cut to the largest value" passes for code that
# overflows. EXPECT_EQ, EXPECT_NEAR, or EXPECT_TRUE(std::isfinite(x)) beside it, tell the two apart.
#
# Seen: libgtest-dev and libgmock-dev 1.12.1-0.2, g++ 12.2. Infinity and the largest value: equal for EXPECT_DOUBLE_EQ, EXPECT_FLOAT_EQ
# and DoubleEq, not for EXPECT_EQ and EXPECT_NEAR. 1.0 and a number that is greater by five steps: equal for none.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq libgtest-dev=1.12.1-0.2 libgmock-dev=1.12.1-0.2 >/dev/null
for package in ./*.deb; do
  dpkg-deb --extract "$package" library
done

cat >look.cpp <<'CPP'
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <iostream>
#include <limits>
#include <string>

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T most = std::numeric_limits<T>::max();

// Whether the expectations of a function hold; their failures are not reported.
template <class Expectations>
bool hold(Expectations expectations) {
  testing::TestPartResultArray failures;
  {
    using Reporter = testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter{Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures};
    expectations();
  }
  return failures.size() == 0;
}

std::string seen;

TEST(Infinity, is_compared) {
  const auto note = [](bool is_equal) { seen += is_equal ? "equal " : "different "; };
  note(hold([] { EXPECT_DOUBLE_EQ(infinity<double>, most<double>); }));
  note(hold([] { EXPECT_FLOAT_EQ(infinity<float>, most<float>); }));
  note(hold([] { EXPECT_THAT(infinity<double>, testing::DoubleEq(most<double>)); }));
  note(hold([] { EXPECT_EQ(infinity<double>, most<double>); }));
  note(hold([] { EXPECT_NEAR(infinity<double>, most<double>, 1e300); }));
  note(hold([] { EXPECT_DOUBLE_EQ(1.0 + 5 * std::numeric_limits<double>::epsilon(), 1.0); }));
}

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  std::cout << "DOUBLE_EQ, FLOAT_EQ, DoubleEq, EQ, NEAR; DOUBLE_EQ of 1 and five steps above: " << seen << '\n';
  return failed == 0 && seen == "equal equal equal different different different " ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'libgtest.a')")
g++ -std=c++17 -O0 -isystem library/usr/include look.cpp -o look -L"$lib" -lgmock -lgtest -pthread
./look
