// Random walks of a store on a server and, beside it, the obvious one, which keeps everything in
// memory. Between the changes the store is closed and opened, its session is ended, and its
// connection is cut. After every step both must hold the same.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "backoff_actor/testing/proxy/tcp_proxy.hpp"
#include "common/patience.hpp"
#include "common/random_walk.hpp"
#include "control.hpp"
#include "fixture.hpp"
#include "store/drawn_changes.hpp"

#include <rapidcheck.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

namespace backoff_actor::store_test {

namespace {

enum class PostgresAction : std::uint8_t {
  commit,   // a batch of drawn changes
  remove,   // dead letters
  resubmit, // dead letters
  reopen,   //
  end,      // the session, by the server, while the next change is made
  cut,      // the connection, while the next change is made
  renew,    //
  tidy_up,  //
  look,     // from another connection
};

constexpr test::Choice<PostgresAction> postgres_actions[] = {
  {60, PostgresAction::commit, "commit"},    {6, PostgresAction::remove, "remove"},
  {6, PostgresAction::resubmit, "resubmit"}, {5, PostgresAction::reopen, "reopen"},
  {6, PostgresAction::end, "end"},           {6, PostgresAction::cut, "cut"},
  {4, PostgresAction::renew, "renew"},       {3, PostgresAction::tidy_up, "tidy_up"},
  {3, PostgresAction::look, "look"}};

struct PostgresStep {
  PostgresAction action;
  std::uint32_t which; // when a fault strikes
  std::vector<Draw> draws;
};

void showValue(const PostgresStep& step, std::ostream& out) {
  out << test::name_of(step.action, postgres_actions) << ' ' << step.which << ' ';
  rc::show(step.draws, out);
}

rc::Gen<PostgresStep> arbitrary_postgres_step() {
  const auto number = rc::gen::inRange<std::uint32_t>(0, 1000);
  return rc::gen::build<PostgresStep>(
    rc::gen::set(&PostgresStep::action, test::weighted(postgres_actions)),
    rc::gen::set(&PostgresStep::which, number),
    rc::gen::set(&PostgresStep::draws, arbitrary_draws()));
}

class PostgresWalk {
public:
  explicit PostgresWalk(std::string database) : database_(std::move(database)) {
    control_.query("TRUNCATE backoff.outbox, backoff.shard, backoff.last_commit, backoff.delivery, "
                   "backoff.dead_letter, backoff.acknowledged_key CASCADE");
    open();
  }

  // A failure may depend on the time. Then it is gone when rapidcheck repeats the walk.
  void take(const PostgresStep& step) {
    try {
      make(step);
    } catch (const StoreError& error) {
      ADD_FAILURE() << test::name_of(step.action, postgres_actions) << ": " << error.what();
      throw;
    } catch (...) {
      ADD_FAILURE() << test::name_of(step.action, postgres_actions) << " breaks a claim";
      throw;
    }
  }

private:
  void make(const PostgresStep& step) {
    switch (step.action) {
    case PostgresAction::commit: {
      const auto batch = changes(step.draws, reference_.last_id());
      in_spite_of_fault([&] { store_->commit(batch); });
      reference_.commit(batch);
      break;
    }
    case PostgresAction::remove: {
      const auto ids = numbers(step.draws, reference_.last_id());
      std::size_t count = 0;
      in_spite_of_fault([&] { count = store_->remove_dead_letters(ids); });
      RC_ASSERT(count == reference_.remove(ids));
      break;
    }
    case PostgresAction::resubmit: {
      const auto ids = numbers(step.draws, reference_.last_id());
      std::size_t count = 0;
      in_spite_of_fault([&] { count = store_->resubmit_dead_letters(ids); });
      RC_ASSERT(count == reference_.resubmit(ids));
      break;
    }
    case PostgresAction::reopen:
      in_spite_of_fault([this] { store_->renew(); });
      store_.reset();
      open();
      break;
    case PostgresAction::end:
    case PostgresAction::cut:
      fault_ = step;
      return;
    case PostgresAction::renew:
      in_spite_of_fault([&] { store_->renew(); });
      break;
    case PostgresAction::tidy_up:
      in_spite_of_fault([&] { store_->tidy_up(); });
      break;
    case PostgresAction::look:
      RC_ASSERT(contents_of(*open_postgres_store_to_read(address(), options_))
                == reference_.contents());
      return;
    }
    RC_ASSERT(contents_of(*store_) == reference_.contents());
    RC_ASSERT(store_->last_id() == reference_.last_id());
  }

  PostgresAddress address() const {
    return {"host=127.0.0.1 port=" + std::to_string(proxy_.port())
              + " user=postgres dbname=" + database_,
            "orders"};
  }

  void open() {
    store_ = postgres_store(address(), options_)->own(test::patience);
    RC_ASSERT(store_ != nullptr);
  }

  // As an outbox does it: the same call again until the store answers.
  void in_spite_of_fault(const std::function<void()>& call) {
    const auto fault = std::exchange(fault_, {});
    std::thread striker{[&] {
      if (fault)
        strike(*fault);
    }};
    std::optional<StoreError> unexpected;
    for (auto attempt = 0; attempt < 1000; ++attempt) {
      try {
        call();
        break;
      } catch (const StoreError& error) {
        if (error.failure() == StoreFailure::unreachable)
          continue;
        unexpected = error;
        break;
      }
    }
    striker.join();
    if (fault && !unexpected) // it may have come after the answer
      in_spite_of_fault([this] { store_->renew(); });
    if (unexpected)
      throw StoreError{*unexpected};
  }

  void strike(const PostgresStep& fault) {
    std::this_thread::sleep_for(std::chrono::microseconds{fault.which * 3});
    if (fault.action == PostgresAction::cut)
      proxy_.cut_all();
    else
      control_.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                     "application_name = 'backoff_actor walker'");
  }

  // On a busy machine, a session may neither open nor speak for seconds.
  const PostgresOptions options_{
    .lease = std::chrono::minutes{1}, .connect_timeout = std::chrono::minutes{1}, .node = "walker"};
  std::string database_;
  Control control_{server()->connection(database_)};
  testing::TcpProxy proxy_{"127.0.0.1", static_cast<std::uint16_t>(server()->port())};
  ReferenceStore reference_{};
  std::optional<PostgresStep> fault_{}; // strikes during the next call
  std::shared_ptr<OwnedStore> store_{};
};

} // namespace

TEST(postgres_walk, agrees_with_the_reference_whatever_happens_to_its_sessions) {
  BACKOFF_ACTOR_NEEDS_POSTGRES();
  const auto database = fresh_database();
  EXPECT_TRUE(
    test::walks_hold([&] { return PostgresWalk{database}; }, 0.4, arbitrary_postgres_step(), 100));
}

} // namespace backoff_actor::store_test
