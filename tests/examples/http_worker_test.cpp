#include "http_guard/http_worker.hpp"
#include "web_server.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <gmock/gmock.h>

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

namespace http_guard::http_worker_test {

using namespace std::chrono_literals;
using backoff_actor::Duration;
using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

struct Config : caf::actor_system_config {
  Config() { backoff_actor::init(*this); }
};

// What the service says to a job, and what became of the worker.
struct Outcome {
  caf::error error;
  bool worker_lives;

  std::optional<Duration> wish() const { return backoff_actor::retry_after_of(error); }
};

class http_worker : public testing::Test {
protected:
  Outcome on(int status, const std::string& retry_after) {
    const WebServer server{[&](const httplib::Request& request, httplib::Response& response) {
      if (request.matches[1] != "1")
        return;
      response.status = status;
      if (!retry_after.empty())
        response.set_header("Retry-After", retry_after);
    }};
    const auto worker = system_.spawn<HttpWorker, caf::detached>(server.url());
    Outcome result{error_of(worker, "1"), false};
    result.worker_lives = !error_of(worker, "2");
    caf::anon_send_exit(worker, caf::exit_reason::kill);
    return result;
  }

  std::string render(const caf::error& error) { return backoff_actor::render(system_, error); }

private:
  caf::error error_of(const caf::actor& worker, const std::string& job) {
    caf::error result;
    caf::scoped_actor self{system_};
    self->request(worker, caf::infinite, job)
      .receive([](const std::string&) {}, [&](caf::error& error) { result = std::move(error); });
    return result;
  }

  Config config_;
  caf::actor_system system_{config_};
};

std::string http_date(std::time_t at) {
  char text[64];
  std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&at));
  return text;
}

TEST_F(http_worker, passes_on_when_a_429_wants_to_be_tried_again_and_lives) {
  const auto outcome = on(429, "30");

  EXPECT_EQ(outcome.wish(), 30s);
  EXPECT_THAT(render(outcome.error), HasSubstr("/jobs/1: HTTP 429"));
  EXPECT_TRUE(outcome.worker_lives);
}

TEST_F(http_worker, passes_on_a_date_as_the_span_from_now) {
  EXPECT_THAT(on(429, http_date(std::time(nullptr) + 10'000)).wish().value_or(0s),
              AllOf(Ge(9000s), Le(10'000s)));
}

TEST_F(http_worker, takes_no_number_for_a_shorter_wait_than_it_is) {
  EXPECT_GT(on(429, "9223372036854775807").wish().value_or(0s), 1h);
  EXPECT_GT(on(429, "99999999999999999999999999").wish().value_or(Duration::max()), 1h);
}

TEST_F(http_worker, dies_of_a_429_that_says_nothing_sensible) {
  for (const std::string nothing :
       {"", "0", "-1", "soon", "Thu, 01 Jan 1970 00:00:01 GMT", "Thu, 99 Jan 2099 00:00:01 GMT"}) {
    const auto outcome = on(429, nothing);
    EXPECT_EQ(outcome.wish(), std::nullopt) << nothing;
    EXPECT_TRUE(outcome.error) << nothing;
    EXPECT_FALSE(outcome.worker_lives) << nothing;
  }
}

TEST_F(http_worker, dies_of_every_other_failure_whatever_it_says) {
  const auto outcome = on(500, "30");

  EXPECT_EQ(outcome.wish(), std::nullopt);
  EXPECT_TRUE(outcome.error);
  EXPECT_FALSE(outcome.worker_lives);
}

} // namespace http_guard::http_worker_test
