#pragma once

#include "contention_answer.hpp"

#include <string>

namespace backoffctl {

/// Returns the gnuplot program that draws an answer on gnuplot's stdout, data included: calls above,
/// completion below, over the number of clients.
std::string contention_plot(const ContentionAnswer& answer, const PlotRequest& plot);

} // namespace backoffctl
