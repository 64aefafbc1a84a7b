// Three processes want one outbox on a server, and everything that can go wrong does. Their clocks
// run at 85, 100 and 120 % of the true speed; the server's shows the true time.
//
//     RC_PARAMS="max_success=100000" ./build/dev/tests/model_tests --gtest_filter="owners.*"

#include "owner_walk.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::model_test {

namespace {

enum class OwnerAction {
  pass_time,
  pass_lease,
  submit,
  begin_call,
  reach_server,
  hear_answer,
  hand_over,
  acknowledge,
  work, // all of the above, in order
  lose_call,
  cut_call,
  die,
  freeze,
  thaw,
  end_session,
  crash,
  start_again,
  fill_disk,
  make_room,
};

constexpr test::Choice<OwnerAction> owner_actions[] = {
  {90, OwnerAction::pass_time, "pass time"},
  {20, OwnerAction::pass_lease, "pass the lease and work"},
  {40, OwnerAction::submit, "submit"},
  {60, OwnerAction::begin_call, "begin a call"},
  {60, OwnerAction::reach_server, "reach the server"},
  {60, OwnerAction::hear_answer, "hear the answer"},
  {100, OwnerAction::hand_over, "hand over"},
  {30, OwnerAction::acknowledge, "acknowledge"},
  {80, OwnerAction::work, "work"},
  {6, OwnerAction::lose_call, "lose the call"},
  {6, OwnerAction::cut_call, "cut the call"},
  {5, OwnerAction::die, "die"},
  {6, OwnerAction::freeze, "freeze"},
  {12, OwnerAction::thaw, "thaw"},
  {4, OwnerAction::end_session, "end the session"},
  {3, OwnerAction::crash, "crash the server"},
  {6, OwnerAction::start_again, "start the server"},
  {4, OwnerAction::fill_disk, "fill the disk"},
  {8, OwnerAction::make_room, "make room"}};

using OwnerStep = test::DrawnStep<OwnerAction, owner_actions>;

class OwnerWalk {
public:
  OwnerWalk() {
    for (const auto& [node, percent] :
         {std::pair{"slow", 85}, std::pair{"true", 100}, std::pair{"fast", 120}})
      processes_.push_back(std::make_unique<OwnerProcess>(node, percent, *server_, *account_));
  }

  void take(const OwnerStep& x) {
    auto& process = *processes_[x.number % processes_.size()];
    story_ += "  " + to_string(world_->now.since_origin) + " " + process.node() + ": "
              + test::name_of(x.action, owner_actions) + "\n";
    carry_out(x, process);
    check();
  }

  // Once nothing fails any more, all is done.
  void finish() {
    server_->start_again();
    server_->fail_commits({});
    for (auto& process : processes_)
      process->freeze(false);
    for (int round = 0; round < 200; ++round) {
      pass(std::chrono::milliseconds{500});
      for (auto& process : processes_)
        work(*process);
    }
    check();
    require(server_->content()->owed().empty(), "at the end nothing is owed");
    for (const auto& process : processes_)
      require(!process->has_work(), "at the end no process has anything to do");
    for (const auto message : account_->confirmed)
      require(account_->done.count(message) == 1, "all that was confirmed is done");
    for (std::uint64_t message = 1; message <= account_->submitted; ++message)
      require(account_->confirmed.count(message) == 1 || account_->refused.count(message) == 1
                || account_->lost.count(message) == 1,
              "a client is answered, or its process has died or lost the outbox");
  }

  std::string story() const { return "the story:\n" + story_; }

private:
  struct World {
    Instant now{std::chrono::hours{1}};
  };

  void carry_out(const OwnerStep& x, OwnerProcess& process) {
    switch (x.action) {
    case OwnerAction::pass_time:
      return pass(std::chrono::milliseconds{1} * (x.number / 3 % 2000));
    case OwnerAction::pass_lease:
      pass(OwnerProcess::lease + std::chrono::milliseconds{1} * (x.number / 3 % 500));
      return work(process);
    case OwnerAction::submit:
      return process.submit();
    case OwnerAction::begin_call:
      return process.begin_call(world_->now);
    case OwnerAction::reach_server:
      return process.reach_server();
    case OwnerAction::hear_answer:
      return process.hear_answer();
    case OwnerAction::hand_over:
      return process.hand_over(world_->now);
    case OwnerAction::acknowledge:
      return process.acknowledge();
    case OwnerAction::work:
      return work(process);
    case OwnerAction::lose_call:
      return process.lose_call();
    case OwnerAction::cut_call:
      return cut_call(process, x.number / 3 % 2 == 0 ? testing::LostCommit::made
                                                     : testing::LostCommit::not_made);
    case OwnerAction::die:
      return process.die();
    case OwnerAction::freeze:
      return process.freeze(true);
    case OwnerAction::thaw:
      return process.freeze(false);
    case OwnerAction::end_session:
      note_early_end();
      return server_->end_session();
    case OwnerAction::crash:
      note_early_end();
      return server_->crash();
    case OwnerAction::start_again:
      return server_->start_again();
    case OwnerAction::fill_disk:
      return server_->fail_commits(StoreFailure::full);
    case OwnerAction::make_room:
      return server_->fail_commits({});
    }
  }

  void pass(Duration span) { world_->now = world_->now + span; }

  void work(OwnerProcess& process) {
    process.begin_call(world_->now);
    process.reach_server();
    process.hear_answer();
    process.hand_over(world_->now);
    process.acknowledge();
  }

  // The process whose session the server has.
  OwnerProcess* owner() {
    const auto owner = server_->owner();
    for (auto& process : processes_)
      if (owner && owner->is_alive && process->owns() && process->epoch() == owner->epoch)
        return process.get();
    return nullptr;
  }

  void note_early_end() {
    if (auto* const process = owner())
      process->note_early_end();
  }

  // The connection breaks while the owner waits for an answer.
  void cut_call(OwnerProcess& process, testing::LostCommit what) {
    if (owner() != &process || !process.has_begun_a_call())
      return;
    note_early_end();
    server_->cut_next_call(what);
    process.reach_server();
  }

  void check() {
    const auto commits = server_->commits();
    for (std::size_t i = checked_; i < commits.size(); ++i) {
      require(commits[i].epoch >= highest_, "no commit of an earlier owner is made");
      highest_ = commits[i].epoch;
    }
    checked_ = commits.size();
    const auto content = server_->content();
    std::set<std::uint64_t> owed;
    for (const auto id : content->owed())
      owed.insert(std::stoull(content->find(id)->message.types));
    for (const auto message : account_->confirmed)
      require(owed.count(message) == 1 || account_->done.count(message) == 1,
              "what was confirmed is on the server until it is done");
  }

  // Walks are moved.
  std::unique_ptr<World> world_ = std::make_unique<World>();
  std::unique_ptr<OwnerAccount> account_ = std::make_unique<OwnerAccount>();
  std::unique_ptr<testing::MemoryServer> server_ = std::make_unique<testing::MemoryServer>(
    [world = world_.get()] { return world->now; }, OwnerProcess::lease);
  std::vector<std::unique_ptr<OwnerProcess>> processes_;
  std::string story_;
  std::size_t checked_ = 0; // commits
  std::uint64_t highest_ = 0;
};

} // namespace

TEST(owners, lose_nothing_and_never_hand_over_beside_each_other) {
  EXPECT_TRUE(test::walks_hold([] { return OwnerWalk{}; }, 3,
                               OwnerStep::any(test::below<std::uint32_t>(6000)), 10'000));
}

} // namespace backoff_actor::model_test
