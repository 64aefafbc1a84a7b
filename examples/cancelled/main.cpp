// A long job that is cancelled while it runs: the worker is told, and stops between two rows.

#include <backoff_actor/backoff_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

using namespace backoff_actor;
using namespace std::chrono_literals;

namespace {

// [worker]
caf::behavior importer(caf::event_based_actor* self) {
  const auto running = std::make_shared<std::uint64_t>(0);
  // Imports a row, and tells itself to go on with the next, if the job still runs.
  const auto import_row = [=](std::uint64_t job) {
    if (job == *running)
      compat::send(*self, caf::actor_cast<caf::actor>(self), std::uint64_t{job});
  };
  return {[=](const TrackedMsg& job) { import_row(*running = job.id); },
          [=](std::uint64_t job) { import_row(job); },
          [=](const Cancelled& x) {
            *running = 0;
            compat::send(*self, caf::actor_cast<caf::actor>(self->current_sender()), Reject{x.id});
          }};
}
// [worker]

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: cancelled\n";
    return 2;
  }
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  const auto sender = spawn_back_off_sender(system, child_of(importer),
                                            {.acknowledgement = Acknowledgement::by_sent});
  caf::scoped_actor self{system};
  const auto fail = [&](const caf::error& error) { std::cout << render(system, error) << '\n'; };
  auto result = self->request(sender, 10s,
                              Submit{.message = caf::make_message(std::string{"customers.csv"}),
                                     .idempotency_key = "import-7"});
  // [cancel]
  self->request(sender, 10s, Cancel{.idempotency_key = "import-7"})
    .receive(
      [](const CancelAnswer& x) { std::cout << "the job is " << to_string(x.found) << '\n'; },
      fail);
  // [cancel]
  result.receive([] { std::cout << "done\n"; }, fail);
  self->send(sender, Stop{});
}
