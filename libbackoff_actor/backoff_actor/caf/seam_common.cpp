#include "backoff_actor/caf/messages.hpp"
#include "backoff_actor/caf/retry_after.hpp"

#include <caf/actor_clock.hpp>
#include <caf/sec.hpp>

#include <exception>
#include <utility>

namespace backoff_actor {

caf::error make_error(SenderError code, std::string text) {
  return text.empty() ? make_error(code)
                      : seam::error_with(code, caf::make_message(std::move(text)));
}

namespace seam {

std::string render_own(SenderError code, const caf::message& context) {
  std::string remarks;
  const auto add = [&](const std::string& remark) {
    remarks += (remarks.empty() ? "" : ", ") + remark;
  };
  for (std::size_t i = 0; i < context.size(); ++i)
    if (context.match_element<std::string>(i))
      add(context.get_as<std::string>(i));
    else if (context.match_element<RetryAfter>(i))
      add(to_string(context.get_as<RetryAfter>(i)));
  return remarks.empty() ? to_string(code) : to_string(code) + " (" + remarks + ")";
}

caf::error error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& exception) {
    return caf::make_error(caf::sec::runtime_error, std::string{exception.what()});
  } catch (...) {
    return caf::make_error(caf::sec::runtime_error, std::string{"an exception of unknown type"});
  }
}

void keep_cause(caf::scheduled_actor& self) {
  self.set_exception_handler(
    [](caf::scheduled_actor*, std::exception_ptr& thrown) { return error_of(thrown); });
}

Instant RequestingActorBase::now() { return {clock().now().time_since_epoch()}; }

} // namespace seam

} // namespace backoff_actor
