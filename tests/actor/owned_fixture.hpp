#pragma once

#include "durable_fixture.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::actor_test {

using testing::LostCommit;
using testing::MemoryServer;

/// Several processes that want one outbox on a server in memory, with a lease of 5 s. All of them
/// are in one actor system and write in its thread. One that stands by looks each second.
class OwnedTest : public SenderTest {
protected:
  struct Process {
    DangerousActor danger;
    caf::actor sender;
  };

  // What a process still has to do is done while the server is there.
  void TearDown() override {
    server.start_again();
    server.fail_commits({});
    server.fail_sessions({});
    for (auto& [node, process] : processes) {
      server.connect_again(node);
      time.stop(process.sender);
    }
    time.advance(1min);
  }

  static constexpr std::int64_t midnight = 1'000'000'000'000'000'000;

  DurableOptions writing() {
    DurableOptions options;
    options.thread = WriterThread::scheduler;
    options.wall_clock = [this] { return WallTime{midnight + time.now().since_origin.count()}; };
    return options;
  }

  SharedOutbox shared(const std::string& node) {
    return {server.store(node), durable<std::string>(), writing()};
  }

  Process& start_process(const std::string& node, FaultPlan faults = {},
                         SenderOptions options = default_options()) {
    const DangerousActor worker{std::move(faults)};
    auto& process = start_process(node, worker.factory(), std::move(options), shared(node));
    process.danger = worker;
    return process;
  }

  Process& start_process(const std::string& node, ChildFactory factory, SenderOptions options,
                         SharedOutbox outbox) {
    auto& process = processes[node];
    options.on_event = log.hook(node);
    process.sender = time.keep(
      spawn_owned_sender(time.system(), std::move(factory), std::move(options), std::move(outbox)));
    time.run();
    return process;
  }

  std::shared_ptr<testing::Answer<std::string>> ask_process(const Process& process,
                                                            const std::string& text) {
    auto answer = time.ask<std::string>(process.sender, text);
    time.run();
    return answer;
  }

  std::shared_ptr<testing::Answer<Accepted>> submit_to(const Process& process,
                                                       const std::string& text) {
    Submit submission;
    submission.message = caf::make_message(text);
    submission.answer_when_accepted = true;
    auto answer = time.ask<Accepted>(process.sender, std::move(submission));
    time.run();
    return answer;
  }

  /// The process dies: the server hears no more of it, and finds its connection closed.
  void die(const std::string& node) {
    server.cut_off(node);
    server.end_session();
  }

  /// Keeps the exit reason of an actor; nothing as long as it lives.
  std::shared_ptr<std::optional<caf::error>> watch_end_of(const caf::actor& actor) {
    auto reason = std::make_shared<std::optional<caf::error>>();
    time.keep(time.system().spawn<Watcher>(actor, reason));
    time.run();
    return reason;
  }

  /// `node-a, epoch 1`; in parentheses if its session is over.
  std::string owner() const {
    const auto owner = server.owner();
    if (!owner)
      return "nobody";
    const auto text = owner->node + ", epoch " + std::to_string(owner->epoch);
    return owner->is_alive ? text : "(" + text + ")";
  }

  /// The notices of a process, in order.
  Strings notices(const std::string& node) const {
    Strings result;
    for (const auto& entry : log.of(node).entries())
      if (const auto* const event = entry.event())
        if (const auto* const notice = std::get_if<event::StoreNotice>(event))
          result.push_back(notice->text);
    return result;
  }

  MemoryServer server{[this] { return time.now(); }, 5s, "memory"};
  std::map<std::string, Process> processes;
};

} // namespace backoff_actor::actor_test
