#include "backoff_actor/testing/stores/internal/memory_server_state.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace backoff_actor::testing {

namespace {

// How often a call that waits in real time looks whether a lease is over.
constexpr std::chrono::milliseconds look{5};

// Which delivery a change is about.
struct DeliveryIn {
  std::uint64_t operator()(const change::Insert& x) const { return x.delivery.id; }
  std::uint64_t operator()(const change::ForgetKeys&) const { return 0; }
  std::uint64_t operator()(const change::DropIncoming&) const { return 0; }
  std::uint64_t operator()(const change::KeepAnswer&) const { return 0; }
  template <class Other>
  std::uint64_t operator()(const Other& x) const {
    return x.delivery;
  }
};

// Tells changes apart: the number of the kind, and the delivery.
std::string mark_of(std::span<const StoreChange> changes) {
  std::string result;
  for (const auto& x : changes)
    result.append(std::to_string(x.index()))
      .append(":")
      .append(std::to_string(std::visit(DeliveryIn{}, x)))
      .append(" ");
  return result;
}

} // namespace

// -- the store of an owner ------------------------------------------------------------

class MemoryServer::Owned final : public OwnedStore {
public:
  Owned(std::shared_ptr<State> state, std::shared_ptr<State::Session> session)
    : state_(std::move(state)), session_(std::move(session)), node_(session_->node),
      epoch_(state_->epoch), log_(state_->log) {}

  ~Owned() override {
    const std::lock_guard lock{state_->mutex};
    if (state_->session == session_ && session_)
      state_->end_session();
  }

  std::string name() const override { return state_->name; }

  StoreOwnership ownership() const override { return {epoch_, state_->lease}; }

  // If the answer to the last commit got lost, the number of commits says whether it was made.
  void commit(std::span<const StoreChange> changes) override {
    const std::lock_guard lock{state_->mutex};
    const auto mark = mark_of(changes);
    if (unanswered_ && *unanswered_ != mark)
      throw std::logic_error("a commit without an answer must be made again as it was: "
                             + *unanswered_ + "not: " + mark);
    try {
      const auto now = begin_call();
      if (state_->log.size() == log_.size())
        make(now, changes);
      log_.push_back(state_->log.back());
      unanswered_.reset();
    } catch (const StoreError& error) {
      if (error.failure() == StoreFailure::unreachable)
        unanswered_ = mark;
      else if (error.failure() == StoreFailure::full || error.failure() == StoreFailure::too_large)
        unanswered_.reset();
      throw;
    }
  }

  std::unique_ptr<Intake> open_intake() override { return open_rows(state_, node_); }
  std::unique_ptr<IncomingWriter> open_writer() override { return write_rows(state_, node_); }

  void renew() override {
    call([&](MemoryStore&) { ++state_->renewals; });
  }

  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override {
    call([&](MemoryStore& store) { store.for_each_owed(visit); });
  }
  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override {
    call([&](MemoryStore& store) { store.for_each_acknowledged_key(visit); });
  }
  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override {
    call([&](MemoryStore& store) { store.for_each_dead_letter(visit); });
  }
  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) override {
    return call(
      [&](MemoryStore& /*store*/) { return state_->find_message(idempotency_key, delivery); });
  }
  std::uint64_t last_id() override {
    return call([](MemoryStore& store) { return store.last_id(); });
  }
  std::string message_format() override {
    return call([](MemoryStore& store) { return store.message_format(); });
  }
  void set_message_format(const std::string& format) override {
    call([&](MemoryStore& store) { store.set_message_format(format); });
  }
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) override {
    return call([&](MemoryStore& store) { return store.remove_dead_letters(ids); });
  }
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) override {
    return call([&](MemoryStore& store) {
      std::map<std::uint64_t, StoredDeadLetter> dead;
      store.for_each_dead_letter(
        [&](StoredDeadLetter x) { dead.emplace(x.delivery.id, std::move(x)); });
      std::vector<std::uint64_t> readable;
      std::vector<std::uint64_t> unreadable;
      for (const auto id : ids) {
        auto letter = dead.extract(id);
        if (letter.empty())
          continue;
        const auto is_readable = letter.mapped().reason != DeadLetterReason::unreadable;
        (is_readable ? readable : unreadable).push_back(id);
        if (is_readable)
          continue;
        auto& delivery = letter.mapped().delivery;
        state_->add_row({0, std::move(delivery.key), std::move(delivery.idempotency_key),
                         std::move(delivery.message.types), std::move(delivery.message.bytes),
                         std::nullopt, std::move(delivery.context)},
                        Instant{}, true);
      }
      return store.resubmit_dead_letters(readable) + store.remove_dead_letters(unreadable);
    });
  }

