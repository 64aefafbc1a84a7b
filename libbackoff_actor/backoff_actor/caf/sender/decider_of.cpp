#include "backoff_actor/caf/sender/decider_of.hpp"

#include <utility>

namespace backoff_actor {

Decider decider_of(std::vector<DecisionFor> table) {
  return [table = std::move(table)](FailureKind kind, const caf::error& error) {
    for (const auto& row : table)
      if (row.is_for(kind, error))
        return row.decision();
    return default_decider(kind, error);
  };
}

} // namespace backoff_actor
