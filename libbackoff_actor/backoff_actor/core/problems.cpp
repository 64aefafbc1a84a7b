#include "backoff_actor/core/problems.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <utility>

namespace backoff_actor {

void Problems::add(std::string field, std::string given, std::string allowed) {
  list_.push_back({std::move(field), std::move(given), std::move(allowed)});
}

void Problems::add_nested(const std::string& prefix, const Problems& nested) {
  for (const auto& problem : nested.list_)
    list_.push_back({prefix + "." + problem.field, problem.given, problem.allowed});
}

void Problems::raise_if_any() const {
  if (!empty())
    throw InvalidArgument{*this};
}

std::string to_string(const Problems& problems) {
  std::string result;
  for (const auto& problem : problems.list()) {
    if (!result.empty())
      result += '\n';
    if (!problems.of().empty())
      result += detail::one_line(problems.of()) + ": ";
    if (problem.allowed.empty())
      result += problem.field + ": " + problem.given;
    else
      result +=
        problem.field + ": got " + detail::one_line(problem.given) + ", allowed " + problem.allowed;
  }
  return result;
}

InvalidArgument::InvalidArgument(Problems problems)
  : std::invalid_argument(to_string(problems)), problems_(std::move(problems)) {}

} // namespace backoff_actor
