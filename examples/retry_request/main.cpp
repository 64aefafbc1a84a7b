// An actor calls another that fails, and calls it again with growing delays, without a state or a
// timer of its own.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>

using namespace std::chrono_literals;

// Is too busy for the first two calls, and says so; then silent once; then it answers.
class Service : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](const std::string& order) -> caf::result<std::string> {
      switch (++calls_) {
      case 1:
      case 2:
        return backoff_actor::retry_after(caf::sec::runtime_error, 5ms, "too busy");
      case 3:
        silent_ = make_response_promise();
        return caf::delegated<std::string>{};
      default:
        return order + " done";
      }
    }};
  }

  void on_exit() override { silent_ = {}; }

private:
  int calls_ = 0;
  caf::response_promise silent_;
};

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: retry_request\n";
    return 2;
  }
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  const auto service = system.spawn<Service>();
  caf::scoped_actor self{system};

  // [retry_request]
  using namespace backoff_actor;
  const Policy policy = Exponential{.first = 1ms, .factor = 2, .cap = 1s} | full_jitter;
  const Limits limits{.max_attempts = 6, .max_elapsed = 10s, .attempt_timeout = 200ms};
  const auto is_worth_it = [](const caf::error& error) {
    return error == caf::sec::runtime_error || error == caf::sec::request_timeout;
  };
  retry_request(self, service, policy, limits, is_worth_it, "order 7")
    .receive(
      [&](const RetriedReply& reply) {
        if (reply.is_answered())
          std::cout << reply.value.get_as<std::string>(0) << ", attempts " << reply.attempts
                    << std::endl;
        else
          std::cout << render(system, reply) << std::endl;
      },
      [&](const caf::error& error) { std::cout << render(system, error) << std::endl; });
  // [retry_request]

  self->send_exit(service, caf::exit_reason::user_shutdown);
}
