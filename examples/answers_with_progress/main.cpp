// A long job of a worker that acknowledges by its answer: the next worker goes on where it was.

#include <backoff_actor/backoff_actor.hpp>

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
    return {[this](const std::string&) {
      const WorkInHand work{*this};
      auto answer = make_response_promise<std::string>();
      work.with_note(*this, [=](const std::string& note) mutable {
        for (auto row = note.empty() ? 1 : std::stoi(note); row <= 6; ++row) {
          import_row(row, note.empty());
          work.still_working(std::to_string(row + 1));
        }
        answer.deliver(std::string{"done"});
      });
      return answer;
    }};
  }
};
// [worker]

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: answers_with_progress\n";
    return 2;
  }
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  const auto sender = spawn_back_off_sender(system, child_of<Importer>());
  caf::scoped_actor self{system};
  self->request(sender, 10s, std::string{"customers.csv"})
    .receive([](const std::string& answer) { std::cout << answer << '\n'; },
             [&](const caf::error& error) { std::cout << render(system, error) << '\n'; });
  self->send(sender, Stop{});
}
