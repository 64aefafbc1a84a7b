// A small supervision tree: a connection, and workers that stand on it.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace backoff_actor;
using namespace std::chrono_literals;

namespace {

// [worker]
class Connection : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](const std::string& query) -> caf::result<std::string> {
      if (query == "drop table")
        throw std::runtime_error("the database is gone");
      return "rows of " + query;
    }};
  }
};

class Worker : public caf::event_based_actor {
public:
  Worker(caf::actor_config& config, ChildRef connection)
    : caf::event_based_actor(config), connection_(std::move(connection)) {}

  caf::behavior make_behavior() override {
    return {[this](const std::string& query) {
      auto promise = make_response_promise();
      promise.delegate(connection_.actor(), query);
      return promise;
    }};
  }

private:
  ChildRef connection_;
};
// [worker]

template <class Answer, class... Ts>
Answer ask(caf::scoped_actor& self, const caf::actor& whom, Ts... message) {
  Answer result{};
  compat::request(*self, whom, std::move(message)...)
    .receive([&](Answer& answer) { result = std::move(answer); },
             [&](const caf::error& error) {
               throw std::runtime_error(render(self->home_system(), error));
             });
  return result;
}

// Looks until a child is up again; its restart is a matter of milliseconds.
void wait_for(caf::scoped_actor& self, const caf::actor& supervisor, const std::string& id,
              std::uint32_t incarnation) {
  for (;;)
    for (const auto& child : ask<Children>(self, supervisor, WhichChildren{}).list)
      if (child.status.id == id && child.status.state == ChildState::running
          && child.status.incarnation == incarnation)
        return;
}

void run(caf::actor_system& system) {
  // [specs]
  ChildRef connection{system}; // known before there is one, and to everybody who needs it

  std::vector<ChildSpec> children;
  children.push_back({.id = "connection", .make = child_of<Connection>(), .address = connection});
  children.push_back(
    {.id = "worker",
     .make = child_of<Worker>(connection),
     .options = {.shutdown = Shutdown::within(1s),
                 .backoff = parse_policy("exponential(10ms, x2, cap 5s) | equal_jitter"),
                 .healthy_after = 30s}});
  // [specs]

  // [start]
  SupervisorOptions options;
  options.strategy = Strategy::rest_for_one; // who stands on the connection goes with it
  options.restart_limit = RestartLimit{10, 1min};
  options.on_event = [](const SupervisorEvent& event) { std::cout << to_string(event) << '\n'; };
  const caf::actor supervisor = start_supervisor(system, children, options);
  // [start]

  caf::scoped_actor self{system};
  std::cout << ask<std::string>(self, connection.actor(), std::string{"a table"}) << '\n';
  try {
    ask<std::string>(self, connection.actor(), std::string{"drop table"});
  } catch (const std::runtime_error&) {
    // The connection answered its request with the error of which it died.
  }

  // [control]
  compat::request(*self, supervisor, RetryChildNow{"worker"})
    .receive([] { std::cout << "need not wait any longer\n"; },
             [&](const caf::error& error) { std::cout << render(system, error) << '\n'; });
  // [control]

  wait_for(self, supervisor, "worker", 2);

  // [tree]
  std::cout << to_string(ask<SupervisionTree>(self, supervisor, GetTree{})) << '\n';
  // [tree]

  // [stop]
  std::cout << to_string(ask<ChildCounts>(self, supervisor, Stop{})) << '\n';
  // [stop]
}

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: supervisor\n";
    return 2;
  }
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  run(system);
}
