// The errors of this library as CAF 1.x has them: enumerations with a type id.

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <caf/sec.hpp>

#include <cstdint>
#include <string>

namespace backoff_actor {

caf::error make_error(SenderError code) { return caf::error{code}; }

caf::error make_error(SupervisorError code) { return caf::error{code}; }

namespace seam {

void register_errors(caf::actor_system_config& config) {
  caf::core::init_global_meta_objects();
  register_types<caf::id_block::backoff_actor_errors>(config);
  register_types<caf::id_block::backoff_actor_private>(config);
}

std::string render(const caf::actor_system&, const caf::error& error) {
  if (error && error.category() == caf::type_id_v<SenderError>)
    return render_own(static_cast<SenderError>(error.code()), error.context());
  if (error && error.category() == caf::type_id_v<SupervisorError>)
    return render_own(static_cast<SupervisorError>(error.code()), error.context());
  return to_string(error);
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
  const auto hash = detail::mix(std::uint64_t{error.category()} << 8 | error.code());
  return {hash == 0 ? 1 : hash, with_text ? text_of(system, error) : std::string{}};
}

} // namespace seam

} // namespace backoff_actor
