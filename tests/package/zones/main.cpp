// A stranger's program: when something is due in a night without that time, without CAF.

#include <backoff_actor/zones/find_zone.hpp>

#include <cstdio>
#include <string>

int main() {
  using namespace backoff_actor;
  const auto nightly = parse_schedule("at(02:30, Europe/Berlin)");
  const WallTime evening_before{1'774'720'800'000'000'000}; // 2026-03-28T18:00:00Z
  const auto next = nightly.next_after(evening_before);
  std::printf("%s\n", next ? to_string(*next).c_str() : "never");
}
