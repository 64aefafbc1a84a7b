#pragma once

#include "fragile.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/actor/internal/requesting_actor.hpp>
#include <backoff_actor/caf/sender/internal/sender_settings.hpp>
#include <backoff_actor/testing/gtest.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::actor_test {

using namespace std::chrono_literals;
using testing::Birth;
using testing::BirthPlan;
using testing::DangerousActor;
using ::testing::ElementsAre;
using testing::EventLog;
using testing::Fault;
using testing::FaultPlan;
using ::testing::HasSubstr;
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

/// What the engine of a sender with these options is told.
inline EngineOptions engine_options(const SenderOptions& options) {
  return detail::SenderSettings{{}, options}.engine_options;
}

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

/// Says what it is made with by plain sends, and keeps what comes back of it.
class Bystander : public compat::RequestingActor {
public:
  using Work = std::function<void(caf::event_based_actor*)>;

  Bystander(caf::actor_config& config, Work work, std::shared_ptr<Strings> heard)
    : RequestingActor(config), work_(std::move(work)), heard_(std::move(heard)) {}

  caf::behavior make_behavior() override {
    std::exchange(work_, nullptr)(this);
    return complete(
      [this](const SenderStatus& x) { hear("status " + std::string{to_string(x.phase)}); },
      [this](const ChildHandle& x) { hear("child " + std::to_string(x.incarnation)); },
      [this](const Drained& x) { hear("drained, left " + std::to_string(x.left)); },
      [this](const Stopped& x) { hear("stopped, " + std::to_string(x.acknowledged)); },
      [this](const StartedChild& x) { hear("started " + x.id); },
      [this](const Children& x) { hear("children " + std::to_string(x.list.size())); },
      [this](const ChildCounts& x) { hear("specs " + std::to_string(x.specs)); },
      [this](const ChildSpec& x) { hear("spec of " + x.id); },
      [this](const SupervisionTree& x) { hear("tree of " + std::to_string(x.children.size())); });
  }

private:
  void hear(const std::string& what) { heard_->push_back(what); }
  void on_submission(caf::message payload, caf::response_promise) override {
    hear("message " + to_string(payload));
  }
  void on_system_message(caf::message message) override { hear("order " + to_string(message)); }
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  Work work_;
  std::shared_ptr<Strings> heard_;
};

/// Calls what it is made with, and ends when it waits for nothing more and nobody knows it.
class Caller : public caf::event_based_actor {
public:
  using Work = std::function<void(caf::event_based_actor*)>;

  Caller(caf::actor_config& config, Work work)
    : caf::event_based_actor(config), work_(std::move(work)) {}

  caf::behavior make_behavior() override {
    std::exchange(work_, nullptr)(this);
    return {};
  }

private:
  Work work_;
};

/// A target whose behaviour is a function of itself, as an actor of a class.
class Behaving : public caf::event_based_actor {
public:
  using Make = std::function<caf::behavior(caf::event_based_actor*)>;

  Behaving(caf::actor_config& config, Make make)
    : caf::event_based_actor(config), make_(std::move(make)) {
    compat::keep_cause(*this);
  }

  caf::behavior make_behavior() override { return make_(this); }
  void on_exit() override { make_ = nullptr; }

private:
  Make make_;
};

/// Is told of the end of another actor, and keeps the reason. It writes into `reason` as long as it
/// lives.
class Watcher : public compat::RequestingActor {
public:
  Watcher(caf::actor_config& config, const caf::actor& whom,
          std::shared_ptr<std::optional<caf::error>> reason)
    : RequestingActor(config), reason_(std::move(reason)) {
    watch_actor(whom);
  }

  caf::behavior make_behavior() override {
    return complete([](std::uint64_t) {});
  }

private:
  void on_submission(caf::message, caf::response_promise) override {}
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error& reason) override { *reason_ = reason; }

  std::shared_ptr<std::optional<caf::error>> reason_;
};

