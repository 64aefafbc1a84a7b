#pragma once

#include "fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

#include <caf/actor_registry.hpp>
#include <caf/sec.hpp>

#include <deque>

namespace backoff_actor::actor_test {

/// A target in virtual time that does what a list says, one act per request, and answers when the
/// list is at its end. Instants count from the last call.
class RetryRequest : public ::testing::Test {
protected:
  /// What has come of a call; shared with the caller.
  struct Got {
    std::optional<RetriedReply> reply;
    std::optional<caf::error> error;
    std::optional<Duration> at;
  };

  /// A request that waits for its answer.
  struct Held {
    caf::response_promise client;
    caf::message answer;
  };

  using Act = std::function<caf::message(caf::event_based_actor*, std::vector<Held>&)>;
  using Acts = std::deque<Act>;
  using Pending = std::shared_ptr<Got>;

  RetryRequest() { target = spawn_target(); }

  // -- acts -------------------------------------------------------------------------------

  static Act fails_with(caf::error error) {
    return
      [error](caf::event_based_actor*, std::vector<Held>&) { return caf::make_message(error); };
  }

  static Act fails(const std::string& text) {
    return fails_with(caf::make_error(caf::sec::runtime_error, text));
  }

  static Act asks_for(Duration span) {
    return fails_with(retry_after(caf::sec::runtime_error, span));
  }

  static Act stays_silent() {
    return [](caf::event_based_actor* self, std::vector<Held>& all_held) {
      all_held.push_back({self->make_response_promise(), {}});
      return caf::message{};
    };
  }

  static Act delivers_after(Duration span, caf::message content) {
    return [=](caf::event_based_actor* self, std::vector<Held>& all_held) {
      all_held.push_back({self->make_response_promise(), content});
      compat::send_later(*self, span, std::uint64_t{all_held.size() - 1});
      return caf::message{};
    };
  }

  static Act answers_after(Duration span, const std::string& text) {
    return delivers_after(span, caf::make_message(text));
  }

  static Act fails_after(Duration span) {
    return delivers_after(span, caf::make_message(caf::make_error(caf::sec::runtime_error)));
  }

  // -- actors -----------------------------------------------------------------------------

  caf::actor spawn_behaving(Behaving::Make make) {
    return time.keep(time.system().spawn<Behaving>(std::move(make)));
  }

  caf::actor spawn_target() {
    return spawn_behaving([this](caf::event_based_actor* self) -> caf::behavior {
      return {
        [this, self](const std::string& text) -> caf::result<caf::message> {
          instants.push_back(time.now());
          places.push_back(&text);
          last_sender = caf::actor_cast<caf::actor_addr>(self->current_sender());
          if (acts.empty())
            return caf::make_message(text + " done");
          const auto act = acts.front();
          acts.pop_front();
          const auto count = held.size();
          auto result = act(self, held);
          if (held.size() != count)
            return caf::delegated<caf::message>{};
          return result;
        },
        [this](std::uint64_t number) {
          auto& due = held.at(number);
          compat::answer(due.client, due.answer);
        },
      };
    });
  }

  // -- calls ------------------------------------------------------------------------------

  /// Lets a caller do `work`, and its answer be kept.
  template <class Work>
  Pending spawn_caller(Work work) {
    auto got = std::make_shared<Got>();
    instants.clear();
    places.clear();
    began = time.now();
    caller = time.system()
               .spawn<Caller>([this, got, work](caf::event_based_actor* self) {
                 work(self).then(
                   [this, got](const RetriedReply& reply) {
                     got->reply = reply;
                     got->at = time.now() - began;
                   },
                   [got](const caf::error& error) { got->error = error; });
               })
               .address();
    time.run();
    return got;
  }

  template <class... Ts>
  Pending call_with(const Policy& policy, const backoff_actor::Limits& limits,
                    const ErrorPredicate& predicate, Ts... values) {
    return spawn_caller([=, this](caf::event_based_actor* self) {
      return retry_request(self, target, policy, limits, predicate, values...);
    });
  }

  Pending call(const Policy& policy, const backoff_actor::Limits& limits,
               const ErrorPredicate& predicate = {}) {
    return call_with(policy, limits, predicate, std::string{"job"});
  }

  Pending call_with_options(const RetryRequestOptions& options) {
    return spawn_caller([=, this](caf::event_based_actor* self) {
      return retry_request(self, target, options, std::string{"job"});
    });
  }

  // -- what came of it ----------------------------------------------------------------------

  /// When the target was asked.
  std::vector<Duration> asked() const {
    std::vector<Duration> result;
    for (const auto& instant : instants)
      result.push_back(instant - began);
    return result;
  }

  /// What is rendered of a reply, without its error.
  std::string outcome(const Pending& got) {
    if (!got->reply)
      return got->error ? "an error" : "nothing";
    const auto text = render(time.system(), *got->reply);
    return text.substr(0, text.find(": "));
  }

  std::string error_in(const Pending& got) {
    return got->reply ? render(time.system(), got->reply->error) : "no reply";
  }

  static std::string text_in(const Pending& got) {
    return got->reply && got->reply->value.match_elements<std::string>()
             ? got->reply->value.get_as<std::string>(0)
             : "no text";
  }

  /// How many actors live beside those that the test keeps.
  std::size_t helpers() { return time.system().registry().running() - kept; }

  VirtualTime time{register_test_types};
  caf::actor target;
  caf::actor_addr caller;
  Acts acts;
  std::vector<Held> held;
  std::vector<Instant> instants;
  std::vector<const std::string*> places;
  std::optional<caf::actor_addr> last_sender;
  Instant began;
  std::size_t kept = 1;
};

} // namespace backoff_actor::actor_test
