// The errors of this library as CAF 0.17.6 has them: a number, and the name of a category.

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"

#include <caf/atom.hpp>

#include <cstdint>

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

namespace compat {

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

} // namespace compat

} // namespace backoff_actor
