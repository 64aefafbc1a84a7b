#pragma once

#include "contention_answer.hpp"

namespace backoffctl {

/// Returns the picture of an answer: calls above, the time until all are done below, over the
/// number of clients.
pictures::Picture contention_plot(const ContentionAnswer& answer, const PlotRequest& plot);

} // namespace backoffctl
