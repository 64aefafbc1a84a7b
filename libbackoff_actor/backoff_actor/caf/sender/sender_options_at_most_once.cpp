// What of a sender's options is of use with which guarantee.

#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/delivery/outbox.hpp"

#include <caf/error.hpp>

#include <string>
#include <type_traits>
#include <variant>

namespace backoff_actor::detail {

namespace {

// Names every option that was set and can do nothing, and what it would need.
class UselessOptions {
public:
  UselessOptions(Problems& problems, std::string needs)
    : problems_(problems), needs_("nothing, unless " + std::move(needs)) {}

  void check(const char* field, bool is_set, const std::string& value) {
    if (is_set)
      problems_.add(field, value, needs_);
  }

  template <class Value>
  void check(const char* field, const std::optional<Value>& value) {
    if (!value)
      return;
    if constexpr (std::is_same_v<Value, Duration>)
      check(field, true, to_string(*value));
    else
      check(field, true, std::to_string(*value));
  }

private:
  Problems& problems_;
  std::string needs_;
};

const char* name_of(Ordering ordering) {
  return ordering == Ordering::per_key ? "per_key" : "unordered";
}

const char* name_of(AfterNormalStop what) {
  return what == AfterNormalStop::restart ? "restart" : "end";
}

struct CheckWhileDown {
  Problems& problems;

  void operator()(const BufferWhileDown& x) const {
    if (x.capacity < 1 || x.capacity > Outbox::max_size)
      problems.add("while_down.capacity", std::to_string(x.capacity),
                   "1.." + std::to_string(Outbox::max_size));
  }
  void operator()(const ReplyWhileDown& x) const {
    if (x.message.empty() || x.message.match_elements<caf::error>())
      problems.add("while_down.message", x.message.empty() ? "an empty message" : "a bare error",
                   "a message, for clients that used a plain send get it too");
  }
  void operator()(const ForwardWhileDown& x) const {
    if (!x.to)
      problems.add("while_down.to", "an invalid handle", "an actor");
  }
  void operator()(const DropWhileDown&) const {}
};

void check_at_most_once(Problems& problems, const SenderOptions& options) {
  const SenderOptions unset;
  UselessOptions tracking{problems, "delivery is at_least_once: nothing is known of what was "
                                    "passed on"};
  tracking.check("max_attempts", options.max_attempts);
  tracking.check("max_hand_overs", options.max_hand_overs);
  tracking.check("retry_after_ceiling", options.retry_after_ceiling != unset.retry_after_ceiling,
                 to_string(options.retry_after_ceiling));
  tracking.check("guard", static_cast<bool>(options.guard),
                 "a guard (put `guarded` before the worker)");
  tracking.check("fallback", static_cast<bool>(options.fallback), "a function");
  tracking.check("acknowledgement", options.acknowledgement != unset.acknowledgement, "by_sent");
  tracking.check("works_on", options.works_on != unset.works_on, "many");
  tracking.check("ordering", options.ordering != unset.ordering, name_of(options.ordering));
  tracking.check("max_in_flight", options.max_in_flight);
  tracking.check("ack_timeout", options.ack_timeout);
  tracking.check("origin", !options.origin.empty(),
                 std::string{"'"}.append(options.origin).append("'"));
  UselessOptions outbox{problems, "delivery is at_least_once; use while_down = "
                                  "BufferWhileDown{n}"};
  outbox.check("outbox", static_cast<bool>(options.outbox), "a durable outbox");
  outbox.check("idempotency_retention",
               options.idempotency_retention != unset.idempotency_retention,
               to_string(options.idempotency_retention));
  outbox.check("capacity", options.capacity != unset.capacity, std::to_string(options.capacity));
  const auto while_down = options.while_down.value_or(BufferWhileDown{});
  if (!std::holds_alternative<BufferWhileDown>(while_down)) {
    UselessOptions buffer{problems, "while_down is BufferWhileDown"};
    buffer.check("capacity_bytes", options.capacity_bytes);
    buffer.check("overflow", options.overflow != unset.overflow,
                 options.overflow == Overflow::drop_oldest ? "drop_oldest" : "drop_newest");
    buffer.check("time_to_live", options.time_to_live);
  }
  std::visit(CheckWhileDown{problems}, while_down);
  if (options.healthy_after && *options.healthy_after <= Duration::zero())
    problems.add("healthy_after", to_string(*options.healthy_after), "more than 0ns");
}

} // namespace

void check_guarantee(Problems& problems, const SenderOptions& options) {
  if (options.delivery == Guarantee::at_most_once)
    return check_at_most_once(problems, options);
  UselessOptions forwarding{problems, "delivery is at_most_once"};
  forwarding.check("while_down", options.while_down.has_value(), "a value");
  forwarding.check("healthy_after", options.healthy_after.has_value(),
                   options.healthy_after ? to_string(*options.healthy_after) : "");
  forwarding.check("after_normal_stop", options.after_normal_stop != AfterNormalStop::rest,
                   name_of(options.after_normal_stop));
  forwarding.check("final_stop", static_cast<bool>(options.final_stop),
                   "a function (to end when all is done, use Drain and then Stop)");
}

void add_guarantee(EngineOptions& result, const SenderOptions& options) {
  result.guarantee = options.delivery;
  if (options.delivery == Guarantee::at_least_once)
    return;
  const auto while_down = options.while_down.value_or(BufferWhileDown{});
  if (const auto* const buffer = std::get_if<BufferWhileDown>(&while_down))
    result.capacity = buffer->capacity;
  else
    result.when_down =
      std::holds_alternative<DropWhileDown>(while_down) ? WhenDown::refuse : WhenDown::divert;
  result.healthy_after = options.healthy_after.value_or(options.backoff.longest());
  result.after_normal_stop = options.after_normal_stop;
}

} // namespace backoff_actor::detail
