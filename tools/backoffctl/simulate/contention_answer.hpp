#pragma once

#include "contention_question.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace backoffctl {

/// The means over all trials.
struct ContentionMeans {
  double calls;
  std::optional<double> completion_ns; // unset: some trial outlasts what can be simulated
};

struct ContentionAnswer {
  ContentionQuestion question;
  std::vector<std::vector<ContentionMeans>> means; // by number of clients, then by contender
};

/// How much there is to do, in the unit in which `answer` tells how far it is.
std::uint64_t work_of(const ContentionQuestion& question);

/// Answers a question that was read without problems; tells how much of the work is done, often.
ContentionAnswer answer(const ContentionQuestion& question,
                        const std::function<void(std::uint64_t done)>& tell);

} // namespace backoffctl
