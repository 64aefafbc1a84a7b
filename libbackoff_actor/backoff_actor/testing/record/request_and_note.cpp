#include "backoff_actor/testing/record/request_and_note.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>
#include <array>

namespace backoff_actor::testing {

namespace {

bool is_refusal(const caf::error& error) {
  static constexpr std::array refusals{SenderError::outbox_full, SenderError::draining,
                                       SenderError::held_back};
  return std::any_of(refusals.begin(), refusals.end(),
                     [&error](SenderError code) { return error == make_error(code); });
}

// A client that makes one request and notes its outcome.
class NotingClient final : public compat::RequestingActor {
public:
  NotingClient(caf::actor_config& config, Ledger ledger, std::string key, caf::actor receiver,
               caf::message content)
    : RequestingActor(config), ledger_(std::move(ledger)), key_(std::move(key)),
      receiver_(std::move(receiver)), content_(std::move(content)) {}

  const char* name() const override { return "backoff_actor.noting_client"; }

  caf::behavior make_behavior() override {
    ledger_.submitted(key_);
    make_request(1, std::exchange(receiver_, nullptr), std::exchange(content_, {}),
                 compat::Priority::normal);
    return complete([](const WakeUp&) {}); // never called; without a handler the client would end
  }

private:
  void on_response(std::uint64_t, caf::message&& content, const caf::strong_actor_ptr&) override {
    if (!content.match_elements<caf::error>())
      ledger_.acknowledged(key_);
    else if (is_refusal(content.get_as<caf::error>(0)))
      ledger_.refused(key_);
    else
      ledger_.dead_lettered(key_);
    quit();
  }

  void on_down(const caf::actor_addr&, const caf::error&) override {}

  Ledger ledger_;
  std::string key_;
  caf::actor receiver_;
  caf::message content_;
};

} // namespace

caf::actor request_and_note(caf::actor_system& system, const Ledger& ledger, std::string key,
                            const caf::actor& receiver, caf::message content) {
  Problems problems;
  if (!receiver)
    problems.add("receiver", "an invalid handle", "the handle of an actor");
  problems.raise_if_any();
  return system.spawn<NotingClient>(ledger, std::move(key), receiver, std::move(content));
}

} // namespace backoff_actor::testing
