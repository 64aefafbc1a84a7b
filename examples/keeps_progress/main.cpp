// A long job whose worker crashes in the middle: the next worker goes on where it was.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;
using namespace backoff_actor;

namespace {

void import_row(int row, bool is_first_attempt) {
  std::cout << "row " << row << '\n';
  if (row == 4 && is_first_attempt)
    throw std::runtime_error("Danger, High Voltage!");
}

// [worker]
class Importer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](const TrackedMsg& job) {
      const auto from = caf::actor_cast<caf::actor>(current_sender());
      const auto first = job.note.empty() ? 1 : std::stoi(job.note);
      for (auto row = first; row <= 6; ++row) {
        import_row(row, job.note.empty());
        compat::send(*this, from, Working{job.id, std::to_string(row + 1)});
      }
      return sent(job);
    }};
  }
};
// [worker]

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: keeps_progress\n";
    return 2;
  }
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  SenderOptions options;
  options.acknowledgement = Acknowledgement::by_sent;
  const auto sender = spawn_back_off_sender(system, child_of<Importer>(), options);
  caf::scoped_actor self{system};
  self->request(sender, 10s, std::string{"customers.csv"})
    .receive([] { std::cout << "done\n"; },
             [&](const caf::error& error) { std::cout << render(system, error) << '\n'; });
  self->send(sender, Stop{});
}
