#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/core/export.hpp"

#include <caf/error.hpp>

#include <concepts>
#include <functional>
#include <type_traits>
#include <vector>

namespace backoff_actor {

/// One row of the table of `decider_of`: what follows a failure with a certain error, or a failure
/// of a certain kind.
class DecisionFor {
public:
  /// What follows a failure with this error code, whatever its kind.
  ///
  /// @range an enumeration of CAF's, such as `caf::sec`, or of your own that converts to
  ///        `caf::error`; not its code 0, which is no error
  template <class Enum>
  requires std::is_enum_v<Enum> DecisionFor(Enum code, Decision decision) : decision_(decision) {
    static_assert(std::constructible_from<caf::error, Enum>,
                  "the code must be of an enumeration that CAF knows as an error code");
    is_for_ = [code](FailureKind, const caf::error& error) {
      return compat::has_code(error, code);
    };
  }

  /// What follows a failure of this kind, whatever its error.
  DecisionFor(FailureKind kind, Decision decision)
    : decision_(decision), is_for_([kind](FailureKind x, const caf::error&) { return x == kind; }) {
  }

  /// Whether this row is about that failure.
  bool is_for(FailureKind kind, const caf::error& error) const { return is_for_(kind, error); }

  /// The second column.
  const Decision& decision() const { return decision_; }

private:
  Decision decision_;
  std::function<bool(FailureKind, const caf::error&)> is_for_;
};

/// Returns a decider that looks a failure up in a table. The first row that is about the failure
/// decides; if there is none, `default_decider` does.
///
///     options.decider = decider_of({
///       {caf::sec::request_timeout, Verdict::retry},
///       {MyError::too_many_requests, {Verdict::retry, 30s}},
///       {MyError::no_such_customer, Verdict::reject},
///       {FailureKind::start_failed, Verdict::escalate},
///     });
BACKOFF_ACTOR_EXPORT Decider decider_of(std::vector<DecisionFor> table);

} // namespace backoff_actor
