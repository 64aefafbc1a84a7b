// Readers that never rest, while writers come, publish and go on other threads.

#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include "common/metric_value.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace backoff_actor::sinks_test {

using testing::count_of;
using testing::value_of;

constexpr std::uint64_t lives = 300;   // of each writer
constexpr std::uint64_t messages = 20; // in each life

// A sender that comes, acknowledges its messages and goes, again and again.
void live(const Observatory& observatory, const std::string& kind) {
  for (std::uint64_t life = 0; life < lives; ++life) {
    detail::SenderSeat seat{observatory.state()->senders(kind), life};
    SenderGlance glance;
    for (std::uint64_t i = 0; i < messages; ++i) {
      ++glance.counters.accepted;
      ++glance.counters.acknowledged;
      seat.note_acknowledged(Instant{Duration{i}}, Instant{}, Instant{});
      seat.publish(glance, Instant{});
    }
  }
}

// The counts that one reader saw last.
class Reader {
public:
  explicit Reader(Observatory observatory) : observatory_(std::move(observatory)) {}

  // Returns whether a count has fallen.
  bool look() {
    const auto metrics = observatory_.metrics(Instant{});
    auto result = false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const testing::LabelValues kind{{"sender", kinds[i]}};
      const auto acknowledged = value_of(metrics, "backoff_sender_acknowledged_total", kind);
      const auto times = count_of(metrics, "backoff_delivery_seconds", kind);
      result |= acknowledged.value_or(0) < std::exchange(last_[i], acknowledged.value_or(0));
      result |= times.value_or(0) < std::exchange(last_times_[i], times.value_or(0));
    }
    static_cast<void>(observatory_.status(3, Instant{}));
    static_cast<void>(observatory_.readiness(Instant{}));
    return result;
  }

  static constexpr std::array<const char*, 2> kinds{"orders", "bills"};

private:
  Observatory observatory_;
  std::array<double, kinds.size()> last_{};
  std::array<std::uint64_t, kinds.size()> last_times_{};
};

TEST(observatory_threads, no_count_falls_while_senders_come_and_go) {
  const Observatory observatory;
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> looks{0};
  std::atomic<std::uint64_t> falls{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      Reader reader{observatory};
      do {
        falls += reader.look() ? 1 : 0;
        ++looks;
      } while (!is_over);
    });
  std::vector<std::thread> writers;
  for (int i = 0; i < 2; ++i)
    for (const auto* kind : Reader::kinds)
      writers.emplace_back([&, kind] { live(observatory, kind); });
  for (auto& writer : writers)
    writer.join();
  is_over = true;
  for (auto& reader : readers)
    reader.join();

  EXPECT_EQ(falls, 0u);
  EXPECT_GE(looks, 2u);
  const auto metrics = observatory.metrics(Instant{});
  for (const auto* kind : Reader::kinds) {
    EXPECT_EQ(value_of(metrics, "backoff_sender_acknowledged_total", {{"sender", kind}}),
              2 * lives * messages);
    EXPECT_EQ(count_of(metrics, "backoff_delivery_seconds", {{"sender", kind}}),
              2 * lives * messages);
  }
  EXPECT_TRUE(observatory.status(1, Instant{}).senders.empty());
}

} // namespace backoff_actor::sinks_test
