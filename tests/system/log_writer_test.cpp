#include "backoff_actor/sinks/log_writer.hpp"

#include "common/becomes_true.hpp"
#include "common/metric_value.hpp"
#include "common/patience.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace backoff_actor::log_writer_test {

namespace {

using namespace std::chrono_literals;
using test::becomes_true;
using ::testing::HasSubstr;

// What a log has written.
class Written {
public:
  LogWriter::Write write() {
    return [this](std::string_view lines) {
      const std::lock_guard lock{mutex_};
      text_ += lines;
    };
  }

  std::string text() const {
    const std::lock_guard lock{mutex_};
    return text_;
  }

  std::size_t count(std::string_view part) const {
    const auto all = text();
    std::size_t result = 0;
    for (auto at = all.find(part); at != all.npos; at = all.find(part, at + part.size()))
      ++result;
    return result;
  }

private:
  mutable std::mutex mutex_;
  std::string text_;
};

// A place to write to that is blocked until it is let go.
class Blocked {
public:
  LogWriter::Write write(Written& written) {
    return [this, to = written.write()](std::string_view lines) {
      has_begun_.set_value_once();
      free_.wait();
      to(lines);
    };
  }
  bool has_begun() { return has_begun_.wait(); }
  void let_go() { promise_.set_value(); }

private:
  struct Once {
    std::promise<void> promise;
    std::once_flag flag;
    void set_value_once() {
      std::call_once(flag, [this] { promise.set_value(); });
    }
    bool wait() {
      return promise.get_future().wait_for(test::patience) == std::future_status::ready;
    }
  };

  Once has_begun_;
  std::promise<void> promise_;
  std::shared_future<void> free_{promise_.get_future()};
};

const Event crash = [] {
  Event result{event::ChildDown{{}, 3, {7, "reset"}, true}};
  result.of = {"billing", 17};
  return result;
}();

} // namespace

TEST(log_writer, writes_a_line_for_each_event_of_any_kind) {
  Written written;
  {
    LogWriter log{{}, written.write()};
    const auto hook = log.hook();
    hook(crash);
    hook(SupervisorEvent{supervisor_event::Started{}});
    hook(GuardEvent{event::BreakerClosed{{}, true}});
    EXPECT_EQ(log.left_out(), 0u);
  }
  EXPECT_EQ(written.count("\n"), 3u) << "all before the writer is gone";
  EXPECT_EQ(written.count("Z warning billing#17: child 3 down: reset\n"), 1u);
  EXPECT_EQ(written.count("Z info "), 2u);
}

TEST(log_writer, leaves_out_what_is_below_its_severity) {
  Written written;
  {
    LogWriter log{{.at_least = Severity::error, .format = LogFormat::json}, written.write()};
    log.hook()(crash);
    log.hook()(Event{event::GaveUp{{}, {7, "reset"}}});
  }
  EXPECT_EQ(written.count("\n"), 1u);
  EXPECT_THAT(written.text(), HasSubstr(R"("level":"error","event":"gave_up","cause":"reset"})"));
}

TEST(log_writer, fits_every_hook) {
  LogWriter log{{}, [](std::string_view) {}};
  const EventHook of_senders = log.hook();
  const SupervisorEventHook of_supervisors = log.hook();
  const GuardHook of_guards = log.hook();
  EXPECT_TRUE(of_senders && of_supervisors && of_guards);
}

TEST(log_writer, never_waits_for_the_place_and_says_how_many_lines_are_missing) {
  Written written;
  Blocked place;
  {
    LogWriter log{{.max_per_second = 1'000'000, .capacity = 100}, place.write(written)};
    const auto hook = log.hook();
    hook(crash);
    ASSERT_TRUE(place.has_begun());
    for (int i = 0; i != 1000; ++i)
      hook(crash); // would never return if it waited
    EXPECT_EQ(log.left_out(), 900u);
    place.let_go();
  }
  EXPECT_EQ(written.count("child 3 down"), 101u);
  EXPECT_EQ(written.count("Z warning log: lines left out: 900\n"), 1u);
}

TEST(log_writer, shows_an_observatory_how_many_lines_are_missing) {
  const Observatory observatory;
  Written written;
  LogWriter log{{.max_per_second = 1, .observed_by = observatory}, written.write()};
  const auto hook = log.hook();
  for (int i = 0; i != 100; ++i)
    hook(crash);
  EXPECT_GT(log.left_out(), 0u);
  EXPECT_EQ(testing::value_of(observatory.metrics(), "backoff_observer_dropped_total",
                              {{"what", "log line"}}),
            static_cast<double>(log.left_out()));
}

TEST(log_writer, writes_no_more_in_a_second_than_it_may) {
  Written written;
  LogWriter log{{.max_per_second = 10}, written.write()};
  const auto hook = log.hook();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i != 1000; ++i)
    hook(crash);
  const auto seconds = std::chrono::steady_clock::now() - begin < 1s ? 1u : 10u; // a busy machine
  EXPECT_TRUE(becomes_true([&] { return written.count("lines left out: ") >= 1; }))
    << "although nothing comes after them";
  EXPECT_GE(written.count("child 3 down"), 10u);
  EXPECT_LE(written.count("child 3 down"), 10u * seconds);
  EXPECT_EQ(written.count("child 3 down") + log.left_out(), 1000u);
  EXPECT_TRUE(becomes_true([&] {
    hook(crash);
    return written.count("child 3 down") >= 11;
  }))
    << "in the next second it goes on";
}

TEST(log_writer, ends_in_time_though_the_place_stays_blocked) {
  Written written;
  Blocked place;
  std::optional<LogWriter> log;
  log.emplace(LogOptions{.patience = 50ms}, place.write(written));
  const auto hook = log->hook();
  hook(crash);
  ASSERT_TRUE(place.has_begun());
  hook(crash);
  log.reset();
  hook(crash); // does nothing
  place.let_go();
  EXPECT_TRUE(becomes_true([&] { return written.count("child 3 down") == 1; }));
}

TEST(log_writer, counts_lines_that_could_not_be_written) {
  std::atomic<int> calls = 0;
  LogWriter log{{}, [&](std::string_view) {
                  if (++calls == 1)
                    throw std::runtime_error("no space left");
                }};
  log.hook()(crash);
  EXPECT_TRUE(becomes_true([&] { return log.left_out() == 1; }));
  EXPECT_TRUE(becomes_true([&] { return calls >= 2; })) << "it tells of the lost line";
}

TEST(log_writer, takes_lines_of_many_threads) {
  Written written;
  {
    LogWriter log{{.max_per_second = 1'000'000, .patience = test::patience}, written.write()};
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i)
      threads.emplace_back([hook = log.hook()] {
        for (int j = 0; j != 2000; ++j)
          hook(crash);
      });
    for (auto& thread : threads)
      thread.join();
    EXPECT_EQ(log.left_out(), 0u);
  }
  EXPECT_EQ(written.count("Z warning billing#17: child 3 down: reset\n"), 8000u);
}

TEST(log_writer, cannot_be_made_with_options_that_are_wrong) {
  try {
    LogWriter log{{.max_per_second = 0, .capacity = 2'000'000, .patience = -1s}};
    FAIL() << "it was made";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "LogOptions: max_per_second: got 0, allowed 1..1000000\n"
                               "LogOptions: capacity: got 2000000, allowed 1..1000000\n"
                               "LogOptions: patience: got -1s, allowed 0ns or more");
  }
}

} // namespace backoff_actor::log_writer_test
