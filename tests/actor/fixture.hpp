#pragma once

#include "fragile.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::actor_test {

using namespace std::chrono_literals;
using testing::Act;
using testing::Birth;
using testing::Danger;
using ::testing::ElementsAre;
using testing::EventLog;
using testing::FaultScript;
using ::testing::IsEmpty;
using testing::VirtualTime;

using Strings = std::vector<std::string>;

/// A worker that never fails.
class Echo : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& text) { return text; }};
  }
};

/// A client that uses plain sends and keeps what comes back. It writes into `received` as long as
/// it lives.
class PlainClient : public caf::event_based_actor {
public:
  PlainClient(caf::actor_config& config, caf::actor receiver, std::shared_ptr<Strings> received)
    : caf::event_based_actor(config), receiver_(std::move(receiver)),
      received_(std::move(received)) {}

  caf::behavior make_behavior() override {
    return {
      [this](const std::string& answer) { received_->push_back(answer); },
      [this](std::uint64_t number) { send(receiver_, std::to_string(number)); },
    };
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  caf::actor receiver_;
  std::shared_ptr<Strings> received_;
};

/// A sender in virtual time with scripted children. Its waits are 10, 30, 70, 150, 310, 630 and
/// 1270 ms.
class SenderTest : public ::testing::Test {
protected:
  static SenderOptions default_options() {
    SenderOptions options;
    options.backoff.seed = 72451;
    options.backoff.stream = 0;
    return options;
  }

  void start(FaultScript script, SenderOptions options = default_options()) {
    danger = Danger{std::move(script)};
    start_with(danger.factory(), std::move(options));
  }

  void start_with(ChildFactory factory, SenderOptions options = default_options()) {
    options.on_event = log.hook();
    sender = time.keep(spawn_back_off_sender(time.system(), std::move(factory), options));
    time.run();
  }

  std::shared_ptr<testing::Answer<std::string>> ask(const std::string& text) {
    auto answer = time.ask<std::string>(sender, text);
    time.run();
    return answer;
  }

  /// Spawns a client that uses plain sends; tell it a number to make it send that as text.
  caf::actor plain_client(const std::shared_ptr<Strings>& received) {
    return time.keep(time.system().spawn<PlainClient>(sender, received));
  }

  void TearDown() override {
    if (HasFailure())
      std::printf("%s", log.timeline().substr(0, 4000).c_str());
    sender = nullptr;
  }

  std::size_t crashes() const { return log.count<event::ChildDown>(); }
  std::size_t retries() const { return log.count<event::RetryScheduled>(); }

  EventLog log;
  Danger danger;
  VirtualTime time{
    [](caf::actor_system_config& config) { init<caf::id_block::backoff_actor_tests>(config); }};
  caf::actor sender;
};

} // namespace backoff_actor::actor_test
