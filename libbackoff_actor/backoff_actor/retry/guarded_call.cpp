#include "backoff_actor/retry/guarded_call.hpp"

namespace backoff_actor::detail {

namespace {

thread_local const CallUnderWay* innermost = nullptr;

} // namespace

CallUnderWay::CallUnderWay(const SharedGuard& guard)
  : guard_(guard), outer_(std::exchange(innermost, this)) {}

CallUnderWay::~CallUnderWay() { innermost = outer_; }

bool CallUnderWay::is_within(const SharedGuard& guard) {
  for (const auto* call = innermost; call != nullptr; call = call->outer_)
    if (call->guard_ == guard)
      return true;
  return false;
}

} // namespace backoff_actor::detail
