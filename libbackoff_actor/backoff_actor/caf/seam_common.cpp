#include "backoff_actor/caf/seam.hpp"

#include <caf/actor_clock.hpp>
#include <caf/sec.hpp>

#include <exception>

namespace backoff_actor::seam {

void keep_cause(caf::scheduled_actor& self) {
  self.set_exception_handler([](caf::scheduled_actor*, std::exception_ptr& thrown) -> caf::error {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      return caf::make_error(caf::sec::runtime_error, std::string{exception.what()});
    } catch (...) {
      return caf::make_error(caf::sec::runtime_error, std::string{"an exception of unknown type"});
    }
  });
}

Instant RequestingActorBase::now() { return {clock().now().time_since_epoch()}; }

} // namespace backoff_actor::seam
