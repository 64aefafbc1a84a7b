#include "backoff_actor/supervision/blamed_error.hpp"

namespace backoff_actor {

BlamedError::BlamedError(Blame blame, const std::string& text, std::optional<Duration> retry_after)
  : std::runtime_error(text), blame_(blame), retry_after_(retry_after) {}

BlamedError::~BlamedError() = default;

} // namespace backoff_actor
