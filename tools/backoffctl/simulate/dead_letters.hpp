#pragma once

#include "backoffctl/common/command.hpp"

#include "backoff_actor/lab/simulation/internal/dead_letters.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace backoffctl {

/// What is asked of `simulate dead-letters`: setups, each of which differs from the others in
/// policy, guard and `retry_after`, and runs with each number of workers and each charging.
struct DeadLettersQuestion {
  std::vector<backoff_actor::DeadLettersOptions> setups{}; // one at least
  std::vector<std::uint32_t> workers{};                    // one at least
  std::vector<backoff_actor::Charging> chargings{};        // one at least
};

/// What became of the messages with one setup, one number of workers and one charging.
struct DeadLettersRun {
  std::size_t setup; // its index
  std::uint32_t workers;
  backoff_actor::Charging charging;
  backoff_actor::DeadLettersResult result;
};

struct DeadLettersAnswer {
  DeadLettersQuestion question;
  std::vector<DeadLettersRun> runs; // in the order of setup, workers and charging
};

/// Answers a question that was read without problems. `progress` gets the part that is done, in
/// millionths, and may be empty.
DeadLettersAnswer answer(const DeadLettersQuestion& question,
                         const std::function<void(std::uint64_t)>& progress);

/// Renders an answer for people.
std::string dead_letters_text(const DeadLettersAnswer& answer);

/// Renders an answer for programs.
std::string dead_letters_json(const DeadLettersAnswer& answer);

/// Adds `simulate dead-letters`, which messages die while a service is down.
void add_dead_letters_command(CLI::App& simulate, Commands& commands);

} // namespace backoffctl
