#include "contention_answer.hpp"

namespace backoffctl {

// The work of a trial grows about with the square of the clients, as its calls do: a client's write
// that is taken counts as much as there are clients.

std::uint64_t work_of(const ContentionQuestion& question) {
  std::uint64_t result = 0;
  for (const std::uint64_t clients : question.clients)
    result += clients * clients;
  return result * question.trials * question.contenders.size();
}

ContentionAnswer answer(const ContentionQuestion& question,
                        const std::function<void(std::uint64_t done)>& tell) {
  ContentionAnswer result{question, {}};
  std::uint64_t done = 0;
  std::uint64_t done_before_trial = 0;
  for (const auto clients : question.clients) {
    auto& row = result.means.emplace_back();
    for (const auto& [name, policy, cut_off] : question.contenders) {
      const backoff_actor::Contention contention{clients, policy, cut_off};
      double calls = 0;
      std::optional<double> completion_ns{0};
      for (std::uint64_t trial = 0; trial < question.trials; ++trial) {
        const auto outcome =
          simulate(contention, question.seed, trial, [&] { tell(done += clients); });
        done_before_trial += std::uint64_t{clients} * clients;
        done = done_before_trial; // also where it was not completed
        calls += static_cast<double>(outcome.calls);
        if (completion_ns && outcome.completion)
          *completion_ns += static_cast<double>(outcome.completion->count());
        else
          completion_ns.reset();
      }
      const auto trials = static_cast<double>(question.trials);
      if (completion_ns)
        *completion_ns /= trials;
      row.push_back({calls / trials, completion_ns});
    }
  }
  return result;
}

} // namespace backoffctl
