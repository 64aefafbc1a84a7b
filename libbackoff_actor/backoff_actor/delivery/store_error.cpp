#include "backoff_actor/delivery/store_error.hpp"

namespace backoff_actor {

std::string_view to_string(StoreFailure failure) {
  switch (failure) {
  case StoreFailure::cannot_open:
    return "cannot_open";
  case StoreFailure::in_use:
    return "in_use";
  case StoreFailure::foreign:
    return "foreign";
  case StoreFailure::newer:
    return "newer";
  case StoreFailure::damaged:
    return "damaged";
  case StoreFailure::incompatible:
    return "incompatible";
  case StoreFailure::read_only:
    return "read_only";
  case StoreFailure::full:
    return "full";
  case StoreFailure::too_large:
    return "too_large";
  case StoreFailure::input_output:
    return "input_output";
  }
  return "unknown";
}

StoreError::StoreError(StoreFailure failure, const std::string& text)
  : std::runtime_error(text), failure_(failure) {}

} // namespace backoff_actor
