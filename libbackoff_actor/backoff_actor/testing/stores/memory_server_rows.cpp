// What other programs have handed over to the server for tests.

#include "backoff_actor/testing/stores/internal/memory_server_state.hpp"

#include <memory>
#include <unordered_set>

namespace backoff_actor::testing {

// -- the intake of an owner -----------------------------------------------------------

// Waits for nothing: whoever uses it looks once in a while.
class MemoryServer::Rows final : public Intake {
public:
  Rows(std::shared_ptr<State> state, std::string node)
    : state_(std::move(state)), node_(std::move(node)) {
    Rows::catch_up();
  }

  std::vector<IncomingMessage> take(std::size_t at_most,
                                    const std::unordered_set<std::uint64_t>& held) override {
    const std::lock_guard lock{state_->mutex};
    state_->require_server_for(node_);
    ++state_->looks;
    if (state_->look_failure)
      state_->fail(*state_->look_failure, "its rows cannot be read");
    const auto now = state_->clock();
    std::vector<IncomingMessage> result;
    auto is_all = true;
    for (const auto is_timed : {false, true}) // those that waited for their time come last
      for (const auto& x : state_->rows) {
        const auto row = x.message.row;
        if ((x.not_before != Instant{}) != is_timed || !x.is_committed || x.not_before > now
            || held.contains(row) || taken_.contains(row) || state_->gone.contains(row))
          continue;
        if (result.size() >= at_most) {
          is_all = is_all && (is_timed || row > newest_);
          continue;
        }
        taken_.insert(row);
        result.push_back(read(x.message));
        if (auto& life = result.back().time_to_live)
          *life -= now - x.at;
      }
    has_caught_up_ = has_caught_up_ || is_all;
    return result;
  }

  void catch_up() override {
    const std::lock_guard lock{state_->mutex};
    newest_ = state_->rows.size();
    has_caught_up_ = false;
  }

  bool has_caught_up() const override { return has_caught_up_; }

  void give_back(std::span<const std::uint64_t> rows) override {
    for (const auto row : rows)
      taken_.erase(row);
  }
  void wait(Duration /*at_most*/) override {}
  void interrupt() override {}

private:
  IncomingMessage read(const IncomingMessage& x) const {
    if (x.size() <= state_->row_limit)
      return x;
    IncomingMessage result;
    result.row = x.row;
    result.bytes_left = x.size();
    return result;
  }

  const std::shared_ptr<State> state_;
  const std::string node_;
  std::unordered_set<std::uint64_t> taken_{}; // and not given back
  std::uint64_t newest_ = 0;                  // at the last `catch_up`
  bool has_caught_up_ = false;
};

std::unique_ptr<Intake> MemoryServer::open_rows(std::shared_ptr<State> state, std::string node) {
  return std::make_unique<Rows>(std::move(state), std::move(node));
}

// -- a process that does not own the store --------------------------------------------

class MemoryServer::NewRows final : public IncomingWriter {
public:
  NewRows(std::shared_ptr<State> state, std::string node)
    : state_(std::move(state)), node_(std::move(node)) {}

  void write(std::span<const IncomingMessage> messages, const std::string& format) override {
    const std::lock_guard lock{state_->mutex};
    state_->require_server_for(node_);
    if (const auto found = state_->content->message_format(); !found.empty() && found != format)
      state_->fail(StoreFailure::incompatible, "its messages were written by " + found);
    const auto is_refused = [](const IncomingMessage& x) { return x.type.empty(); };
    if (std::any_of(messages.begin(), messages.end(), is_refused))
      state_->fail(StoreFailure::input_output, "a row has no type");
    for (const auto& x : messages)
      state_->add_row(x, Instant{}, true);
  }

  bool write_order(const IncomingMessage& order, const std::string& format) override {
    {
      const std::lock_guard lock{state_->mutex};
      state_->require_server_for(node_);
      const auto found = state_->find_message(order.idempotency_key, 0);
      if (found.state != MessageState::waiting || found.delivery != 0)
        return false;
    }
    write({&order, 1}, format);
    return true;
  }

private:
  const std::shared_ptr<State> state_;
  const std::string node_;
};

std::unique_ptr<IncomingWriter> MemoryServer::write_rows(std::shared_ptr<State> state,
                                                         std::string node) {
  return std::make_unique<NewRows>(std::move(state), std::move(node));
}

// -- the test's side ------------------------------------------------------------------

std::uint64_t MemoryServer::hand_over(IncomingMessage message, Instant not_before) {
  const std::lock_guard lock{state_->mutex};
  return state_->add_row(std::move(message), not_before, true);
}

std::uint64_t MemoryServer::begin_row(IncomingMessage message) {
  const std::lock_guard lock{state_->mutex};
  return state_->add_row(std::move(message), Instant{}, false);
}

void MemoryServer::commit_row(std::uint64_t row) {
  const std::lock_guard lock{state_->mutex};
  state_->rows.at(row - 1).is_committed = true;
}

void MemoryServer::limit_rows(std::size_t bytes) {
  const std::lock_guard lock{state_->mutex};
  state_->row_limit = bytes;
}

std::vector<std::uint64_t> MemoryServer::incoming() const {
  const std::lock_guard lock{state_->mutex};
  std::vector<std::uint64_t> result;
  for (const auto& x : state_->rows)
    if (x.is_committed && !state_->gone.contains(x.message.row))
      result.push_back(x.message.row);
  return result;
}

void MemoryServer::fail_looks(std::optional<StoreFailure> failure) {
  const std::lock_guard lock{state_->mutex};
  state_->look_failure = failure;
}

std::size_t MemoryServer::looks() const {
  const std::lock_guard lock{state_->mutex};
  return state_->looks;
}

} // namespace backoff_actor::testing
