#include "backoff_actor/caf/messages/errors.hpp"

#include <utility>

namespace backoff_actor {

caf::error make_error(SupervisorError code, std::string text, caf::error root) {
  if (!root)
    return text.empty() ? make_error(code)
                        : seam::error_with(code, caf::make_message(std::move(text)));
  return seam::error_with(code, caf::make_message(std::move(text), std::move(root)));
}

caf::error root_cause_of(const caf::error& error) {
  auto root = error;
  for (;;) {
    const auto context = root.context(); // a copy, for it is the error's own
    if (context.size() != 2 || !context.match_element<caf::error>(1))
      return root;
    root = context.get_as<caf::error>(1);
  }
}

} // namespace backoff_actor
