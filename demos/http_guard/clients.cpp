#include "clients.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/submit.hpp"

#include <caf/behavior.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace http_guard {

namespace {

class Client final : public caf::event_based_actor {
public:
  /// Owns the jobs `first`, `first + stride`, `first + 2 * stride` and so on.
  Client(caf::actor_config& config, caf::actor guard, Jobs* jobs, RunRecord* record,
         std::uint64_t first, std::uint64_t stride)
    : caf::event_based_actor(config), guard_(std::move(guard)), jobs_(*jobs), record_(*record),
      next_(first), stride_(stride) {}

  // Without a behavior it lives as long as an answer is due.
  caf::behavior make_behavior() override {
    for (auto i = 0; i < client_window; ++i)
      request_next();
    return {};
  }

  void on_exit() override {
    guard_ = nullptr;
    --jobs_.clients_running;
  }

private:
  void request_next() {
    if (is_refused_ || next_ >= jobs_.states.size())
      return;
    const auto job = next_;
    next_ += stride_;
    jobs_.states[job] = Jobs::State::submitted;
    const auto id = jobs_.id_of(job);
    if (jobs_.id_prefix.empty())
      ask(job, id);
    else
      ask(job, backoff_actor::Submit{.message = caf::make_message(id), .idempotency_key = id});
  }

  template <class Message>
  void ask(std::uint64_t job, const Message& message) {
    request(guard_, caf::infinite, message)
      .then(
        [this, job](const std::string&) {
          jobs_.states[job] = Jobs::State::answered;
          request_next();
        },
        [this, job](const caf::error& error) { on_error(job, error); });
  }

  void on_error(std::uint64_t job, const caf::error& error) {
    using backoff_actor::SenderError;
    if (error == make_error(SenderError::already_acknowledged)) {
      record_.known_before();
      jobs_.states[job] = Jobs::State::answered;
      return request_next();
    }
    if (error == make_error(SenderError::attempts_exhausted)) {
      jobs_.states[job] = Jobs::State::failed;
      return request_next();
    }
    jobs_.states[job] =
      error == make_error(SenderError::suspended) ? Jobs::State::owed : Jobs::State::failed;
    is_refused_ = true;
  }

  caf::actor guard_;
  Jobs& jobs_;
  RunRecord& record_;
  std::uint64_t next_;
  const std::uint64_t stride_;
  bool is_refused_ = false;
};

} // namespace

void spawn_clients(caf::actor_system& system, std::uint64_t count, const caf::actor& sender,
                   Jobs& jobs, RunRecord& record) {
  const auto clients = std::min<std::uint64_t>(count, jobs.states.size());
  jobs.clients_running = clients;
  for (std::uint64_t i = 0; i < clients; ++i)
    system.spawn<Client>(sender, &jobs, &record, i, clients);
}

} // namespace http_guard
