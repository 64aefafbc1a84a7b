#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_session.hpp"
#include "backoff_actor/store/postgres/internal/postgres_delivery_store.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace backoff_actor {

namespace detail {

namespace {

// A wait for the lock ends after this, and begins anew: while it waits, the server keeps the rows
// that were deleted since its beginning.
constexpr std::chrono::seconds longest_lock_wait{5};

class PostgresSharedStore final : public SharedStore {
public:
  explicit PostgresSharedStore(std::shared_ptr<const PgWish> wish) : wish_(std::move(wish)) {}

  std::string name() const override { return wish_->target.name; }
  void interrupt() override { interrupt_.raise(); }

  std::shared_ptr<DeliveryStore> own(Duration at_most) override {
    if (interrupt_.is_raised())
      return nullptr;
    try {
      return with_session([&]() -> std::shared_ptr<DeliveryStore> {
        if (!lock(at_most))
          return nullptr;
        auto shard = session_->claim();
        session_->connection().let_nobody_interrupt();
        return std::make_shared<PostgresDeliveryStore>(wish_, std::move(session_),
                                                       std::move(shard));
      });
    } catch (const PgInterrupted&) {
      session_.reset(); // the server takes it out of the queue
      return nullptr;
    }
  }

  std::optional<StoreOwner> owner() override {
    try {
      return with_session([&] { return session_->owner(); });
    } catch (const PgInterrupted&) {
      session_.reset();
      return std::nullopt;
    }
  }

private:
  using Clock = std::chrono::steady_clock;

  // A session from before may have ended meanwhile. Then `f` runs on a new one.
  template <class F>
  auto with_session(const F& f) -> decltype(f()) {
    for (auto is_old = session_ != nullptr;; is_old = false) {
      try {
        if (!session_)
          session_ = std::make_unique<PgSession>(wish_, PgSession::Purpose::own, &interrupt_);
        return f();
      } catch (const PgRefusal& refusal) {
        session_.reset();
        throw pg_store_error(name(), refusal);
      } catch (const PgLost& lost) {
        session_.reset();
        if (!is_old)
          throw pg_store_error(name(), lost);
      } catch (const StoreError&) {
        session_.reset();
        throw;
      }
    }
  }

  bool lock(Duration at_most) {
    if (session_->try_lock())
      return true;
    const auto begin = Clock::now();
    const auto period =
      std::clamp<Duration>(wish_->options.lease, std::chrono::seconds{1}, longest_lock_wait);
    for (auto left = at_most; left > Duration::zero(); left = at_most - (Clock::now() - begin)) {
      session_->end_frozen_owner();
      if (session_->wait_for_lock(std::min(left, period)))
        return true;
    }
    return false;
  }

  std::shared_ptr<const PgWish> wish_;
  PgInterrupt interrupt_{};
  std::unique_ptr<PgSession> session_{}; // it waits, or has waited
};

} // namespace

} // namespace detail

std::shared_ptr<SharedStore> postgres_store(const PostgresAddress& address,
                                            const PostgresOptions& options) {
  return std::make_shared<detail::PostgresSharedStore>(detail::pg_wish(address, options));
}

std::shared_ptr<DeliveryStore> open_postgres_store(const PostgresAddress& address,
                                                   const PostgresOptions& options) {
  const auto shared = postgres_store(address, options);
  auto store = shared->own(Duration::zero());
  if (store)
    return store;
  const auto owner = shared->owner();
  throw StoreError(StoreFailure::in_use, shared->name() + ": "
                                           + (owner ? owner->node : "another process")
                                           + " owns it; end that process first");
}

} // namespace backoff_actor
