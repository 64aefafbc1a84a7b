// Eight workers of one sender call the failing service. One of them crashes at every call, and one
// hangs.

#include "common/temporary_folder.hpp"
#include "http_guard/failing_service.hpp"
#include "http_guard/http_worker.hpp"
#include "web_server.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/sender/sender.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace http_guard::http_pool_test {

using namespace std::chrono_literals;

constexpr int keys = 16;
constexpr int jobs_of_a_key = 25;

// Takes a job and never answers.
caf::behavior hanging_worker(caf::event_based_actor* self) {
  return {[self](const std::string&) {
    auto promise = self->make_response_promise<std::string>();
    self->attach_functor([promise] {}); // it is open as long as the worker lives
    return promise;
  }};
}

// Whether no job was executed after a later one of its key.
bool are_in_order(const std::string& ledger) {
  std::map<std::string, int> last;
  std::ifstream lines{ledger};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string at;
    std::string what;
    std::string id;
    words >> at >> what >> id;
    if (what != "executed")
      continue;
    const auto dash = id.find('-');
    auto& before = last[id.substr(0, dash)];
    const auto now = std::stoi(id.substr(dash + 1));
    if (now < before)
      return false;
    before = now;
  }
  return last.size() == keys;
}

// Lets a pool do all jobs. Returns how long it took.
std::chrono::duration<double> run(bool with_bad_workers) {
  const example::TemporaryFolder folder{"http_guard"};
  const std::string ledger = folder / "ledger.txt";
  FailingService service{1, ledger};
  const WebServer server{
    [&](const auto& request, auto& response) { service.serve(request, response); }};
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};

  using backoff_actor::child_of;
  std::promise<void> all_acknowledged;
  auto left = keys * jobs_of_a_key;
  backoff_actor::SenderOptions options;
  options.ordering = backoff_actor::Ordering::per_key;
  options.rare.key_of = [](const caf::message& job) {
    const auto& id = job.get_as<std::string>(0);
    return id.substr(0, id.find('-'));
  };
  options.backoff = "fixed(10ms)";
  options.ack_timeout = 600ms;
  options.pool.workers = {8, 8};
  if (with_bad_workers) {
    options.pool.workers = {6, 6};
    options.pool.others = {{child_of<HttpWorker, caf::detached>("http://127.0.0.1:1")},
                           {child_of(hanging_worker)}};
  }
  options.on_event = [&](const backoff_actor::Event& event) {
    EXPECT_FALSE(std::holds_alternative<backoff_actor::event::DeadLettered>(event));
    if (std::holds_alternative<backoff_actor::event::Acknowledged>(event) && --left == 0)
      all_acknowledged.set_value();
  };
  const auto begin = std::chrono::steady_clock::now();
  const auto sender = backoff_actor::spawn_back_off_sender(
    system, child_of<HttpWorker, caf::detached>(server.url()), options);
  for (auto job = 0; job < jobs_of_a_key; ++job)
    for (auto key = 0; key < keys; ++key)
      caf::anon_send(sender, std::to_string(key) + '-' + std::to_string(job));
  EXPECT_EQ(all_acknowledged.get_future().wait_for(4min), std::future_status::ready);
  const auto end = std::chrono::steady_clock::now();
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  system.await_all_actors_done();

  const auto noted = read_ledger(ledger);
  EXPECT_EQ(noted.executions.size(), static_cast<std::size_t>(keys * jobs_of_a_key)) << "none lost";
  EXPECT_TRUE(are_in_order(ledger));
  return end - begin;
}

TEST(http_pool, loses_nothing_and_keeps_the_order_of_a_key_although_two_workers_are_bad) {
  const auto healthy = run(false);
  const auto with_bad_workers = run(true);
  std::cout << "healthy " << healthy.count() << " s, with two bad workers "
            << with_bad_workers.count() << " s\n";
}

} // namespace http_guard::http_pool_test
