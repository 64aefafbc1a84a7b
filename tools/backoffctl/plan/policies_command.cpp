#include "backoffctl/common/commands.hpp"
#include "backoffctl/text/number_text.hpp"

#include "backoff_actor/backoff/like.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/time.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace backoffctl {

namespace {

using backoff_actor::KnownPolicy;
using backoff_actor::Like;
using backoff_actor::to_string;
using Json = nlohmann::ordered_json;

constexpr auto policies_description = R"(Lists how other systems wait.

Each policy is that of a system which was run, in the version named, unless its note says otherwise.
It has the formula, how often the system tries, the longest wait, and what surprises. plan --like
NAME shows the delays. In code, like("NAME") is such a policy with its limits; the text like NAME is
taken wherever a policy is. A name without a variant means the first one listed.
)";

constexpr auto policies_footer = R"(
Examples:
  backoffctl policies
      all
  backoffctl policies --json
      the same for programs

Keys of the JSON, an object for each policy:
  name, variant, version
                what to give to plan --like; the variant is empty if there is only one
  policy        the formula with all its parameters
  counts        what the system counts as an attempt: calls, the first included, or retries
  max_retries, max_attempts
                its limit, and the limit plus the first attempt; null if there is none by default
  max_elapsed_s after how much time it makes no further call; null if there is no such limit
  longest_s     the longest wait, in seconds; null if there is no cap
  note          what surprises
)";

std::string full_name(const KnownPolicy& x) {
  return std::string{x.name} + (x.variant.empty() ? "" : " ") + std::string{x.variant};
}

Like like_of(const KnownPolicy& x) { return backoff_actor::like(full_name(x)); }

// What is counted as the system counts it.
std::string attempts_text(const Like& x) {
  std::string result = "for ever, or as its user says";
  if (x.known.most)
    result = std::to_string(*x.known.most)
             + (x.known.counted == backoff_actor::Counted::calls ? " calls" : " retries");
  if (x.limits.max_elapsed)
    result += ", within " + to_string(*x.limits.max_elapsed);
  return result;
}

bool has_cap(const Like& x) { return x.policy.longest() < backoff_actor::max_delay; }

std::string cap_text(const Like& x) {
  return has_cap(x) ? std::string{"waits "} + to_string(x.policy.longest()) + " at the most"
                    : "no cap";
}

std::string text_of(const Like& x) {
  return full_name(x.known) + " " + std::string{x.known.version} + "\n  " + to_string(x.policy)
         + "\n  " + attempts_text(x) + "; " + cap_text(x) + "\n  " + std::string{x.known.note}
         + "\n";
}

Json json_of(const Like& x) {
  return {
    {"name", x.known.name},
    {"variant", x.known.variant},
    {"version", x.known.version},
    {"policy", x.known.policy},
    {"counts", x.known.counted == backoff_actor::Counted::calls ? "calls" : "retries"},
    {"max_retries", x.limits.max_attempts ? Json(*x.limits.max_attempts - 1) : Json()},
    {"max_attempts", x.limits.max_attempts ? Json(*x.limits.max_attempts) : Json()},
    {"max_elapsed_s", x.limits.max_elapsed ? Json(seconds_of(*x.limits.max_elapsed)) : Json()},
    {"longest_s", has_cap(x) ? Json(seconds_of(x.policy.longest())) : Json()},
    {"note", x.known.note}};
}

class PoliciesCommand final : public Command {
public:
  explicit PoliciesCommand(CLI::App& program)
    : Command(program, "policies", policies_description, policies_footer) {
    add_switch("--json", as_json_, "print JSON instead of text");
  }

  std::string run() override {
    if (as_json_) {
      auto all = Json::array();
      for (const auto& x : backoff_actor::known_policies())
        all.push_back(json_of(like_of(x)));
      return backoff_actor::detail::plain_json(all.dump(2)) + "\n";
    }
    std::string result;
    for (const auto& x : backoff_actor::known_policies()) {
      if (!result.empty())
        result += "\n";
      result += text_of(like_of(x));
    }
    return result;
  }

private:
  bool as_json_ = false;
};

} // namespace

void add_policies_command(CLI::App& program, Commands& commands) {
  add_command<PoliciesCommand>(program, commands);
}

} // namespace backoffctl
