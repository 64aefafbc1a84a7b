#include "http_guard/http_worker.hpp"
#include "web_server.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages/error_predicate.hpp"
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

TEST_F(http_worker, passes_on_when_the_service_wants_to_be_tried_again_and_lives) {
  for (const auto status : {429, 503, 500}) {
    const auto outcome = on(status, "30");

    EXPECT_EQ(outcome.wish(), 30s) << status;
    EXPECT_THAT(render(outcome.error), HasSubstr("/jobs/1: HTTP " + std::to_string(status)));
    EXPECT_TRUE(outcome.worker_lives) << status;
  }
}

TEST_F(http_worker, passes_on_a_date_as_the_span_from_now) {
  EXPECT_THAT(on(503, http_date(std::time(nullptr) + 10'000)).wish().value_or(0s),
              AllOf(Ge(9000s), Le(10'000s)));
}

TEST_F(http_worker, takes_no_number_for_a_shorter_wait_than_it_is) {
  for (const auto* number : {"9223372036854775807", "99999999999999999999999999"})
    EXPECT_EQ(on(429, number).wish(), Duration::max()) << number;
}

TEST_F(http_worker, lives_if_the_service_asks_for_no_wait) {
  for (const std::string none : {"0", "Thu, 01 Jan 1970 00:00:01 GMT"}) {
    const auto outcome = on(429, none);
    EXPECT_EQ(outcome.wish(), 0s) << none;
    EXPECT_TRUE(outcome.worker_lives) << none;
  }
}

TEST_F(http_worker, dies_of_a_429_that_says_nothing_sensible) {
  for (const std::string nothing : {"", "-1", "soon", "Thu, 99 Jan 2099 00:00:01 GMT"}) {
    const auto outcome = on(429, nothing);
    EXPECT_EQ(outcome.wish(), std::nullopt) << nothing;
    EXPECT_TRUE(outcome.error) << nothing;
    EXPECT_FALSE(outcome.worker_lives) << nothing;
  }
}

TEST_F(http_worker, dies_of_every_other_failure_that_may_pass) {
  for (const auto status : {500, 503, 401}) {
    const auto outcome = on(status, "");

    EXPECT_EQ(outcome.wish(), std::nullopt) << status;
    EXPECT_TRUE(outcome.error) << status;
    EXPECT_FALSE(outcome.worker_lives) << status;
  }
}

TEST_F(http_worker, passes_on_a_final_failure_and_lives) {
  const auto outcome = on(404, "");

  EXPECT_EQ(outcome.wish(), std::nullopt);
  EXPECT_EQ(backoff_actor::assess_error(outcome.error).kind,
            backoff_actor::Assessment::Kind::final);
  EXPECT_THAT(render(outcome.error), HasSubstr("/jobs/1: HTTP 404"));
  EXPECT_TRUE(outcome.worker_lives);
}

} // namespace http_guard::http_worker_test
