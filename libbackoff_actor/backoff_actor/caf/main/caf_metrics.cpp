#include "backoff_actor/caf/main/caf_metrics.hpp"

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"

namespace backoff_actor {

std::string CafMetrics::operator()() const { return compat::metrics_page(*system_); }

} // namespace backoff_actor
