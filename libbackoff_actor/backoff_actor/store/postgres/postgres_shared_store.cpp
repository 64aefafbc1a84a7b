#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_session.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"
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

const PgStatement ping{nullptr, "SELECT 1", {}};

// $7: the format of the payloads. The server numbers the rows in their order.
const PgStatement hand_over{
  nullptr,
  "INSERT INTO backoff.incoming(outbox, key, idempotency_key, type, payload, deadline, context) "
  "SELECT $1, t.key, t.idempotency_key, t.type, t.payload, clock_timestamp() + t.life * interval "
  "'1 us', nullif(t.context, '') FROM unnest($2, $3, $4, $5, $6, $8) WITH ORDINALITY AS t(key, "
  "idempotency_key, type, payload, life, context, place) WHERE EXISTS (SELECT FROM backoff.outbox "
  "o WHERE o.name = $1 AND o.message_format IN "
  "('', $7)) ORDER BY t.place",
  {pg_type::text, pg_type::text_array, pg_type::text_array, pg_type::text_array,
   pg_type::bytea_array, pg_type::int8_array, pg_type::text, pg_type::text_array}};

// Of an order, whether a row is there that it can mean.
const PgStatement has_row{
  nullptr,
  "SELECT EXISTS (SELECT FROM backoff.incoming WHERE outbox_id = (SELECT id FROM backoff.outbox "
  "WHERE name = $1) AND idempotency_key = $2 AND type <> 'backoff.cancel')::int4",
  {pg_type::text, pg_type::text}};

class PostgresIncomingWriter final : public IncomingWriter {
public:
  explicit PostgresIncomingWriter(std::shared_ptr<const PgWish> wish) : wish_(std::move(wish)) {}

  void write(std::span<const IncomingMessage> messages, const std::string& format) override {
    if (messages.empty())
      return;
    const auto rows = call([&] {
      const auto result = session_->connection().run(insertion(messages, format)).changed();
      session_->await_replicas();
      return result;
    });
    if (rows != messages.size())
      throw StoreError(StoreFailure::incompatible,
                       wish_->target.name + ": its messages are not written by " + format);
  }

  bool write_order(const IncomingMessage& order, const std::string& format) override {
    const auto is_there = call([&] {
      const auto rows =
        session_->connection().run({&has_row, {wish_->outbox, order.idempotency_key}});
      return rows.is_true(0, 0);
    });
    if (is_there)
      write({&order, 1}, format);
    return is_there;
  }

private:
  template <class F>
  auto call(const F& f) -> decltype(f()) {
    try {
      reach();
      return f();
    } catch (const PgRefusal& refusal) {
      throw pg_store_error(wish_->target.name, refusal);
    } catch (const PgLost& lost) {
      session_.reset();
      throw pg_store_error(wish_->target.name, lost);
    }
  }

  // A session that has ended meanwhile is found before anything is written.
  void reach() {
    try {
      if (session_)
        session_->connection().run({&ping});
    } catch (const PgLost&) {
      session_.reset();
    }
    if (!session_)
      session_ = std::make_unique<PgSession>(wish_, PgSession::Purpose::own, nullptr);
  }

  PgCall insertion(std::span<const IncomingMessage> messages, const std::string& format) const {
    PgArray keys{pg_type::text};
    PgArray idempotency_keys{pg_type::text};
    PgArray types{pg_type::text};
    PgArray payloads{pg_type::bytea};
    PgArray lives{pg_type::int8};
    PgArray contexts{pg_type::text};
    for (const auto& x : messages) {
      keys.add(x.key);
      idempotency_keys.add(x.idempotency_key);
      types.add(x.type);
      payloads.add(std::span{x.payload});
      contexts.add(x.context);
      if (x.time_to_live)
        lives.add(std::chrono::floor<std::chrono::microseconds>(*x.time_to_live).count());
      else
        lives.add_null();
    }
    return {&hand_over,
            {wish_->outbox, keys.take(), idempotency_keys.take(), types.take(), payloads.take(),
             lives.take(), format, contexts.take()}};
  }

  const std::shared_ptr<const PgWish> wish_;
  std::unique_ptr<PgSession> session_{}; // null: it is not connected
};

class PostgresSharedStore final : public SharedStore {
public:
  explicit PostgresSharedStore(std::shared_ptr<const PgWish> wish) : wish_(std::move(wish)) {}

  std::string name() const override { return wish_->target.name; }
  void interrupt() override { interrupt_.raise(); }

  std::shared_ptr<OwnedStore> own(Duration at_most) override {
    if (interrupt_.is_raised())
      return nullptr;
    try {
      return with_session([&]() -> std::shared_ptr<OwnedStore> {
        if (!lock(at_most))
          return nullptr;
        auto row = session_->claim();
        session_->connection().let_nobody_interrupt();
        return std::make_shared<PostgresDeliveryStore>(wish_, std::move(session_), std::move(row));
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

  std::unique_ptr<IncomingWriter> open_writer() override { return open_pg_writer(wish_); }

  std::shared_ptr<DeliveryStore> open_to_read() override { return pg_view(wish_); }

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

std::unique_ptr<IncomingWriter> open_pg_writer(std::shared_ptr<const PgWish> wish) {
  return std::make_unique<PostgresIncomingWriter>(std::move(wish));
}

} // namespace detail

std::shared_ptr<SharedStore> postgres_store(const PostgresAddress& address,
                                            const PostgresOptions& options) {
  return std::make_shared<detail::PostgresSharedStore>(detail::pg_wish(address, options));
}

std::shared_ptr<OwnedStore> open_postgres_store(const PostgresAddress& address,
                                                const PostgresOptions& options) {
  const auto shared = postgres_store(address, options);
  auto store = shared->own(Duration::zero());
  if (store)
    return store;
  const auto owner = shared->owner();
  if (owner && !owner->is_alive && !owner->held_by.empty())
    throw StoreError(StoreFailure::in_use, shared->name() + ": " + owner->held_by
                                             + " holds its lock; end that process first");
  throw StoreError(StoreFailure::in_use, shared->name() + ": "
                                           + (owner ? owner->node : "another process")
                                           + " owns it; end that process first");
}

} // namespace backoff_actor
