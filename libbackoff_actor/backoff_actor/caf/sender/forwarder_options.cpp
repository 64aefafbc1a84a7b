#include "backoff_actor/caf/sender/forwarder_options.hpp"

#include "backoff_actor/caf/sender/internal/option_checks.hpp"

#include <caf/error.hpp>

#include <variant>

namespace backoff_actor {

namespace {

struct CheckWhileDown {
  Problems& problems;

  void operator()(const BufferWhileDown& x) const {
    detail::check_capacity(problems, "while_down.capacity", x.capacity);
    detail::check_at_least_one(problems, "while_down.capacity_bytes", x.capacity_bytes);
    detail::check_of_use(problems, "while_down.weight_of", static_cast<bool>(x.weight_of),
                         x.capacity_bytes.has_value(), "while_down.capacity_bytes is set");
    detail::check_positive(problems, "while_down.time_to_live", x.time_to_live);
  }
  void operator()(const ReplyWhileDown& x) const {
    if (x.message.empty() || x.message.match_elements<caf::error>())
      problems.add("while_down.message", x.message.empty() ? "an empty message" : "a bare error",
                   "a message; clients that used a plain send get it too");
  }
  void operator()(const ForwardWhileDown& x) const {
    if (!x.to)
      problems.add("while_down.to", "an invalid handle", "an actor");
  }
  void operator()(const DropWhileDown&) const {}
};

} // namespace

Problems check(const ForwarderOptions& options) {
  Problems problems{detail::options_of("ForwarderOptions", options.name)};
  detail::check_kind(problems, "name", options.name);
  detail::check_restarts(problems, options);
  std::visit(CheckWhileDown{problems}, options.while_down);
  detail::check_positive(problems, "healthy_after", options.healthy_after);
  return problems;
}

} // namespace backoff_actor
