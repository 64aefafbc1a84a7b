#pragma once

#include "dead_letters_question.hpp"

#include <functional>
#include <string>
#include <vector>

namespace backoffctl {

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

} // namespace backoffctl
