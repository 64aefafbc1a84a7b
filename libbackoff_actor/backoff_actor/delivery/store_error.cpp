#include "backoff_actor/delivery/store_error.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

namespace backoff_actor {

std::string_view to_string(StoreFailure failure) {
  constexpr auto names = detail::enum_names<StoreFailure>(
    {"cannot_open", "in_use", "foreign", "newer", "damaged", "incompatible", "read_only", "full",
     "too_large", "input_output", "refused", "unreachable", "disowned"});
  return names.of(failure);
}

StoreError::StoreError(StoreFailure failure, const std::string& text)
  : std::runtime_error(text), failure_(failure) {}

} // namespace backoff_actor
