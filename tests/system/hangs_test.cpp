// Children that really block, in real time. A handler that blocks cannot be interrupted, so each
// test lets its own go at the end.

#include "system.hpp"

#include <condition_variable>
#include <mutex>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

// Where children block until they are let go.
class Gate {
public:
  void pass() {
    std::unique_lock lock{mutex_};
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_open_; });
  }

  void open() {
    const std::lock_guard lock{mutex_};
    is_open_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int arrived_ = 0;
};

// The first incarnation blocks on every message; its successors answer.
class Blocker : public caf::event_based_actor {
public:
  Blocker(caf::actor_config& config, std::shared_ptr<Gate> gate,
          std::shared_ptr<std::atomic<int>> incarnations)
    : caf::event_based_actor(config), gate_(std::move(gate)), blocks_(++*incarnations == 1) {}

  caf::behavior make_behavior() override {
    return {[this](const std::string& text) {
      if (blocks_)
        gate_->pass();
      return text + (blocks_ ? " at last" : " done");
    }};
  }

private:
  std::shared_ptr<Gate> gate_;
  bool blocks_;
};

struct Blocked {
  const char* name;
  bool detached;
};

void PrintTo(const Blocked& blocked, std::ostream* out) { *out << blocked.name; }

class Hang : public System, public ::testing::WithParamInterface<Blocked> {
protected:
  void start(AfterGrace after_grace) {
    SenderOptions options;
    options.backoff = RandomSlots{.slot_time = 1ms};
    options.ack_timeout = 50ms;
    options.kill_grace = 50ms;
    options.rare.after_grace = after_grace;
    options.on_event = [this, record = log.hook()](const Event& event) {
      record(event);
      if (opens_when_overdue && std::holds_alternative<event::ChildOverdue>(event))
        gate->open();
    };
    const auto incarnations = std::make_shared<std::atomic<int>>(0);
    sender = spawn_back_off_sender(*system,
                                   GetParam().detached
                                     ? child_of<Blocker, caf::detached>(gate, incarnations)
                                     : child_of<Blocker>(gate, incarnations),
                                   options);
  }

  void TearDown() override {
    gate->open();
    caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
    sender = nullptr;
    go_down();
  }

  EventLog log;
  bool opens_when_overdue = false;
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  caf::actor sender;
};

std::string ask(caf::actor_system& system, const caf::actor& sender, const std::string& text) {
  std::string result;
  caf::scoped_actor self{system};
  self->request(sender, caf::infinite, text)
    .receive([&](const std::string& answer) { result = answer; },
             [&](const caf::error& error) { result = render(system, error); });
  return result;
}

TEST_P(Hang, a_child_that_blocks_is_abandoned_and_its_successor_answers) {
  start(AfterGrace::abandon);

  EXPECT_EQ(ask(*system, sender, "work"), "work done");

  // On a busy machine a successor may be late, too.
  auto timed_out = log.all<event::AckTimedOut>();
  std::erase_if(timed_out, [](const auto& x) { return x.incarnation != 1; });
  EXPECT_EQ(timed_out.size(), 1u);
  auto overdue = log.all<event::ChildOverdue>();
  std::erase_if(overdue, [](const auto& x) { return x.incarnation != 1; });
  ASSERT_EQ(overdue.size(), 1u);
  EXPECT_TRUE(overdue[0].is_abandoned);
}

TEST_P(Hang, a_child_that_blocks_can_be_waited_for) {
  opens_when_overdue = true;
  start(AfterGrace::wait);

  // Its answer counts, although it came when the child was out of time: the work is done.
  EXPECT_EQ(ask(*system, sender, "work"), "work at last");

  EXPECT_FALSE(log.all<event::ChildOverdue>()[0].is_abandoned);
  EXPECT_EQ(log.all<event::ChildStarted>()[0].incarnation, 1u);
}

INSTANTIATE_TEST_SUITE_P(children, Hang,
                         ::testing::Values(Blocked{"scheduled", false}, Blocked{"detached", true}),
                         [](const auto& test) { return std::string{test.param.name}; });

} // namespace backoff_actor::system_test
