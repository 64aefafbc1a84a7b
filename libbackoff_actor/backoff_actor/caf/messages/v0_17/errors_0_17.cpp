// The errors of this library as CAF 0.17.6 has them: a number, and the name of a category.

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <caf/atom.hpp>
#include <caf/sec.hpp>

#include <cstdint>
#include <string>

namespace backoff_actor {

namespace {

const caf::atom_value error_category = caf::atom("backoff");
const caf::atom_value supervisor_category = caf::atom("supervisor");

} // namespace

caf::error make_error(SenderError code) {
  return {static_cast<std::uint8_t>(code), error_category};
}

caf::error make_error(SupervisorError code) {
  return {static_cast<std::uint8_t>(code), supervisor_category};
}

namespace seam {

void register_errors(caf::actor_system_config& config) {
  config.add_error_category(error_category,
                            [](std::uint8_t code, caf::atom_value, const caf::message& context) {
                              return render_own(static_cast<SenderError>(code), context);
                            });
  config.add_error_category(supervisor_category,
                            [](std::uint8_t code, caf::atom_value, const caf::message& context) {
                              return render_own(static_cast<SupervisorError>(code), context);
                            });
}

std::string render(const caf::actor_system& system, const caf::error& error) {
  return system.render(error);
}

namespace {

// Returns the bare text of an error from `keep_cause`; CAF renders any other error.
std::string text_of(const caf::actor_system& system, const caf::error& error) {
  const auto& context = error.context();
  if (has_code(error, caf::sec::runtime_error) && context.match_elements<std::string>())
    return context.get_as<std::string>(0);
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

} // namespace seam

} // namespace backoff_actor
