#!/usr/bin/env bash
# rapidcheck (Debian 12): its arbitrary strings have no zero byte, its doubles are never NaN, infinite or above 2^63, and inRange begins at
# one end.
#
# One would guess that "arbitrary" means any value of the type, with more of the awkward ones, as in Hypothesis. But a character of a string
# is drawn from all but zero, a double is never larger than an integer of 64 bits, and the extremes of an integer come only by chance.
# inRange(a, b) grows with the case: the first tenth of 100 cases stays below a tenth of the range. So a property "what is written is read
# again" that held in 100,000 cases has never seen a zero byte, NaN, infinity or the largest integer. Draw them by hand: gen::element for
# values, gen::inRange for bytes, gen::resize for the size.
#
# Seen: librapidcheck-dev 0~1033-08b5058-3, g++ 12.2, 100,000 cases with seed 2: 255 of 256 bytes, zero is missing; no double that is not
# finite, the largest 9.2e18; neither extreme of int64_t. In 100 cases the first ten numbers of inRange(0, 1000000) are below 100,000.
#
# Needs Debian 12 (apt-get), g++, dpkg-deb. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

apt-get -o APT::Sandbox::User=root download -qq librapidcheck-dev=0~1033-08b5058-3 >/dev/null
dpkg-deb --extract librapidcheck-dev_*.deb library

cat >look.cpp <<'CPP'
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <set>
#include <string>

int main() {
  std::set<unsigned char> bytes;
  double largest = 0;
  long not_finite = 0;
  long extremes = 0;
  setenv("RC_PARAMS", "max_success=100000 seed=2", 1);
  rc::check("all kinds", [&] {
    const auto text = *rc::gen::arbitrary<std::string>();
    bytes.insert(text.begin(), text.end());
    const auto number = *rc::gen::arbitrary<double>();
    not_finite += std::isfinite(number) ? 0 : 1;
    largest = std::max(largest, std::abs(number));
    const auto integer = *rc::gen::arbitrary<std::int64_t>();
    using Limits = std::numeric_limits<std::int64_t>;
    extremes += integer == Limits::min() || integer == Limits::max() ? 1 : 0;
  });
  std::cout << bytes.size() << " different bytes in strings, zero among them: " << bytes.count(0) << "\ndoubles that are not finite: "
            << not_finite << ", the largest " << largest << "\nextremes of int64_t: " << extremes << '\n';
  return bytes.size() == 255 && bytes.count(0) == 0 && not_finite == 0 && largest < std::pow(2, 63) && extremes == 0 ? 0 : 1;
}
CPP
cat >range.cpp <<'CPP'
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

int main() {
  setenv("RC_PARAMS", "seed=2", 1);
  std::vector<int> numbers;
  rc::check("a range", [&] { numbers.push_back(*rc::gen::inRange(0, 1'000'000)); });
  const auto first = *std::max_element(numbers.begin(), numbers.begin() + 10);
  const auto last = *std::max_element(numbers.end() - 10, numbers.end());
  std::cout << numbers.size() << " cases; the largest of the first ten: " << first << ", of the last ten: " << last << '\n';
  return numbers.size() == 100 && first < 100'000 && last > 500'000 ? 0 : 1;
}
CPP
lib=$(dirname "$(find library -name 'librapidcheck.a')")
for name in look range; do
  g++ -std=c++17 -O1 -isystem library/usr/include "$name.cpp" -o "$name" -L"$lib" -lrapidcheck
done
./look
./range
