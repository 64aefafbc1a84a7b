#pragma once

/// @file
/// A fixture for GoogleTest, and a guard that prints the timeline of a failed test. testing.hpp
/// does not include it.

#if !__has_include(<gtest/gtest.h>)
#error "backoff_actor/testing/gtest.hpp needs GoogleTest (gtest/gtest.h)"
#endif

#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/testing/record/event_claims.hpp"
#include "backoff_actor/testing/record/event_log.hpp"
#include "backoff_actor/testing/time/virtual_time.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace backoff_actor::testing {

/// Prints the end of a log's timeline if the running test fails. Its destructor does that, if an
/// expectation failed during the life of this object, or an exception ends its scope. It prints
/// nothing if a failed matcher has already shown the whole log.
///
/// For your own fixtures: make it the last member. `VirtualTimeTest` has one.
///
/// @thread that of the test
class TimelineOnFailure {
public:
  /// Watches the running test from now on.
  explicit TimelineOnFailure(const EventLog& log) : log_(log), begin_(parts()) {}

  TimelineOnFailure(const TimelineOnFailure&) = delete;
  TimelineOnFailure& operator=(const TimelineOnFailure&) = delete;

  /// Prints to the standard output, as GoogleTest does.
  ~TimelineOnFailure() {
    if ((has_failed() || std::uncaught_exceptions() > exceptions_) && !log_.is_shown())
      print();
  }

private:
  static const ::testing::TestResult* result() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return test ? test->result() : nullptr;
  }

  static int parts() { return result() ? result()->total_part_count() : 0; }

  bool has_failed() const {
    for (auto i = begin_; i < parts(); ++i)
      if (result()->GetTestPartResult(i).failed())
        return true;
    return false;
  }

  void print() const {
    std::printf("timeline:\n%s", log_.timeline(Finding::shown_lines).c_str());
    std::fflush(stdout);
    log_.set_shown();
  }

  const EventLog& log_; // not a copy: a test may assign another log
  int begin_;           // the first test result during this object's life
  int exceptions_ = std::uncaught_exceptions();
};

/// A seed for a random test: a new one in every run, or the value of the environment variable
/// `BACKOFF_ACTOR_SEED`. Its destructor prints the value of the variable that repeats the run, if
/// the test has failed, or an exception ends the scope.
///
///     const RandomSeed seed;
///     const Faults faults{FaultPlan{"random(crash 10%)"}.with_seed(seed)};
///
/// @errors throws `InvalidArgument` if the variable holds no number.
/// @thread that of the test
class RandomSeed {
public:
  /// Draws the seed, or takes it from the environment.
  RandomSeed() {
    const auto* const given = std::getenv("BACKOFF_ACTOR_SEED");
    if (!given) {
      value_ = std::random_device{}();
      return;
    }
    const std::string_view text{given};
    const auto* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, value_);
    Problems problems;
    if (error != std::errc{} || last != end)
      problems.add("BACKOFF_ACTOR_SEED", std::string{text}, "0..18446744073709551615");
    problems.raise_if_any();
  }

  RandomSeed(const RandomSeed&) = delete;
  RandomSeed& operator=(const RandomSeed&) = delete;

  /// Prints to the standard output, as GoogleTest does.
  ~RandomSeed() {
    if (!::testing::Test::HasFailure() && std::uncaught_exceptions() == exceptions_)
      return;
    std::printf("BACKOFF_ACTOR_SEED=%s repeats this run\n", std::to_string(value_).c_str());
    std::fflush(stdout);
  }

  /// The seed.
  operator std::uint64_t() const { return value_; } // NOLINT(google-explicit-constructor)

private:
  std::uint64_t value_ = 0;
  int exceptions_ = std::uncaught_exceptions();
};

/// A test in virtual time, with a log whose timeline is printed if the test fails:
///
///     class Orders : public VirtualTimeTest {};
///
///     TEST_F(Orders, outlive_a_crash) {
///       const auto sender = start_sender(child_of<Worker>());
///       const auto answer = ask<std::string>(sender, std::string{"order"});
///       time.advance(1h);
///       EXPECT_THAT(answer, Answered("done"));
///       EXPECT_THAT(log, SawInOrder(child_down, retry_scheduled, acknowledged));
///     }
class VirtualTimeTest : public ::testing::Test {
protected:
  /// Makes the actor system. `configure` may register your own message types, see `VirtualTime`.
  explicit VirtualTimeTest(const std::function<void(caf::actor_system_config&)>& configure = {})
    : time{configure} {}

  /// Starts a sender and lets the actors work. Its events go to the log under `name`, and to the
  /// hook of the options if they have one. Its draws are the same in every run: unless the options
  /// set them, the seed is 1, and the stream is the number of senders started before.
  caf::actor start_sender(ChildFactory make_child, SenderOptions options = {},
                          std::string name = {}) {
    prepare(options, std::move(name));
    return started(spawn_back_off_sender(time.system(), std::move(make_child), std::move(options)));
  }

  /// Makes a request, see `VirtualTime::ask`, and lets the actors work.
  template <class T, class Handle, class... Ts>
  std::shared_ptr<Answer<T>> ask(const Handle& receiver, Ts... values) {
    auto answer = time.ask<T>(receiver, std::move(values)...);
    time.run();
    return answer;
  }

  EventLog log;     ///< of the senders that `start_sender` started; use its hook for others
  VirtualTime time; ///< the actor system

private:
  void prepare(SenderOptions& options, std::string name) {
    if (!options.seed)
      options.seed = 1;
    if (!options.stream)
      options.stream = senders_;
    ++senders_;
    auto hook = log.hook(std::move(name));
    if (options.on_event)
      hook = [first = std::move(hook), second = std::move(options.on_event)](const Event& event) {
        first(event);
        second(event);
      };
    options.on_event = std::move(hook);
  }

  caf::actor started(const caf::actor& sender) {
    time.keep(sender);
    time.run();
    return sender;
  }

  std::uint64_t senders_ = 0; // how many were started
  TimelineOnFailure timeline_on_failure_{log};
};

} // namespace backoff_actor::testing
