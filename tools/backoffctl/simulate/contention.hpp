#pragma once

#include "backoffctl/common/command.hpp"
#include "backoffctl/common/picture.hpp"

#include "backoff_actor/lab/simulation/internal/contention.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// One way to wait that is compared with others.
struct Contender {
  std::string name; // what the JSON calls it
  backoff_actor::Policy policy;
  backoff_actor::Duration cut_off;

  /// The policy, and where it is cut off.
  std::string description() const;
};

/// What is asked of `simulate contention`.
struct ContentionQuestion {
  std::vector<std::uint32_t> clients{100}; // one number at least
  std::uint64_t trials = 100;
  std::vector<Contender> contenders{}; // those published, then those given
  std::uint64_t seed = 0;
  std::optional<PlotRequest> plot{};

  /// Returns the short name of each contender: its own, or a number if its own is as long as the
  /// policy.
  std::vector<std::string> labels() const;
};

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

/// Renders an answer for people, and for programs.
std::string contention_text(const ContentionAnswer& answer);
std::string contention_json(const ContentionAnswer& answer);

/// Returns the picture of an answer: calls above, the time until all are done below, over the
/// number of clients.
pictures::Picture contention_plot(const ContentionAnswer& answer, const PlotRequest& plot);

/// `simulate contention`: many writers on one optimistic lock.
class ContentionCommand final : public Command {
public:
  explicit ContentionCommand(CLI::App& simulate);

  const ContentionQuestion& question() const { return question_; }
  std::string run() override;

private:
  void check(Problems& problems) override;

  std::vector<backoff_actor::Policy> policies_;
  PlotFlags plot_;
  bool as_json_ = false;
  ContentionQuestion question_;
};

} // namespace backoffctl
