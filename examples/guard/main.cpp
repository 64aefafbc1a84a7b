// One guard for everybody who calls the same service: a function that is retried, and actors.
//
// The service is down at first. Whoever finds that out opens the breaker for all; then a probe
// finds the service well, and closes it. Another service is never down, but takes only so many
// calls a second.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/guard/parse_guard.hpp>
#include <backoff_actor/retry/retry.hpp>

#include <caf/scoped_actor.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

namespace {

// What both call.
struct Service {
  std::atomic<bool> is_down = true;
  std::atomic<int> calls = 0;

  std::string get(const std::string& what) {
    ++calls;
    if (is_down)
      throw std::runtime_error("connection refused");
    return what + " done";
  }
};

// Calls the service for others.
class Worker : public caf::event_based_actor {
public:
  Worker(caf::actor_config& config, Service* service)
    : caf::event_based_actor(config), service_(service) {}

  caf::behavior make_behavior() override {
    return {[this](const std::string& order) -> caf::result<std::string> {
      try {
        return service_->get(order);
      } catch (const std::exception& error) {
        return caf::make_error(caf::sec::runtime_error, std::string{error.what()});
      }
    }};
  }

private:
  Service* service_;
};

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: guard\n";
    return 2;
  }
  using namespace backoff_actor;
  Service service; // before the actor system, whose workers call it to the last
  Service slow;
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};

  // [make]
  const SharedGuard guard{parse_guard("circuit_breaker(2 failures, open 1s, spread 0s)"),
                          [](const GuardEvent& event) { std::cout << to_string(event) << '\n'; }};
  // [make]

  // [retry]
  const auto get = [&](const std::string& what) {
    RetryOptions options;
    options.guard = guard;
    return retry(
      Fixed{1ms}, {.max_attempts = 6}, on_exceptions, [&] { return service.get(what); }, options);
  };
  const auto order = get("order 1"); // the second failure opens the breaker: no third attempt
  if (!order && order.held_back_by)
    std::cout << to_string(*order.held_back_by) << " after " << order.attempts << " attempts\n";
  // [retry]

  // [guarded]
  const auto worker = guarded(system.spawn<Worker>(&service), guard);
  caf::scoped_actor self{system};
  self->request(worker, caf::infinite, std::string{"order 2"})
    .receive([](const std::string& answer) { std::cout << answer << '\n'; },
             [](const caf::error& error) {
               if (const auto reason = held_back_by(error)) // and retry_after_of(error) says when
                 std::cout << to_string(*reason) << ", the worker was not asked\n";
             });
  // [guarded]

  // [request]
  service.is_down = false;
  // What stands before the worker says when to come back, and that is when it is asked again.
  retry_request(self, worker, Fixed{1ms}, {.max_elapsed = 10s}, {}, std::string{"order 3"})
    .receive(
      [&](const RetriedReply& reply) {
        std::cout << (reply.is_answered() ? reply.value.get_as<std::string>(0)
                                          : render(system, reply))
                  << '\n';
      },
      [&](const caf::error& error) { std::cout << render(system, error) << '\n'; });
  // [request]

  // [sender]
  SenderOptions options;
  options.guard = guard; // of all senders whose workers call the service
  options.backoff = parse_policy("exponential(100ms, x2, cap 30s) | full_jitter"); // for many
  const auto sender = spawn_back_off_sender(system, child_of<Worker>(&service), options);
  guard.isolate();
  self->send(sender, std::string{"order 4"}); // waits, and nobody fails
  guard.close();                              // comes back within the spread
  self->receive([](const std::string& answer) { std::cout << answer << '\n'; });
  // [sender]

  // [health_check]
  RetryOptions through_the_guard;
  through_the_guard.guard = guard; // that of the senders
  const auto is_well = retry(
    Fixed{1ms}, {.max_attempts = 1}, on_exceptions, [&] { return service.get("health"); },
    through_the_guard);
  // [health_check]
  if (is_well)
    std::cout << *is_well.value << '\n';

  // [rate]
  const SharedGuard pace{parse_guard("rate(100/s, burst 5)"),
                         [](const GuardEvent& event) { std::cout << to_string(event) << '\n'; }};
  slow.is_down = false;
  SenderOptions paced;
  paced.guard = pace; // of all senders whose workers call this service
  const auto printer = spawn_back_off_sender(system, child_of<Worker>(&slow), paced);
  for (int i = 0; i < 20; ++i) // five at once, the others 10 ms apart
    self->send(printer, std::string{"page"});
  int pages = 0;
  self->receive_for(pages, 20)([](const std::string&) {});
  std::cout << to_string(pace.status()) << '\n';
  // [rate]

  // [status]
  std::cout << service.calls << " calls; " << to_string(guard.status()) << std::endl;
  // [status]
}
