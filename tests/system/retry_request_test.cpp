// Retried requests in real time, from blocking actors and by the thousand.

#include "common/patience.hpp"
#include "system.hpp"

#include <caf/sec.hpp>

#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

class RetryRequestInRealTime : public System {};

// Answers every third request with the number, and the others with an error or, if told to, not at
// all.
class Moody : public caf::event_based_actor {
public:
  Moody(caf::actor_config& config, bool is_silent)
    : caf::event_based_actor(config), is_silent_(is_silent) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t number) -> caf::result<std::uint64_t> {
      if (++asked_ % 3 == 0)
        return number;
      if (!is_silent_)
        return caf::make_error(caf::sec::runtime_error);
      silent_.push_back(make_response_promise());
      return caf::delegated<std::uint64_t>{};
    }};
  }

  void on_exit() override { silent_.clear(); }

private:
  bool is_silent_;
  std::uint64_t asked_ = 0;
  std::vector<caf::response_promise> silent_;
};

TEST_F(RetryRequestInRealTime, works_for_a_blocking_actor) {
  const auto target = system->spawn<Moody>(true);
  caf::scoped_actor self{*system};
  std::optional<RetriedReply> got;
  retry_request(self, target, Fixed{1ms}, {.attempt_timeout = 10ms}, {}, std::uint64_t{7})
    .receive([&](const RetriedReply& reply) { got = reply; }, [](const caf::error&) {});
  self->send_exit(target, caf::exit_reason::user_shutdown);

  ASSERT_TRUE(got);
  EXPECT_EQ(got->attempts % 3, 0u) << "more than 3 only if the machine is very slow";
  EXPECT_EQ(got->value.get_as<std::uint64_t>(0), 7u);
  EXPECT_GE(got->elapsed, 22ms);
}

TEST_F(RetryRequestInRealTime, ends_with_the_blocking_actor_that_made_it) {
  const auto target = system->spawn<Moody>(true);
  {
    caf::scoped_actor self{*system};
    retry_request(self, target, Fixed{1h}, {}, {}, std::uint64_t{7});
    retry_request(self, target, Fixed{1h}, {.attempt_timeout = 1ms}, {}, std::uint64_t{7});
    retry_request(self, target, Fixed{1h}, {.attempt_timeout = 1h}, {}, std::uint64_t{7});
  }
  caf::anon_send_exit(target, caf::exit_reason::kill);
  go_down();
}

// Waits for two requests that will never be answered.
class Hopeful : public caf::event_based_actor {
public:
  Hopeful(caf::actor_config& config, caf::actor target, std::promise<void>* waits)
    : caf::event_based_actor(config), target_(std::move(target)), waits_(waits) {}

  caf::behavior make_behavior() override {
    for (const Limits& limits : {Limits{}, Limits{.attempt_timeout = std::chrono::hours{1}}})
      retry_request(this, target_, Fixed{1h}, limits, {}, std::uint64_t{7})
        .then([](const RetriedReply&) {});
    waits_->set_value();
    return {};
  }

  void on_exit() override { target_ = nullptr; }

private:
  caf::actor target_;
  std::promise<void>* waits_;
};

TEST_F(RetryRequestInRealTime, goes_down_with_a_caller_that_is_told_to_end) {
  std::promise<void> waits;
  {
    const auto target = system->spawn<Moody>(true);
    const auto caller = system->spawn<Hopeful>(target, &waits);
    waits.get_future().wait();
    caf::anon_send_exit(caller, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(target, caf::exit_reason::user_shutdown);
  }
  go_down();
}

// Has many requests open at once, and counts the right answers.
class Impatient : public caf::event_based_actor {
public:
  Impatient(caf::actor_config& config, std::vector<caf::actor> targets, std::uint64_t count,
            std::atomic<std::uint64_t>* right)
    : caf::event_based_actor(config), targets_(std::move(targets)), count_(count), right_(right) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < count_; ++i)
      retry_request(this, targets_[i % targets_.size()], Fixed{100us} | full_jitter,
                    {.attempt_timeout = test::patience}, {}, i)
        .then([this, i](const RetriedReply& reply) {
          if (reply.value.match_elements<std::uint64_t>()
              && reply.value.get_as<std::uint64_t>(0) == i)
            ++*right_;
        });
    return {};
  }

  void on_exit() override { targets_.clear(); }

private:
  std::vector<caf::actor> targets_;
  std::uint64_t count_;
  std::atomic<std::uint64_t>* right_;
};

TEST_F(RetryRequestInRealTime, thousands_at_once_all_get_their_own_answers) {
  std::atomic<std::uint64_t> right{0};
  {
    std::vector<caf::actor> targets;
    for (int i = 0; i < 4; ++i)
      targets.push_back(system->spawn<Moody>(false));
    for (int i = 0; i < 8; ++i)
      system->spawn<Impatient>(targets, 500u, &right);
  }
  go_down();

  EXPECT_EQ(right, 4000u);
}

// Ends while its requests are being tried.
class ShortLived : public caf::event_based_actor {
public:
  ShortLived(caf::actor_config& config, caf::actor target)
    : caf::event_based_actor(config), target_(std::move(target)) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < 10; ++i)
      retry_request(this, target_, Fixed{50us}, {}, {}, i).then([this](const RetriedReply&) {
        quit();
      });
    return {};
  }

  void on_exit() override { target_ = nullptr; }

private:
  caf::actor target_;
};

TEST_F(RetryRequestInRealTime, callers_and_targets_that_end_at_any_time_leave_nothing_behind) {
  for (int i = 0; i < 200; ++i) {
    const auto target = system->spawn<Moody>(i % 2 == 0);
    const auto caller = system->spawn<ShortLived>(target);
    caf::anon_send_exit(i % 4 < 2 ? caller : target, caf::exit_reason::kill);
    caf::anon_send_exit(target, caf::exit_reason::user_shutdown);
  }
  go_down();
}

} // namespace backoff_actor::system_test
