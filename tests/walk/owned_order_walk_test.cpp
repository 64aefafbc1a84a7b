// Two processes want one outbox on a server, in virtual time, and all that can go wrong does.
// Clients wait for their answers, and a program hands rows over. What was accepted is done in the
// order in which it was submitted.

#include "actor/fixture.hpp"
#include "common/random_walk.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::actor_test::owned_walk {

namespace {

using test::require;
using testing::LostCommit;
using testing::MemoryServer;

enum class Action : std::uint8_t {
  submit,
  hand_over,
  pass_time,
  cut_off,
  connect_again,
  end_session,
  lose_answer,
  restart,
  crash,
  start_again,
  hide_rows,
  show_rows,
  refuse_sessions,
  allow_sessions,
};

constexpr test::Choice<Action> actions[] = {{30, Action::submit, "clients submit"},
                                            {8, Action::hand_over, "a program hands rows over"},
                                            {30, Action::pass_time, "pass time"},
                                            {5, Action::cut_off, "cut off"},
                                            {9, Action::connect_again, "connect again"},
                                            {5, Action::end_session, "end the session"},
                                            {4, Action::lose_answer, "lose an answer"},
                                            {4, Action::restart, "end and start a process"},
                                            {2, Action::crash, "crash the server"},
                                            {5, Action::start_again, "start the server"},
                                            {4, Action::hide_rows, "no row can be read"},
                                            {6, Action::show_rows, "rows can be read"},
                                            {2, Action::refuse_sessions, "no new sessions"},
                                            {5, Action::allow_sessions, "new sessions"}};

using Step = test::DrawnStep<Action, actions>;

struct Account {
  std::uint64_t submitted = 0;
  std::uint64_t allowed = 0; // to be submitted by now
  std::set<std::uint64_t> accepted;
};

// Submits `n/1`, `n/2`, and so on; not more at a time than its window without an answer.
class WaitingClient : public caf::event_based_actor {
public:
  WaitingClient(caf::actor_config& config, std::string name, std::size_t window,
                std::shared_ptr<const caf::actor> receiver, std::shared_ptr<Account> account)
    : caf::event_based_actor(config), name_(std::move(name)), window_(window),
      receiver_(std::move(receiver)), account_(std::move(account)) {}

  caf::behavior make_behavior() override {
    return {[this](caf::tick_atom) { go_on(); }};
  }

private:
  void go_on() {
    for (; waiting_ < window_ && account_->submitted < account_->allowed; ++waiting_) {
      const auto number = ++account_->submitted;
      compat::request(*this, *receiver_,
                      Submit{.message = caf::make_message(name_ + std::to_string(number)),
                             .answer_when_accepted = true})
        .then(
          [this, number](const Accepted&) {
            account_->accepted.insert(number);
            --waiting_;
            go_on();
          },
          [this](const caf::error&) { // nobody was promised anything
            --waiting_;
            delayed_send(this, 100ms, caf::tick_atom_v);
          });
    }
  }

  const std::string name_;
  const std::size_t window_;
  const std::shared_ptr<const caf::actor> receiver_;
  const std::shared_ptr<Account> account_;
  std::size_t waiting_ = 0;
};

// Notes what it does.
class Doer : public caf::event_based_actor {
public:
  Doer(caf::actor_config& config, std::shared_ptr<Strings> journal)
    : caf::event_based_actor(config), journal_(std::move(journal)) {}

  caf::behavior make_behavior() override {
    return {[this](const std::string& text) {
      journal_->push_back(text);
      return text;
    }};
  }

private:
  const std::shared_ptr<Strings> journal_;
};

class Walk {
public:
  explicit Walk(Ordering ordering) : ordering_(ordering) {}

  // Walks are moved.
  void begin() {
    world_ = std::make_unique<World>();
    for (const auto* node : {"a", "b"}) {
      world_->processes.push_back(std::make_shared<caf::actor>());
      *world_->processes.back() = start(node);
      for (const auto window : {1U, 8U, 100U}) {
        const auto name = node + std::to_string(window) + "/";
        auto& account = world_->accounts[name];
        account = std::make_shared<Account>();
        world_->clients.push_back(world_->time.spawn<WaitingClient>(
          name, window, std::shared_ptr<const caf::actor>{world_->processes.back()}, account));
      }
    }
    world_->accounts["rows/"] = std::make_shared<Account>();
    world_->time.run();
  }

  void take(const Step& x) {
    carry_out(x);
    world_->time.run();
  }

