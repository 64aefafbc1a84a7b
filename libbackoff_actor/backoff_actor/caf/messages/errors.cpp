// Errors of CAF, made and told in words. What each code says is in core/sender_error.cpp and
// core/supervisor_error.cpp.

#include "backoff_actor/caf/messages/errors.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"
#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/supervision/blamed_error.hpp"

#include <caf/sec.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace backoff_actor {

caf::error make_error(SenderError code, std::string text) {
  return text.empty() ? make_error(code)
                      : compat::error_with(code, caf::make_message(std::move(text)));
}

caf::error make_error(SupervisorError code, std::string text, caf::error root) {
  if (!root)
    return text.empty() ? make_error(code)
                        : compat::error_with(code, caf::make_message(std::move(text)));
  return compat::error_with(code, caf::make_message(std::move(text), std::move(root)));
}

caf::error root_cause_of(const caf::error& error) {
  auto root = error;
  for (;;) {
    const auto context = root.context(); // a copy: `root` is reassigned below
    if (context.size() != 2 || !context.match_element<caf::error>(1))
      return root;
    root = context.get_as<caf::error>(1);
  }
}

namespace compat {

namespace {

std::string with_remarks(std::string sentence, const caf::message& context) {
  std::string remarks;
  const auto add = [&](const std::string& remark) {
    remarks += (remarks.empty() ? "" : ", ") + remark;
  };
  for (std::size_t i = 0; i < context.size(); ++i)
    if (context.match_element<std::string>(i))
      add(context.get_as<std::string>(i));
    else if (context.match_element<RetryAfter>(i)
             && context.get_as<RetryAfter>(i).span != Duration{0})
      add(to_string(context.get_as<RetryAfter>(i)));
  return remarks.empty() ? sentence : sentence.append(" (").append(remarks).append(")");
}

} // namespace

std::string render_own(SenderError code, const caf::message& context) {
  return with_remarks(to_string(code), context);
}

std::string render_own(SupervisorError code, const caf::message& context) {
  return with_remarks(to_string(code), context);
}

std::string render(const caf::actor_system& system, const caf::error& error) {
  if (const auto code = code_in<SenderError>(error))
    return render_own(*code, error.context());
  if (const auto code = code_in<SupervisorError>(error))
    return render_own(*code, error.context());
  return caf_text_of(system, error);
}

namespace {

// Returns the bare text of an error from `keep_cause`; renders any other error.
std::string text_of(const caf::actor_system& system, const caf::error& error) {
  const auto& context = error.context();
  const auto last = context.size() - 1;
  const auto is_only_text = last == 0 || blame_of(error) != Blame::unknown;
  if (has_code(error, caf::sec::runtime_error) && !context.empty() && is_only_text
      && context.match_element<std::string>(last))
    return context.get_as<std::string>(last);
  return render(system, error);
}

} // namespace

Cause cause_of(const caf::actor_system& system, const caf::error& error, bool with_text) {
  if (!error)
    return {};
  const auto category = static_cast<std::uint64_t>(error.category());
  const auto hash = detail::mix(category ^ (std::uint64_t{error.code()} << 56));
  return {hash == 0 ? 1 : hash, with_text ? text_of(system, error) : std::string{}};
}

caf::error error_of(const std::exception_ptr& thrown) {
  const auto* const exception = detail::exception_in(thrown);
  if (const auto* const fault = dynamic_cast<const BlamedError*>(exception))
    return error_with(caf::sec::runtime_error,
                      caf::make_message(Blamed{fault->blame()},
                                        RetryAfter{fault->retry_after().value_or(Duration::zero())},
                                        std::string{fault->what()}));
  return caf::make_error(
    caf::sec::runtime_error,
    std::string{exception != nullptr ? exception->what() : "an exception of unknown type"});
}

caf::error receiver_down(const caf::actor_system& system, const caf::error& reason) {
  return reason
           ? error_with(caf::sec::request_receiver_down, caf::make_message(render(system, reason)))
           : caf::make_error(caf::sec::request_receiver_down);
}

caf::error unknown_type(caf::actor_system& system, const caf::message& message) {
  const auto name = unknown_type_in(system, message);
  if (!name)
    return {};
  return make_error(SenderError::unknown_type,
                    *name
                      + ": put it into a type-id block with CAF_ADD_TYPE_ID, and give the block to "
                        "backoff_actor::init<caf::id_block::...>(config)");
}

void keep_cause(caf::scheduled_actor& self) {
  self.set_exception_handler(
    [](caf::scheduled_actor*, std::exception_ptr& thrown) { return error_of(thrown); });
}

} // namespace compat

} // namespace backoff_actor
