#include "backoff_actor/testing/faults/fault_answer.hpp"

#include "backoff_actor/caf/messages/retry_after.hpp"

#include <caf/sec.hpp>

namespace backoff_actor::testing {

caf::error error_of(const Fault& fault) {
  if (fault.kind == Fault::Kind::crash)
    return caf::make_error(caf::sec::runtime_error, message_of(fault));
  if (fault.kind == Fault::Kind::crash_like_error)
    return caf::make_error(caf::sec::runtime_error);
  return fault.delay > Duration::zero()
           ? retry_after(caf::sec::invalid_argument, fault.delay, message_of(fault))
           : caf::make_error(caf::sec::invalid_argument, message_of(fault));
}

std::optional<caf::message> answer_of(const Fault& fault, const TrackedMsg* delivery) {
  switch (fault.kind) {
  case Fault::Kind::error:
  case Fault::Kind::crash_like_error:
    return caf::make_message(error_of(fault));
  case Fault::Kind::nack:
    if (delivery)
      return caf::make_message(Nack{
        delivery->id, caf::make_error(caf::sec::invalid_argument, message_of(fault)), fault.delay});
    return caf::make_message(
      retry_after(caf::sec::invalid_argument, fault.delay, message_of(fault)));
  case Fault::Kind::reject:
    return delivery ? caf::make_message(Reject{delivery->id, error_of(fault)})
                    : caf::make_message(error_of(fault));
  case Fault::Kind::ok:
  case Fault::Kind::slow:
  case Fault::Kind::silence:
  case Fault::Kind::hang:
  case Fault::Kind::crash:
  case Fault::Kind::stop:
    break;
  }
  return std::nullopt;
}

} // namespace backoff_actor::testing