private:
  void make(Instant now, std::span<const StoreChange> changes) {
    if (state_->commit_failure)
      state_->fail(*state_->commit_failure,
                   "told to fail, " + std::string{to_string(*state_->commit_failure)});
    const auto cut = std::exchange(state_->cut, std::nullopt);
    if (cut != LostCommit::not_made)
      state_->apply(node_, now, changes);
    if (cut)
      lose_answer();
  }

  template <class Work>
  std::invoke_result_t<Work, MemoryStore&> call(Work work) {
    const std::lock_guard lock{state_->mutex};
    begin_call();
    if (std::exchange(state_->cut, std::nullopt))
      lose_answer();
    return work(*state_->content);
  }

  [[noreturn]] void lose_answer() {
    state_->end_session();
    session_ = nullptr;
    state_->fail(StoreFailure::unreachable, "the connection broke");
  }

  // Returns the server's time. The server hears the owner, or this throws.
  Instant begin_call() {
    if (is_lost_)
      state_->fail(StoreFailure::disowned, "another process owns it");
    const auto now = state_->look_at_clock();
    state_->require_server_for(node_);
    if (session_ && state_->session != session_) {
      session_ = nullptr;
      state_->fail(StoreFailure::unreachable, "the server has ended the session");
    }
    if (!session_)
      open_session(now);
    session_->heard = now;
    return now;
  }

  void open_session(Instant now) {
    if (state_->session_failure)
      state_->fail(*state_->session_failure, "told to refuse the session");
    if (state_->session || state_->epoch != epoch_) {
      is_lost_ = true;
      state_->fail(StoreFailure::disowned, "another process owns it");
    }
    session_ = std::make_shared<State::Session>(State::Session{node_, now});
    state_->session = session_;
    while (state_->log.size() < log_.size()) // the server has forgotten them
      state_->apply(node_, now, log_[state_->log.size()].changes);
  }

  const std::shared_ptr<State> state_;
  std::shared_ptr<State::Session> session_; // none: the connection is known to be broken
  const std::string node_;
  const std::uint64_t epoch_;
  std::vector<State::LoggedCommit> log_;  // the server's, when it last answered a commit
  std::optional<std::string> unanswered_; // the mark of the last commit, if nobody knows of it
  bool is_lost_ = false;
};

// -- the store of a process that does not own it ------------------------------------------

class MemoryServer::View final : public DeliveryStore {
public:
  View(std::shared_ptr<State> state, std::string node)
    : state_(std::move(state)), node_(std::move(node)) {}

  std::string name() const override { return state_->name; }
  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override {
    read([&](MemoryStore& store) { store.for_each_owed(visit); });
  }
  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override {
    read([&](MemoryStore& store) { store.for_each_acknowledged_key(visit); });
  }
  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override {
    read([&](MemoryStore& store) { store.for_each_dead_letter(visit); });
  }
  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) override {
    return read([&](MemoryStore&) { return state_->find_message(idempotency_key, delivery); });
  }
  std::uint64_t last_id() override {
    return read([](MemoryStore& store) { return store.last_id(); });
  }
  std::string message_format() override {
    return read([](MemoryStore& store) { return store.message_format(); });
  }
  void commit(std::span<const StoreChange> /*changes*/) override { refuse(); }
  void set_message_format(const std::string& /*format*/) override { refuse(); }
  std::size_t remove_dead_letters(std::span<const std::uint64_t> /*ids*/) override { refuse(); }
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> /*ids*/) override { refuse(); }

private:
  template <class Read>
  auto read(Read what) -> decltype(what(std::declval<MemoryStore&>())) {
    const std::lock_guard lock{state_->mutex};
    state_->require_server_for(node_);
    return what(*state_->content);
  }

  [[noreturn]] void refuse() const { state_->fail(StoreFailure::read_only, "open for reading"); }

  const std::shared_ptr<State> state_;
  const std::string node_;
};

// -- the outbox as a process sees it --------------------------------------------------

class MemoryServer::Shared final : public SharedStore {
public:
  Shared(std::shared_ptr<State> state, std::string node)
    : state_(std::move(state)), node_(std::move(node)) {}

  std::string name() const override { return state_->name; }

