#pragma once

#include "common/report.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace versus {

using benchmarks::Figures;
using benchmarks::Round;
using benchmarks::Subject;

/// A number that is taken from a round.
struct Figure {
  std::vector<std::string> subjects;                           ///< which it is made of
  std::function<std::optional<double>(const Round&)> in_round; ///< nothing: not measured there
};

/// Returns the number at `index` of what `subject` measured.
Figure figure_of(std::string subject, std::size_t index = 0);

/// Returns `a / b`; nothing where `b` is 0.
Figure quotient(Figure a, Figure b);

/// Returns `a * factor`.
Figure times(Figure a, double factor);

} // namespace versus