  void finish() {
    auto& server = world_->server;
    server.start_again();
    server.fail_sessions({});
    server.fail_looks({});
    for (const auto* node : {"a", "b"})
      server.connect_again(node);
    for (auto i = 0; i < 3; ++i) {
      submit(5);
      world_->time.advance(1min);
    }
    check_order();
    require(server.incoming().empty(), "at the end no row waits");
    require(server.content()->owed().empty(), "at the end nothing is owed");
    const std::set<std::string> done{world_->done->begin(), world_->done->end()};
    for (const auto& [name, account] : world_->accounts)
      for (const auto number : account->accepted)
        require(done.contains(name + std::to_string(number)), "what was accepted is done");
    for (const auto& process : world_->processes)
      world_->time.stop(*process);
    world_->time.advance(1min);
  }

private:
  struct World {
    VirtualTime time{register_test_types};
    MemoryServer server{[this] { return time.now(); }, 5s, "memory"};
    std::shared_ptr<Strings> done = std::make_shared<Strings>();
    std::vector<std::shared_ptr<caf::actor>> processes;
    std::map<std::string, std::shared_ptr<Account>> accounts; // by the name of the client
    std::vector<caf::actor> clients;
  };

  caf::actor start(const std::string& node) {
    SharedOutbox outbox{world_->server.store(node), durable<std::string>(), {}};
    outbox.options.thread = WriterThread::scheduler;
    outbox.foreign("text", [](std::span<const std::byte> bytes) {
      return caf::make_message(
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    });
    SenderOptions options;
    options.ordering = ordering_;
    if (ordering_ == Ordering::per_key)
      options.rare.key_of = [](const caf::message& x) {
        const auto text = x.get_as<std::string>(0);
        return text.substr(0, text.find('/'));
      };
    return world_->time.keep(
      spawn_owned_sender(world_->time.system(), child_of<Doer>(world_->done), options, outbox));
  }

  void carry_out(const Step& x) {
    auto& server = world_->server;
    const std::string node = x.number % 2 == 0 ? "a" : "b";
    switch (x.action) {
    case Action::submit:
      return submit(x.number % 10 == 0 ? 150 : x.number % 12);
    case Action::hand_over:
      return hand_over(x.number % 12);
    case Action::pass_time:
      world_->time.advance(1ms * (x.number % 2500));
      return;
    case Action::cut_off:
      server.cut_off(node);
      if (x.number / 2 % 2 == 0)
        server.end_session(); // the process has died, perhaps with the other's session
      return;
    case Action::connect_again:
      return server.connect_again(node);
    case Action::end_session:
      return server.end_session();
    case Action::lose_answer:
      return server.cut_next_call(x.number % 2 == 0 ? LostCommit::made : LostCommit::not_made);
    case Action::restart:
      world_->time.stop(*world_->processes[x.number % 2]);
      *world_->processes[x.number % 2] = start(node);
      return;
    case Action::crash:
      return server.crash();
    case Action::start_again:
      return server.start_again();
    case Action::hide_rows:
      return server.fail_looks(StoreFailure::unreachable);
    case Action::show_rows:
      return server.fail_looks({});
    case Action::refuse_sessions:
      return server.fail_sessions(StoreFailure::unreachable);
    case Action::allow_sessions:
      return server.fail_sessions({});
    }
  }

  void submit(std::uint64_t messages) {
    for (const auto& [name, account] : world_->accounts)
      account->allowed += messages;
    for (const auto& client : world_->clients)
      world_->time.tell(client, caf::tick_atom_v);
  }

  void hand_over(std::uint64_t rows) {
    auto& account = *world_->accounts.at("rows/");
    for (; rows > 0; --rows) {
      const auto text = "rows/" + std::to_string(++account.submitted);
      const auto bytes = std::as_bytes(std::span{text});
      IncomingMessage message;
      message.type = "text";
      message.payload = {bytes.begin(), bytes.end()};
      world_->server.hand_over(std::move(message));
      account.accepted.insert(account.submitted);
    }
  }

  // When each was done for the first time counts.
  void check_order() const {
    std::set<std::string> seen;
    std::map<std::string, std::uint64_t> last; // by client
    for (const auto& text : *world_->done) {
      const auto name = text.substr(0, text.find('/') + 1);
      const auto number = std::stoull(text.substr(name.size()));
      if (!world_->accounts.at(name)->accepted.contains(number) || !seen.insert(text).second)
        continue;
      require(number > last[name], "what was accepted is done in order: " + text + " comes before "
                                     + std::to_string(last[name]));
      last[name] = number;
    }
  }

  Ordering ordering_;
  std::unique_ptr<World> world_;
};

bool holds(Ordering ordering) {
  return test::walks_hold([=] { return Walk{ordering}; }, 1,
                          Step::any(test::below<std::uint32_t>(10'000)), 100);
}

} // namespace

TEST(owned_order_walk, holds_for_strict_order) { EXPECT_TRUE(holds(Ordering::strict)); }

TEST(owned_order_walk, holds_for_the_order_of_each_key) { EXPECT_TRUE(holds(Ordering::per_key)); }

} // namespace backoff_actor::actor_test::owned_walk