  std::shared_ptr<OwnedStore> own(Duration at_most) override {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + at_most;
    std::unique_lock lock{state_->mutex};
    while (!is_interrupted_) {
      const auto now = state_->look_at_clock();
      require_server();
      if (!state_->session)
        return open_session(now);
      const auto left = until - Clock::now();
      if (left <= Duration::zero())
        break;
      state_->changed.wait_for(lock, std::min<Duration>(left, look));
    }
    return nullptr;
  }

  void interrupt() override {
    const std::lock_guard lock{state_->mutex};
    is_interrupted_ = true;
    state_->changed.notify_all();
  }

  std::optional<StoreOwner> owner() override {
    const std::lock_guard lock{state_->mutex};
    state_->look_at_clock();
    require_server();
    return state_->owner();
  }

  std::unique_ptr<IncomingWriter> open_writer() override { return write_rows(state_, node_); }
  std::shared_ptr<DeliveryStore> open_to_read() override {
    return std::make_shared<View>(state_, node_);
  }

private:
  void require_server() const {
    state_->require_server_for(node_);
    if (state_->session_failure)
      state_->fail(*state_->session_failure, "told to refuse the session");
  }

  std::shared_ptr<OwnedStore> open_session(Instant now) {
    state_->session = std::make_shared<State::Session>(State::Session{node_, now});
    ++state_->epoch;
    state_->last_node = node_;
    state_->since = now;
    return std::make_shared<Owned>(state_, state_->session);
  }

  const std::shared_ptr<State> state_;
  const std::string node_;
  bool is_interrupted_ = false;
};

// -- the test's side ------------------------------------------------------------------

MemoryServer::MemoryServer(std::function<Instant()> clock, Duration lease, std::string name)
  : state_(std::make_shared<State>(std::move(clock), lease, std::move(name))) {}

MemoryServer::~MemoryServer() = default;

std::shared_ptr<SharedStore> MemoryServer::store(std::string node) {
  return std::make_shared<Shared>(state_, std::move(node));
}

void MemoryServer::end_session() {
  const std::lock_guard lock{state_->mutex};
  state_->end_session();
}

void MemoryServer::cut_next_call(LostCommit what) {
  const std::lock_guard lock{state_->mutex};
  state_->cut = what;
}

void MemoryServer::cut_off(const std::string& node) {
  const std::lock_guard lock{state_->mutex};
  state_->cut_off.insert(node);
}

void MemoryServer::connect_again(const std::string& node) {
  const std::lock_guard lock{state_->mutex};
  state_->cut_off.erase(node);
}

void MemoryServer::crash() {
  const std::lock_guard lock{state_->mutex};
  state_->is_up = false;
  state_->end_session();
}

void MemoryServer::start_again() {
  const std::lock_guard lock{state_->mutex};
  state_->is_up = true;
}

void MemoryServer::forget_last(std::size_t commits) {
  const std::lock_guard lock{state_->mutex};
  state_->end_session();
  auto log = std::exchange(state_->log, {});
  log.resize(log.size() - std::min(commits, log.size()));
  const auto format = state_->content->message_format();
  state_->content = std::make_shared<MemoryStore>(state_->name);
  if (!format.empty())
    state_->content->set_message_format(format);
  state_->gone.clear();
  for (const auto& x : log) {
    state_->content->commit(x.changes);
    state_->note_rows(x.changes);
  }
  state_->log = std::move(log);
}

void MemoryServer::fail_commits(std::optional<StoreFailure> failure) {
  const std::lock_guard lock{state_->mutex};
  state_->commit_failure = failure;
}

void MemoryServer::fail_sessions(std::optional<StoreFailure> failure) {
  const std::lock_guard lock{state_->mutex};
  state_->session_failure = failure;
}

std::vector<MemoryServer::Commit> MemoryServer::commits() const {
  const std::lock_guard lock{state_->mutex};
  std::vector<Commit> result;
  for (const auto& x : state_->log)
    result.push_back(x.commit);
  return result;
}

std::shared_ptr<const MemoryStore> MemoryServer::content() const {
  const std::lock_guard lock{state_->mutex};
  return state_->content;
}

std::optional<StoreOwner> MemoryServer::owner() const {
  const std::lock_guard lock{state_->mutex};
  state_->look_at_clock();
  return state_->owner();
}

std::size_t MemoryServer::renewals() const { return state_->renewals; }

} // namespace backoff_actor::testing
