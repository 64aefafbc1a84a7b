// What docs/how-to/retry_a_call.md shows, used by a stranger.
#include <backoff_actor/retry/retry.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <stop_token>
#include <string>

using namespace std::chrono_literals;

namespace {

// A service that refuses the connection every time but one.
struct Service {
  int good_call;
  int calls = 0;

  std::string save(const std::string& order) {
    if (++calls != good_call)
      throw std::runtime_error("connection refused");
    return order + " is saved";
  }
};

struct Response {
  int status;
  std::string retry_after;
  std::string body;
};

void with_less() {
  Service service{.good_call = 3};
  // [less]
  // Every exception is retried, for ever.
  const auto saved =
    backoff_actor::retry("fixed(1ms)", [&] { return service.save("order 1"); }).value_or_throw();
  // [less]
  std::cout << saved << '\n';
}

void with_a_retry_after() {
  int calls = 0;
  const auto get = [&] { return ++calls == 1 ? Response{429, "0", ""} : Response{200, "", ""}; };
  // [retry_after]
  const auto assess = [](const Response& response) {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto wish = backoff_actor::parse_retry_after(response.retry_after, now);
    return backoff_actor::answer_of_http(response.status, wish, response.body).assessment();
  };
  const auto result = backoff_actor::retry("fixed(1ms)", {.max_attempts = 6}, assess, get);
  // [retry_after]
  std::cout << result.value->status << " after " << result.attempts << " attempts\n";
}

void with_another_meaning() {
  const Response response{409, "", "charged before"};
  // [another_meaning]
  auto answer = backoff_actor::answer_of_http(response.status, {}, response.body);
  if (answer.status == 409) // of this service: an earlier call has done it
    answer.outcome = backoff_actor::HttpOutcome::done;
  // [another_meaning]
  std::cout << answer.text << (answer.is_done() ? " is done\n" : " is not done\n");
}

void cancelled() {
  Service service{.good_call = 0};
  const auto save = [&] { return service.save("order 2"); };
  // [cancel]
  std::stop_source stop;
  const auto on_retry = [&](const backoff_actor::RetryNotice& notice) {
    if (notice.attempt.number == 2)
      stop.request_stop(); // another thread may do so, too: the wait ends at once
  };
  const auto result =
    backoff_actor::retry("fixed(1ms)", {}, backoff_actor::on_exceptions, save,
                         backoff_actor::SteadyClock{stop.get_token()}, {.on_retry = on_retry});
  if (result.reason == backoff_actor::GaveUp::cancelled)
    std::cout << "cancelled after " << result.attempts << " attempts\n";
  // [cancel]
}

void guarded() {
  Service service{.good_call = 0};
  const auto save = [&] { return service.save("order 3"); };
  // [guard]
  // One guard for each service; copies refer to the same one.
  const backoff_actor::SharedGuard guard{
    backoff_actor::parse_guard("circuit_breaker(3 failures, open 5s)")};
  const auto result =
    backoff_actor::retry("fixed(1ms)", {.max_attempts = 10}, save, {.guard = guard});
  if (result.reason == backoff_actor::GaveUp::held_back)
    std::cout << "held back after " << result.attempts << " attempts\n";
  // [guard]
}

// The one header has the policies of other systems, too.
void as_another_system() {
  Service service{.good_call = 1};
  const auto celery = backoff_actor::like("celery");
  const auto saved =
    backoff_actor::retry(celery.policy, celery.limits, backoff_actor::on_exceptions,
                         [&] { return service.save("order 4"); });
  if (saved.attempts != 1)
    std::cout << "order 4 took " << saved.attempts << " attempts\n";
}

} // namespace

int main() {
  with_less();
  with_a_retry_after();
  with_another_meaning();
  cancelled();
  guarded();
  as_another_system();
}
