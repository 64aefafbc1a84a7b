#pragma once

#include "common/becomes_true.hpp"
#include "common/patience.hpp"
#include "common/tcp_stream.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/remote/listen.hpp>
#include <backoff_actor/caf/remote/network.hpp>
#include <backoff_actor/caf/remote/remote_actor.hpp>
#include <backoff_actor/caf/remote/remote_child.hpp>
#include <backoff_actor/testing/testing.hpp>

#include <caf/io/all.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace backoff_actor::remote_child_test {

using namespace std::chrono_literals;
using test::becomes_true;
using test::free_port;
using testing::EventLog;
using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

/// What the workers of a test did, on whatever node; workers on other nodes find it by its being
/// the only one.
class Diary {
public:
  void write(const std::string& line) {
    const std::lock_guard lock{mutex_};
    lines_.push_back(line);
  }
  Strings lines() const {
    const std::lock_guard lock{mutex_};
    return lines_;
  }
  std::size_t count(const std::string& line) const {
    const std::lock_guard lock{mutex_};
    return static_cast<std::size_t>(std::count(lines_.begin(), lines_.end(), line));
  }
  void clear() {
    const std::lock_guard lock{mutex_};
    lines_.clear();
  }

private:
  mutable std::mutex mutex_;
  Strings lines_;
};

inline Diary& diary() {
  static Diary result;
  return result;
}

/// Answers every text with its own name and the text, but: `crash`, `stop` and `silence` it does.
class Worker : public caf::event_based_actor {
public:
  Worker(caf::actor_config& config, std::string name)
    : caf::event_based_actor(config), name_(std::move(name)) {
    if (name_ == "stillborn")
      throw std::runtime_error("no voltage");
    diary().write(name_ + " up");
  }

  caf::behavior make_behavior() override {
    compat::keep_cause(*this);
    return {[this](const std::string& text) -> caf::result<std::string> {
      diary().write(name_ + " " + text);
      if (text == "crash")
        throw std::runtime_error("boom of " + name_);
      if (text == "refuse")
        return caf::make_error(caf::sec::invalid_argument, "refused by " + name_);
      if (text == "stop")
        quit();
      if (text == "silence") {
        kept_.push_back(make_response_promise());
        return caf::delegated<std::string>{};
      }
      return name_ + ":" + text;
    }};
  }

  void on_exit() override {
    kept_.clear();
    diary().write(name_ + " ended");
  }

private:
  std::string name_;
  std::vector<caf::response_promise> kept_;
};

/// A busy machine must not be taken for a failed one.
inline NetworkOptions calm() {
  return {.heartbeat_interval = 500ms, .connection_timeout = test::patience};
}

/// A step may take as long as a test waits.
inline RemoteOptions patient_steps() { return {.step_timeout = test::patience}; }

/// An actor system with a network, in this process.
class Node {
public:
  using Configure = std::function<void(caf::actor_system_config&)>;

  Node() : Node([](caf::actor_system_config& config) { init_network<>(config, calm()); }) {}

  explicit Node(const Configure& configure) {
    configure(config_);
    workers = add_remote_worker<Worker, std::string>(config_, "worker");
    system.emplace(config_);
  }

  /// Publishes an actor, at a free port or at that one.
  std::uint16_t publish(const caf::actor& actor, std::uint16_t port = 0) {
    return listen({.port = port, .published = actor});
  }

  std::uint16_t publish_worker(const std::string& name, std::uint16_t port = 0) {
    worker = system->spawn<Worker>(name);
    return publish(worker, port);
  }

  std::uint16_t open(std::uint16_t port = 0) { return listen({.port = port}); }

  std::uint16_t listen(ListenOptions options) {
    listeners.push_back(backoff_actor::listen(*system, std::move(options)));
    return listeners.back().port();
  }

  void end_worker() { caf::anon_send_exit(std::exchange(worker, {}), caf::exit_reason::kill); }

  ~Node() {
    if (worker)
      end_worker();
    workers->end();
  }

private:
  caf::actor_system_config config_;

public:
  std::optional<RemoteWorkers> workers;
  std::optional<caf::actor_system> system;
  std::vector<Listener> listeners;
  caf::actor worker;
};

inline NodeAddress at(std::uint16_t port) { return {"127.0.0.1", port}; }

/// What came of a request.
struct Outcome {
  std::string value{};
  std::optional<caf::error> error{};
  std::string error_text{};
};

template <class... Ts>
Outcome ask(caf::actor_system& system, const caf::actor& receiver, Ts... values) {
  Outcome result;
  caf::scoped_actor self{system};
  self->request(receiver, caf::timespan{test::patience}, std::move(values)...)
    .receive([&](const std::string& value) { result.value = value; },
             [&](const caf::error& error) {
               result.error = error;
               result.error_text = compat::render(system, error);
             });
  return result;
}

/// A sender on a node of its own.
class Remote : public ::testing::Test {
protected:
  Remote() { diary().clear(); }

  ~Remote() override {
    if (sender)
      caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
    sender = {};
  }

  static SenderOptions default_options() {
    SenderOptions options;
    options.backoff = RandomSlots{.slot_time = 5ms};
    options.seed = 72451;
    return options;
  }

  void start(ChildFactory make, SenderOptions options = default_options()) {
    options.on_event = log.hook();
    sender = spawn_back_off_sender(*here.system, std::move(make), std::move(options));
  }

  Outcome ask(const std::string& text) {
    return remote_child_test::ask(*here.system, sender, text);
  }

  Outcome stop() {
    Outcome result;
    caf::scoped_actor self{*here.system};
    self->request(sender, caf::timespan{test::patience}, Stop{})
      .receive([&](const SenderStatus&) { result.value = "stopped"; },
               [&](const caf::error& error) { result.error = error; });
    return result;
  }

  Node here;
  EventLog log;
  caf::actor sender;
};

/// Returns what a call says of its bad input, or that it found none.
inline std::string problems_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing";
}

} // namespace backoff_actor::remote_child_test
