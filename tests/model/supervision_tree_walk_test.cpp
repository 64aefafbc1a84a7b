// Random walks over trees of supervisors, three deep, in which actors start, fail to, crash, hang
// and are asked for by hand, and time goes by. Each supervisor is an engine with a reference beside
// it, which must agree after every step, wherever in the tree it is; and from the outside, whatever
// they agree on: no two actors of a child live unless one was abandoned, who asks is answered once,
// children start in order and end in reverse, no restart is too early, a tree in which nothing
// happens comes to a rest, and one that is told to end ends, with all that is in it.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "supervision_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace backoff_actor::model_test::supervision_tree_walk {

namespace {

using namespace std::chrono_literals;

enum class Happening : std::uint8_t {
  crash,
  ends_by_itself,
  hang,
  come_to,
  fail_at_the_end,
  next_start_fails,
  next_start_hangs,
  next_start_says_no,
  start_child,
  terminate,
  restart,
  forget,
  retry_now,
  stop,   // of any supervisor, by anybody
  finish, // likewise
  read,   // of one mail
  read_all,
  advance,
  to_wake_up,
};

struct TreeCommand {
  Happening what = Happening::crash;
  std::uint32_t who = 0; // which of the actors, or of the supervisors
  std::uint32_t how = 0;
};

constexpr Choice<Happening> happenings[] = {
  {150, Happening::crash, "crash"},
  {40, Happening::ends_by_itself, "ends by itself"},
  {100, Happening::hang, "hang"},
  {50, Happening::come_to, "come to"},
  {20, Happening::fail_at_the_end, "fail at the end"},
  {20, Happening::next_start_fails, "next start fails"},
  {20, Happening::next_start_hangs, "next start hangs"},
  {20, Happening::next_start_says_no, "next start says no"},
  {25, Happening::start_child, "start a child"},
  {25, Happening::terminate, "terminate"},
  {25, Happening::restart, "restart"},
  {10, Happening::forget, "delete"},
  {20, Happening::retry_now, "retry now"},
  {2, Happening::stop, "stop"},
  {2, Happening::finish, "finish"},
  {150, Happening::read, "read"},
  {150, Happening::read_all, "read all"},
  {80, Happening::advance, "advance"},
  {150, Happening::to_wake_up, "to wake-up"}};

void showValue(const TreeCommand& x, std::ostream& out) {
  out << test::name_of(x.what, happenings) << " {" << x.who << ", " << x.how << "}\n";
}

rc::Gen<TreeCommand> arbitrary_tree_command() {
  return rc::gen::build<TreeCommand>(
    rc::gen::set(&TreeCommand::what, test::weighted(happenings)),
    rc::gen::set(&TreeCommand::who, below<std::uint32_t>(1000)),
    rc::gen::set(&TreeCommand::how, below<std::uint32_t>(100'000)));
}

using Levels = std::array<SupervisorConditions, SupervisionTree::depth>;

class TreeWalk {
public:
  TreeWalk(const Levels& levels, bool stops_in_the_middle)
    : levels_(levels), tree_(levels), stops_in_the_middle_(stops_in_the_middle) {}

  void begin() { tree_.carry_out_mail(); }

  void take(const TreeCommand& x) {
    using Birth = SupervisionTree::Birth;
    tree_.decide(x.how % 8 == 7 ? directive_of(x.how / 8) : Directive::restart);
    switch (x.what) {
    case Happening::crash:
      return with_actor(x, [&](auto id) {
        tree_.end(id, x.how % 5 == 4 ? Ending::killed : Ending::failed, {1, "broken"});
      });
    case Happening::ends_by_itself:
      return with_actor(
        x, [&](auto id) { tree_.end(id, x.how % 3 == 2 ? Ending::shutdown : Ending::normal, {}); });
    case Happening::hang:
      return with_actor(x, [&](auto id) { tree_.hang(id); });
    case Happening::come_to:
      return with_actor(
        x, [&](auto id) { tree_.come_to(id); }, [&](auto id) { return tree_.actor(id).hangs; });
    case Happening::fail_at_the_end:
      return with_actor(x, [&](auto id) { tree_.fail_at_the_end(id); });
    case Happening::next_start_fails:
      return tree_.next_is_born(Birth::fails);
    case Happening::next_start_hangs:
      return tree_.next_is_born(Birth::never_up);
    case Happening::next_start_says_no:
      return tree_.next_is_born(Birth::says_no);
    case Happening::start_child:
    case Happening::terminate:
    case Happening::restart:
    case Happening::forget:
    case Happening::retry_now:
    case Happening::stop:
    case Happening::finish:
      return ask(x);
    case Happening::read:
      tree_.read_one(x.who);
      return;
    case Happening::read_all:
      return tree_.carry_out_mail();
    case Happening::advance:
      return tree_.advance(1ms * (x.how % 60));
    case Happening::to_wake_up:
      tree_.advance_to_wake_up();
      return;
    }
  }

  void finish() {
    tree_.decide(Directive::restart);
    tree_.next_is_born(SupervisionTree::Birth::well);
    if (stops_in_the_middle_)
      pass_the_time(20);
    else
      come_to_a_rest();
    if (tree_.is_there(root) && levels_[0].seed % 2 == 1)
      tree_.ask_to_finish(root, 100ms);
    else if (tree_.is_there(root))
      tree_.ask(root, supervisor_input::Stop{});
    if (stops_in_the_middle_)
      pass_the_time(20);
    come_to_a_rest();
    require(!tree_.is_there(root), "a tree that is told to end does");
    require(tree_.actors().empty(), "nothing is left of a tree that has ended");
  }

  std::string story() const { return tree_.story(); }

private:
  static constexpr SupervisionTree::Id root = 1;

  template <class Use>
  void with_actor(const TreeCommand& x, Use use) {
    with_actor(x, use, [](auto) { return true; });
  }

  // Not the root, which is for the last. Mostly a worker.
  template <class Use, class Predicate>
  void with_actor(const TreeCommand& x, Use use, Predicate is_apt) {
    std::vector<SupervisionTree::Id> ids;
    for (const auto id : tree_.actors())
      if (id != root && is_apt(id) && (x.how % 16 < 4 || !tree_.actor(id).supervisor))
        ids.push_back(id);
    if (!ids.empty())
      use(ids[x.who % ids.size()]);
  }

  void ask(const TreeCommand& x) {
    const auto ids = tree_.supervisors();
    if (ids.empty())
      return;
    const auto id = ids[x.who % ids.size()];
    const auto& first = levels_[tree_.actor(id).level].first;
    const auto child = id_of(x.how % 4);
    switch (x.what) {
    case Happening::start_child: {
      const auto traits = first.empty() ? ChildTraits{} : first[x.how % first.size()];
      const auto options = std::make_shared<const ChildOptions>(options_of(traits));
      return tree_.ask(
        id, supervisor_input::StartChild{tree_.ticket(), {x.how % 3 == 0 ? "" : child, options}});
    }
    case Happening::terminate:
      return tree_.ask(id, supervisor_input::TerminateChild{tree_.ticket(), child});
    case Happening::restart:
      return tree_.ask(id, supervisor_input::RestartChild{tree_.ticket(), child});
    case Happening::forget:
      return tree_.ask(id, supervisor_input::DeleteChild{tree_.ticket(), child});
    case Happening::retry_now:
      return tree_.ask(id, supervisor_input::RetryNow{tree_.ticket(), child});
    case Happening::finish:
      return tree_.ask_to_finish(id, 1ms * (x.how % 60));
    default:
      return tree_.ask(id, supervisor_input::Stop{});
    }
  }

  // Whatever hangs still does.
  void pass_the_time(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      tree_.carry_out_mail();
      if (!tree_.advance_to_wake_up())
        return;
    }
  }

  // From now on all are well.
  void come_to_a_rest() {
    for (int round = 0;; ++round) {
      require(round < 1000, "a tree in which all are well comes to a rest");
      for (const auto id : tree_.actors())
        if (tree_.is_there(id))
          tree_.come_to(id);
      tree_.carry_out_mail();
      if (!tree_.advance_to_wake_up())
        return;
    }
  }

  Levels levels_;
  SupervisionTree tree_;
  bool stops_in_the_middle_;
};

// Up to four children, of which the first is a supervisor, but on the last level; it mostly stays
// one.
rc::Gen<SupervisorConditions> arbitrary_level() {
  return rc::gen::map(arbitrary_supervisor(), [](SupervisorConditions x) {
    x.first.resize(1 + x.seed % 4);
    x.first[0].readiness = static_cast<int>(Readiness::when_it_is_up);
    for (std::size_t i = 0; i < x.first.size(); ++i)
      if ((x.seed / 4 + i) % 4 != 0)
        x.first[i].restart = static_cast<int>(RestartType::permanent);
    return x;
  });
}

template <class Theme>
bool tree_walks_hold(Theme theme) {
  const auto make_walk = [=] {
    const auto any_levels = rc::gen::container<Levels>(arbitrary_level());
    const auto levels = *test::themed(any_levels, [=](Levels& x) {
      for (auto& level : x)
        theme(level);
    });
    const auto stops_in_the_middle = *rc::gen::arbitrary<bool>();
    return TreeWalk{levels, stops_in_the_middle};
  };
  return test::walks_hold(make_walk, 3.0, arbitrary_tree_command());
}

void without_limits(SupervisorConditions& x) {
  x.limit = 0;
  x.auto_shutdown = 0;
  x.on_start_timeout = 0;
  for (auto& child : x.first)
    child.limit = 0;
}

} // namespace

TEST(supervision_tree_walk, holds_when_each_child_is_restarted_for_itself) {
  EXPECT_TRUE(tree_walks_hold([](SupervisorConditions& x) {
    without_limits(x);
    x.strategy = static_cast<int>(Strategy::one_for_one);
  }));
}

TEST(supervision_tree_walk, holds_when_children_are_restarted_together) {
  EXPECT_TRUE(tree_walks_hold([](SupervisorConditions& x) {
    without_limits(x);
    x.strategy = 1 + x.strategy % 2;
  }));
}

TEST(supervision_tree_walk, holds_when_limits_are_passed_upwards) {
  EXPECT_TRUE(tree_walks_hold([](SupervisorConditions& x) {
    x.limit = std::max(x.limit, 1);
    for (auto& child : x.first)
      child.restart = static_cast<int>(RestartType::permanent);
  }));
}

TEST(supervision_tree_walk, holds_when_everything_happens) {
  EXPECT_TRUE(tree_walks_hold([](SupervisorConditions&) {}));
}

} // namespace backoff_actor::model_test::supervision_tree_walk
