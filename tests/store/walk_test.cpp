// Random walks of a store and, beside it, the obvious one, which keeps everything in memory.
// Between the changes the store is closed and opened, its disk fails, and its machine loses power.
// After every step both must hold the same.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "common/faulty_vfs.hpp"
#include "common/random_walk.hpp"
#include "drawn_changes.hpp"
#include "fixture.hpp"

#include <rapidcheck.h>

#include <algorithm>

namespace backoff_actor::store_test {

namespace {

using test::Fault;
using test::FaultyVfs;
using test::Kept;

enum class Action : std::uint8_t {
  commit,     // a batch of drawn changes
  remove,     // dead letters
  resubmit,   // dead letters
  reopen,     //
  fail,       // let a call of the next changes go wrong
  lose_power, //
  look,       // from another connection
};

constexpr test::Choice<Action> actions[] = {
  {100, Action::commit, "commit"},   {8, Action::remove, "remove"},
  {8, Action::resubmit, "resubmit"}, {10, Action::reopen, "reopen"},
  {20, Action::fail, "fail"},        {10, Action::lose_power, "lose_power"},
  {5, Action::look, "look"}};

struct Step {
  Action action;
  std::uint32_t which; // call, fault
  std::vector<Draw> draws;
};

void showValue(const Step& step, std::ostream& out) {
  out << test::name_of(step.action, actions) << ' ' << step.which << ' ';
  rc::show(step.draws, out);
}

rc::Gen<Step> arbitrary_step() {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 1000);
  return rc::gen::build<Step>(rc::gen::set(&Step::action, test::weighted(actions)),
                              rc::gen::set(&Step::which, number),
                              rc::gen::set(&Step::draws, arbitrary_draws()));
}

class StoreWalk {
public:
  StoreWalk() { open(); }

  void take(const Step& step) {
    switch (step.action) {
    case Action::commit: {
      const auto batch = changes(step.draws, reference_.last_id());
      change([&] { store_->commit(batch); }, [&](ReferenceStore& x) { x.commit(batch); });
      break;
    }
    case Action::remove: {
      const auto ids = numbers(step.draws, reference_.last_id());
      change([&] { store_->remove_dead_letters(ids); }, [&](ReferenceStore& x) { x.remove(ids); });
      break;
    }
    case Action::resubmit: {
      const auto ids = numbers(step.draws, reference_.last_id());
      change([&] { store_->resubmit_dead_letters(ids); },
             [&](ReferenceStore& x) { x.resubmit(ids); });
      break;
    }
    case Action::reopen:
      vfs_.disarm();
      store_.reset();
      possible_.clear();
      open();
      break;
    case Action::fail:
      vfs_.arm(static_cast<Fault>(step.which % 6), 1 + step.which / 6 % 12);
      return;
    case Action::lose_power:
      lose_power(static_cast<Kept>(step.which % 5));
      break;
    case Action::look:
      if (!vfs_.is_failing())
        RC_ASSERT(contents_of(*open_sqlite_store_to_read(file_)) == reference_.contents());
      return;
    }
    if (!vfs_.is_failing())
      RC_ASSERT(contents_of(*store_) == reference_.contents());
  }

private:
  void open() { store_ = open_sqlite_store(file_, options_); }

  // Makes the change in both, or, if the disk fails, in none, or finds out which it was.
  void change(const std::function<void()>& in_store,
              const std::function<void(ReferenceStore&)>& in_reference) {
    try {
      in_store();
      const auto before = reference_.contents();
      in_reference(reference_);
      if (reference_.contents() != before) // else the store need not write anything
        possible_.clear();                 // what failed before is overwritten
    } catch (const StoreError& error) {
      RC_ASSERT(vfs_.has_struck());
      RC_ASSERT(error.failure() == StoreFailure::full
                || error.failure() == StoreFailure::input_output);
      auto after = reference_;
      in_reference(after);
      possible_.push_back(after);
      if (vfs_.is_failing() && !vfs_.is_full())
        lose_power(Kept::first_half); // nothing can be done with it any more
      else
        vfs_.disarm();
    }
  }

  void lose_power(Kept kept) {
    vfs_.kill();
    store_.reset();
    vfs_.disarm();
    vfs_.lose_power(kept);
    open();
    const auto found = contents_of(*store_);
    auto since = reference_.keys_since();
    for (const auto& one : possible_) {
      since = std::max(since, one.keys_since());
      if (one.contents() == found)
        reference_ = one;
    }
    if (!possible_.empty()) { // nobody can see since when the store has keys: it is told once more
      const std::vector<StoreChange> forget{change::ForgetKeys{since}};
      store_->commit(forget);
      reference_.commit(forget);
    }
    possible_.clear();
  }

  example::TemporaryFolder folder_{"backoff_actor-walk"};
  std::filesystem::path file_ = folder_ / "outbox.db";
  SqliteOptions options_{.checkpoint_pages = 10, .vfs = FaultyVfs::name};
  FaultyVfs vfs_;
  ReferenceStore reference_;
  // What the store may hold instead after a power loss: with one of the commits that have failed
  // since the last that has not.
  std::vector<ReferenceStore> possible_{};
  std::shared_ptr<DeliveryStore> store_{}; // closed first
};

} // namespace

TEST(store_walk, agrees_with_the_reference_whatever_happens_to_the_disk) {
  EXPECT_TRUE(test::walks_hold([] { return StoreWalk{}; }, 2.0, arbitrary_step(), 100));
}

} // namespace backoff_actor::store_test