/// A child that acknowledges explicitly and does what a function says; `self` is the child.
class HandMade : public caf::event_based_actor {
public:
  using Work = std::function<caf::message(caf::event_based_actor* self, const TrackedMsg&)>;

  HandMade(caf::actor_config& config, Work work)
    : caf::event_based_actor(config), work_(std::move(work)) {
    compat::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {[this](const TrackedMsg& delivery) -> caf::result<caf::message> {
      return work_(this, delivery);
    }};
  }

private:
  Work work_;
};

/// A sender in virtual time whose children fail by a plan. Its waits are 10, 30, 70, 150, 310, 630
/// and 1270 ms.
class SenderTest : public testing::VirtualTimeTest {
protected:
  SenderTest() : VirtualTimeTest{register_test_types} {}

  static SenderOptions default_options() {
    SenderOptions options;
    options.seed = 72451;
    options.stream = 0;
    return options;
  }

  /// For children that are given `TrackedMsg`.
  static SenderOptions by_sent() {
    auto options = default_options();
    options.acknowledgement = Acknowledgement::by_sent;
    return options;
  }

  void start(FaultPlan faults, SenderOptions options = default_options()) {
    start(std::move(faults), {}, std::move(options));
  }

  void start(FaultPlan faults, BirthPlan births, SenderOptions options = default_options()) {
    danger = DangerousActor{std::move(faults), std::move(births)};
    start_with(danger.factory(), std::move(options));
  }

  void start_with(ChildFactory factory, SenderOptions options = default_options()) {
    sender = start_sender(std::move(factory), std::move(options));
  }

  /// With children that acknowledge explicitly and do what a function says.
  void start_hand_made(const HandMade::Work& work, SenderOptions options = by_sent()) {
    start_with([work](caf::event_based_actor* self) { return self->spawn<HandMade>(work); },
               std::move(options));
  }

  std::shared_ptr<testing::Answer<std::string>> ask(const std::string& text) {
    auto answer = time.ask<std::string>(sender, text);
    time.run();
    return answer;
  }

  /// Submits a text, as `how` says.
  std::shared_ptr<testing::Answer<std::string>> submit(const std::string& text, Submit how = {}) {
    how.message = caf::make_message(text);
    auto answer = time.ask<std::string>(sender, std::move(how));
    time.run();
    return answer;
  }

  SenderStatus status() {
    const auto answer = time.ask<SenderStatus>(sender, Status{});
    time.run();
    return answer->value.value();
  }

  /// Tells the sender, without being a client.
  template <class Message>
  void tell(Message message) {
    time.tell(sender, std::move(message));
    time.run();
  }

  /// What people read of an error; empty if there is none.
  std::string text_of(const std::optional<caf::error>& error) {
    return error ? render(time.system(), *error) : "";
  }

  /// The name of a sender that has none in its options, nor a worker class.
  std::string name() const { return "sender#" + std::to_string(sender.id()); }

  /// Keeps the exit reason of the sender; nothing as long as it lives.
  std::shared_ptr<std::optional<caf::error>> watch_sender() {
    auto reason = std::make_shared<std::optional<caf::error>>();
    time.keep(time.system().spawn<Watcher>(sender, reason));
    return reason;
  }

  /// The deliveries that were acknowledged, in the order of that.
  std::vector<std::uint64_t> acknowledged() const {
    std::vector<std::uint64_t> result;
    for (const auto& x : log.all<event::Acknowledged>())
      result.push_back(x.delivery);
    return result;
  }

  /// Spawns a client that uses plain sends; tell it a number to make it send that as text.
  caf::actor plain_client(const std::shared_ptr<Strings>& received) {
    return time.keep(time.system().spawn<PlainClient>(sender, received));
  }

  std::size_t crashes() const { return log.count<event::ChildDown>(); }
  std::size_t retries() const { return log.count<event::RetryScheduled>(); }

  DangerousActor danger;
  caf::actor sender;
};

} // namespace backoff_actor::actor_test
