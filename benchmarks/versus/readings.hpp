#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace versus {

/// What one run of a subject measured; what each number means the subject says.
using Figures = std::array<double, 4>;

/// Something that is measured, once in each round.
struct Subject {
  std::string name;                 ///< by which rows speak of it
  std::function<Figures()> measure; ///< in this process, which starts others
  std::size_t most_rounds = 1000;   ///< for one that takes long, or is the same each time
};

/// What the subjects of one round measured, by their names.
using Round = std::map<std::string, Figures>;

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
