// A long job that is cancelled while it runs: the worker is told, and stops between two rows.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>

using namespace std::chrono_literals;
using namespace backoff_actor;

namespace {

// [worker]
class Importer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](const TrackedMsg& job) { import_row(job_ = job.id); },
            [this](std::uint64_t job) { import_row(job); },
            [this](const Cancelled& x) {
              job_ = 0;
              compat::send(*this, caf::actor_cast<caf::actor>(current_sender()), Reject{x.id});
            }};
  }

private:
  // Imports a row, and tells itself to go on with the next, if the job still runs.
  void import_row(std::uint64_t job) {
    if (job == job_)
      compat::send(*this, caf::actor_cast<caf::actor>(this), std::uint64_t{job});
  }

  std::uint64_t job_ = 0;
};
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
  SenderOptions options;
  options.acknowledgement = Acknowledgement::by_sent;
  const auto sender = spawn_back_off_sender(system, child_of<Importer>(), options);
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
